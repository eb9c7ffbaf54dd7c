"""The page "Tag a sentence" as a reader uses it, in a real browser."""

import urllib.parse

import pytest

from benchmarks.serving import ROOT, running
from pages.shared.ui.state import DEFAULT_TAGGER
from pages.tag.examples import BY_NAME

GARDEN_PATH = "/?sentence=The+old+man+the+boat.&tagger=bilstm"
SHIPPED = ROOT / "crf" / "tagger" / "shipped" / "local"
WORDS = "ol bdi"
TAGS = ".tag span"


def wait_until_tagged(page):
    page.locator(".crf-sum").first.wait_for()
    page.locator(WORDS).first.wait_for()
    page.locator("footer.crf-footer").wait_for()


@pytest.fixture
def open_tagged(open_page, app_url):
    def opener(path="/", **options):
        page = open_page(app_url + path, **options)
        wait_until_tagged(page)
        return page

    return opener


def type_sentence(page, text):
    field = page.get_by_label("Your sentence")
    field.fill(text)
    field.press("Enter")


def has_words(page, words):
    """Wait for these tokens; return their tags."""
    from playwright.sync_api import expect

    expect(page.locator(WORDS)).to_have_text(words.split(), timeout=20_000)
    return page.locator(TAGS).all_inner_texts()


def test_type_a_sentence_and_see_its_tags(open_tagged):
    page = open_tagged()
    type_sentence(page, "She reads books.")
    assert has_words(page, "She reads books .") == ["PRON", "VERB", "NOUN", "PUNCT"]
    page.wait_for_url("**sentence=She**")


def test_the_sentence_field_comes_first(open_tagged):
    page = open_tagged()
    page.locator("h1").click()
    page.keyboard.press("Tab")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label == "Your sentence"


def test_an_example(open_tagged):
    page = open_tagged("/?sentence=Fish+swim.&tagger=bilstm")
    example = BY_NAME["A new verb"]
    page.get_by_role("radio", name=example.name).or_(
        page.get_by_role("button", name=example.name)
    ).first.click()
    assert has_words(page, "We need to google the new iPhone .")[3] == "VERB"
    page.get_by_text(example.why).wait_for()
    default = DEFAULT_TAGGER == "local"  # then the address leaves it out
    page.wait_for_url(lambda address: ("tagger=local" in address) != default)


def test_set_a_tag_by_hand_and_undo_it(open_tagged):
    page = open_tagged(GARDEN_PATH)
    before = page.locator(TAGS).all_inner_texts()
    menu = page.get_by_label("Tag of man")
    verb = menu.locator("option", has_text="VERB").inner_text()
    menu.select_option(label=verb)
    page.get_by_text("You set ‘man’ to VERB").wait_for()
    assert page.locator(TAGS).nth(2).inner_text() == "VERB"
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("You set").wait_for(state="detached")
    assert page.locator(TAGS).all_inner_texts() == before


def test_step_with_the_keyboard(open_tagged):
    page = open_tagged("/?sentence=Fish+swim.")
    scrubber = page.locator("input[type=range]")
    scrubber.focus()
    assert scrubber.input_value() == str(3 * 17)  # the total, after a whole trellis
    page.keyboard.press("Home")
    start = int(scrubber.input_value())
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert int(scrubber.input_value()) == start + 3
    page.keyboard.press("ArrowLeft")
    assert int(scrubber.input_value()) == start + 2


def test_tabs_show_their_tables(open_tagged):
    page = open_tagged()
    for name, corner in (
        ("Transition scores", "START"),
        ("Marginal probabilities", "entropy (nats)"),
        ("Emission scores", "ADJ"),
    ):
        page.get_by_role("tab", name=name).click()
        page.locator(".crf-grid th", has_text=corner).first.wait_for()


def test_upload_a_tagger(open_tagged, tmp_path):
    page = open_tagged()
    page.get_by_text("Your own").click()
    page.locator(".crf-sum").wait_for(state="detached")
    damaged = tmp_path / "weights.safetensors"
    damaged.write_bytes((SHIPPED / "weights.safetensors").read_bytes()[:-5])
    upload = page.locator("input[type=file]")
    upload.set_input_files([SHIPPED / "tagger.json", damaged])
    page.get_by_role("alert").wait_for()
    for _ in range(2):
        page.get_by_role("button", name="Remove").first.click()
    page.get_by_role("alert").wait_for(state="detached")
    upload.set_input_files([SHIPPED / "tagger.json", SHIPPED / "weights.safetensors"])
    wait_until_tagged(page)


@pytest.mark.parametrize("path", ["/", "/tag"])
def test_a_deep_link_to_a_cold_server(open_page, tmp_path, path):
    query = urllib.parse.urlencode({"sentence": "Fish swim.", "tagger": "local"})
    with running("app.py", tmp_path / "log") as url:
        page = open_page(f"{url}{path}?{query}")
        wait_until_tagged(page)
        assert has_words(page, "Fish swim .")[2] == "PUNCT"
        assert page.get_by_text("scores each word alone").count() == 1
        assert page.get_by_role("dialog").count() == 0


def test_a_forged_address(open_tagged):
    page = open_tagged("/?tagger=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&sentence=Fish+swim.")
    page.get_by_text("which does not exist").wait_for()
    has_words(page, "Fish swim .")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(open_tagged, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_tagged(GARDEN_PATH, dark=dark)

    def check(state):
        found = axe.run(page).response["violations"]
        broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
        assert not broken, f"{state}: {broken}"

    check("as opened")
    page.get_by_label("Tag of man").select_option(index=3)
    page.get_by_text("You set").wait_for()
    for name in ("Transition scores", "Marginal probabilities"):
        page.get_by_role("tab", name=name).click()
        page.locator(".crf-grid").wait_for()
        check(name)


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (640, 360), (390, 844)])
def test_nothing_sticks_out(open_tagged, width, height):
    page = open_tagged(width=width, height=height)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("path", ["/", "/?sentence=Fish+swim.", "/?sentence=Fish+swim.&fix=0.7"])
def test_the_sentence_goes_into_the_lessons_and_is_there_on_the_way_back(open_tagged, path):
    page = open_tagged(path)
    words = page.locator(WORDS).all_inner_texts()
    page.get_by_role("button", name="Take this sentence").click()
    page.get_by_role("heading", name="Viterbi", level=1).wait_for()
    page.wait_for_url("**/viterbi?sentence=**")
    page.locator("input[type=range]").wait_for()
    page.get_by_role("link", name="Tag a sentence").first.click()
    has_words(page, " ".join(words))
    assert page.locator("[data-testid=stException]").count() == 0
