"""The page "Tag a sentence" as a reader uses it, in a real browser."""

import pytest
from playwright.sync_api import expect

from benchmarks.browsing import until
from benchmarks.serving import ROOT
from pages.shared.contents import COURSE
from tests.browser import looks

SHIPPED = ROOT / "crf" / "tagger" / "shipped" / "local"
FLOW = "[data-figure=flow]"


def wait_until_tagged(page):
    page.locator(".crf-sum").first.wait_for()
    page.locator(f"{FLOW} .block").first.wait_for()
    page.locator("footer.crf-footer").wait_for()


@pytest.fixture
def open_tagged(open_page, app_url):
    def opener(path="/", **options):
        page = open_page(app_url + path, **options)
        wait_until_tagged(page)
        return page

    return opener


def has_words(page, words):
    """Wait for these tokens; return the tags of the best path, which is outlined."""
    expect(page.locator(f"{FLOW} .word")).to_have_text(words.split(), timeout=20_000)
    outlined = page.locator(f"{FLOW} .block").filter(has=page.locator(".outline"))
    expect(outlined).to_have_count(len(words.split()))
    found = outlined.evaluate_all(
        "(all) => all.map((e) => [Number(e.dataset.token), e.dataset.tag])"
    )
    return [tag for _, tag in sorted(found)]


def block(page, token, tag):
    return page.locator(f"{FLOW} .block[data-token='{token}'][data-tag={tag}]")


def test_hold_a_tag_let_it_go_undo_type_a_sentence_and_show_everything(open_tagged):
    page = open_tagged()
    before = has_words(page, "The kindly guide his horse .")
    assert before[1:3] == ["ADJ", "NOUN"]
    block(page, 2, "VERB").locator(".hit").click()
    page.get_by_text("You hold ‘guide’ at VERB").wait_for()
    assert has_words(page, "The kindly guide his horse .")[1:3] == ["ADV", "VERB"]
    block(page, 2, "NOUN").wait_for(state="detached")  # it shrinks first
    assert float(block(page, 2, "VERB").get_attribute("data-p")) == pytest.approx(1)
    page.wait_for_url("**fix=2.15**")
    block(page, 2, "VERB").locator(".hit").click()  # the same again lets it go
    page.get_by_text("You hold").wait_for(state="detached")
    assert has_words(page, "The kindly guide his horse .") == before
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("You hold ‘guide’ at VERB").wait_for()
    field = page.get_by_label("Your sentence")
    field.fill("She reads books.")
    field.press("Enter")
    assert has_words(page, "She reads books .") == ["PRON", "VERB", "NOUN", "PUNCT"]
    page.wait_for_url("**sentence=She**")
    page.get_by_text("Show everything").click()
    until(page, "localStorage.getItem('crf.everything') === '1'")  # the browser keeps it


@pytest.mark.thorough
def test_a_tag_too_rare_for_a_block_is_held_by_the_menu_of_its_word(open_tagged):
    page = open_tagged("/?sentence=The+old+man+the+boat.&tagger=bilstm", dark=True)
    page.get_by_role("button", name="man: choose among all tags").click()
    assert looks.complaints(page) == []
    page.get_by_role("menuitemradio", name="VERB").click()
    page.get_by_text("You hold ‘man’ at VERB").wait_for()
    assert block(page, 2, "VERB").get_attribute("aria-pressed") == "true"


def test_the_sentence_goes_into_the_lessons_and_back_and_a_tagger_is_uploaded(
    open_tagged, tmp_path
):
    page = open_tagged("/?sentence=Fish+swim.&fix=0.7")
    words = page.locator(f"{FLOW} .word").all_text_contents()
    page.get_by_role("button", name="Take this sentence").click()
    page.get_by_role("heading", name=COURSE[1].title, level=1).wait_for()
    page.wait_for_url(f"**/{COURSE[1].address}?sentence=**")
    page.locator("footer.crf-footer").wait_for()
    page.get_by_role("link", name="Tag a sentence").first.click()
    has_words(page, " ".join(words))
    assert page.locator("[data-testid=stException]").count() == 0

    page.get_by_role("button", name="Your own").click()
    damaged = tmp_path / "weights.safetensors"
    damaged.write_bytes((SHIPPED / "weights.safetensors").read_bytes()[:-5])
    upload = page.locator("input[type=file]")
    upload.set_input_files([SHIPPED / "tagger.json", damaged])
    page.get_by_role("alert").wait_for()
    for _ in range(2):
        page.get_by_role("button", name="Remove").first.click()
    page.get_by_role("alert").wait_for(state="detached")
    upload.set_input_files([SHIPPED / "tagger.json", SHIPPED / "weights.safetensors"])
    expect(page.get_by_role("combobox", name="Tagger")).to_have_value("Your own", timeout=20_000)
    wait_until_tagged(page)
