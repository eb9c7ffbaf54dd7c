"""The lessons "Forward" and "Viterbi" as a reader uses them, in a real browser.

Above all: whatever shows a number shows the same one, that of the problem on screen. The expected
values are found path by path in tests/pages/recursion_oracle.py.
"""

import json
import re

import pytest

from benchmarks.serving import running
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.numbers import format_potential, format_score
from tests.browser.stepper_helpers import at, said
from tests.pages import recursion_oracle as oracle
from tests.pages.path_oracle import printed

OLD_MAN = EXAMPLES["old-man"].problem
S = len(OLD_MAN.tags)
OLD, MAN, NOUN, VERB = 1, 2, 2, 3
PAGES = ("forward", "viterbi")
FOLLOWS = {"forward": "none", "viterbi": "Backpointers:", "backward": "as the step has it"}
SWITCHES = {"State": "state", "Message": "message", "Pair": "pair"}


@pytest.fixture
def visit(open_page, app_url):
    def opener(path, *, url=app_url, **options):
        page = open_page(f"{url}/{path}" if path else url, **options)
        page.locator(".trellis").wait_for(timeout=60_000)
        page.locator("footer.crf-footer").wait_for()
        return page

    return opener


def choose(page, label):
    from playwright.sync_api import expect

    button = page.get_by_test_id("stMain").get_by_role("radio", name=label, exact=True)
    button.click()
    expect(button).to_be_checked()


def step_of(convention, token, tag):
    return (token - (convention == "message")) * S + tag


def edit(page, label, text):
    cell = page.get_by_role("textbox", name=label, exact=True)
    cell.fill(text)
    cell.press("Enter")


def shows_everywhere(page, convention, value, space="log"):
    """Equation, cell, table, sentence and prose have the value of ‘man’, VERB."""
    from playwright.sync_api import expect

    text = format_score(value) if space == "log" else format_potential(value)
    whole = re.compile(rf"(?<![\d.]){re.escape(text)}(?!\d)")
    column = MAN - (convention == "message")
    expect(page.locator(".crf-follow")).to_contain_text(whole, timeout=15_000)
    expect(page.locator(".equation .now .res")).to_have_text(text)
    expect(page.locator(f'[data-cell="{column},{VERB}"] .value')).to_have_text(text)
    expect(page.locator(".behind tbody tr").nth(VERB).locator("td").nth(column)).to_have_text(text)
    expect(page.locator(".say .now")).to_contain_text(whole)


# ---------------------------------------------------------------------- one number everywhere


@pytest.mark.parametrize("page_name", PAGES)
@pytest.mark.parametrize("semiring", ["sum", "max"])
def test_an_edited_score_changes_equation_cell_table_sentence_and_prose(visit, page_name, semiring):
    page = visit(f"{page_name}?semiring={semiring}")
    page.get_by_text("Edit scores").click()
    page.locator("input.score").first.wait_for()
    page.locator("summary", has_text="The values as a table").click()
    problem = OLD_MAN
    for k, (label, convention) in enumerate(SWITCHES.items()):
        choose(page, label)
        m = len(problem.tokens)
        steps = S * (m - (convention == "message")) + 1 + (m if semiring == "max" else 0)
        page.locator(".count", has_text=f"/ {steps}").wait_for()
        page.get_by_role("slider", name="Step").fill(str(step_of(convention, MAN, VERB)))
        value = oracle.cell(problem, convention, semiring, MAN, VERB)
        shows_everywhere(page, convention, value)
        new = 2.25 + k
        edit(page, "Emission of old as NOUN", str(new))
        problem = problem.with_score("emissions", (OLD, NOUN), new)
        changed = oracle.cell(problem, convention, semiring, MAN, VERB)
        assert abs(changed - value) > 0.5
        shows_everywhere(page, convention, changed)
        choose(page, "Potentials")
        shows_everywhere(page, convention, changed, "probability")
        choose(page, "Log-scores")


@pytest.mark.parametrize("page_name", PAGES)
def test_an_edited_score_changes_the_totals_below(visit, page_name):
    from playwright.sync_api import expect

    page = visit(page_name)
    page.get_by_text("Edit scores").click()
    page.locator("input.score").first.wait_for()
    edit(page, "From NOUN to VERB", "-1.5")
    problem = OLD_MAN.with_score("transitions", (NOUN, VERB), -1.5)
    log_z = oracle.total(problem, "sum")
    if page_name == "forward":
        rows = page.locator("table", has_text="difference from state form").locator("tbody tr")
        for k in range(3):
            expect(rows.nth(k)).to_contain_text(f"{log_z:.6f}", timeout=15_000)
        return
    expect(page.locator(".crf-big").nth(2)).to_contain_text(printed(log_z), timeout=15_000)
    (best, path), *_ = oracle.best_paths(problem, 1)
    first = page.locator("table", has_text="cumulative").locator("tbody tr").first
    expect(first).to_contain_text(f"{best:.2f}")
    expect(first.locator(".crf-tag")).to_have_text([problem.tags[s] for s in path])


# ---------------------------------------------------------------------- the stepper on the page


def test_on_a_projector_the_whole_trellis_is_seen(visit):
    how = {"width": 1920, "height": 1080}
    page = visit("viterbi?convention=pair&space=probability&size=1.6", **how)
    page.wait_for_timeout(300)  # for the fonts and the last measuring
    scroll = page.locator(".figure .scroll")
    assert scroll.evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    size = "e => parseFloat(getComputedStyle(e).fontSize)"
    assert page.locator(".cell .value").first.evaluate(size) > 1.3 * 15  # for the last row


@pytest.mark.parametrize(
    ("name", "step", "tables"),
    [("forward", 5, 0), ("forward", 20, 0), ("viterbi", 5, 1), ("backward", 5, 1)],
)
def test_what_follows_the_step_waits_for_the_guess(visit, name, step, tables):
    from playwright.sync_api import expect

    page = visit(f"{name}?guess=1&step={step}")
    text = page.locator(".crf-follow")
    expect(text).to_contain_text("once it is guessed")
    found = page.get_by_test_id("stMain").locator("table", has_text=FOLLOWS[name])
    before = found.all_inner_texts()
    assert len(before) == tables
    page.locator(".scroll").press("Enter")
    result = page.locator(".equation .now .res").inner_text()
    expect(text).to_contain_text(result, timeout=15_000)
    assert result not in "".join(before)
    for table, old in zip(found.all(), before, strict=True):
        expect(table).not_to_have_text(old)
    page.locator(".scroll").press("ArrowRight")
    if step < 20:
        expect(text).to_contain_text("once it is guessed")
        page.get_by_role("button", name="Guess first").click()
        expect(text).to_contain_text(page.locator(".equation .now .res").inner_text())


@pytest.mark.parametrize("page_name", PAGES)
def test_step_scrub_and_play(visit, page_name):
    page = visit(page_name)
    follow = page.locator(".crf-follow")
    page.locator(".scroll").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert at(page) == 10
    follow.filter(has_text="‘man’, NOUN").wait_for()
    page.get_by_role("slider", name="Step").fill("6")
    follow.filter(has_text="‘old’, NOUN").wait_for()
    page.get_by_label("Speed of playing").select_option("10 steps/s")
    page.get_by_role("button", name="Play").click()
    last = int(page.locator(".count").inner_text().split(" / ")[1])
    page.locator(".count", has_text=f"{last} / ").wait_for()
    ending = "It belongs to no single path" if page_name == "forward" else "Known from the right"
    follow.filter(has_text=ending).wait_for()


@pytest.mark.parametrize("page_name", PAGES)
def test_keys_step_only_where_the_stepper_has_the_focus(visit, page_name):
    page = visit(f"{page_name}?step=5")
    page.locator("h1").click()
    for key in ("ArrowRight", "Home", "End", " "):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    assert at(page) == 5


def test_the_way_back_rings_the_backpointers_that_it_follows(visit):
    page = visit("viterbi?step=20")
    table = page.locator("table", has_text="κ").filter(has_text="boat")
    ringed = table.locator(".crf-ring")
    assert ringed.count() == 0
    page.locator(".scroll").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    ringed.first.wait_for()
    assert ringed.all_inner_texts() == ["DET"]  # NOUN at ‘boat’ came from DET
    page.keyboard.press("End")
    table.locator(".crf-ring >> nth=3").wait_for()
    assert sorted(ringed.all_inner_texts()) == ["DET", "DET", "NOUN", "VERB"]


def test_hovering_links_terms_cells_edges_and_scores(visit):
    page = visit("forward?step=10")
    page.locator('.matrix [data-read="transition:1:2"]').hover()  # ADJ → NOUN
    linked = page.locator(".cell.linked").evaluate_all("all => all.map((e) => e.dataset.cell)")
    assert linked == [f"{column},{NOUN}" for column in range(1, 5)]
    page.locator('.terms tr[data-from="1"]').hover()
    assert page.locator(".candidate.stressed").count() == 1
    assert page.locator(".matrix .linked").all_inner_texts() == ["1.50"]


def test_guess_first(visit):
    page = visit("viterbi?step=9")
    page.get_by_role("button", name="Guess first").click()
    page.locator(".scroll").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".equation .now .res").inner_text() == "?"
    page.keyboard.press("2")  # ADJ
    page.locator(".verdict", has_text="Right").wait_for()
    assert page.locator(".equation .now .res").inner_text() == "11.00"
    assert "best from ADJ" in said(page)


def test_one_of_the_best_paths_is_lit(visit):
    page = visit("viterbi?step=20")
    assert page.locator("rect.kbest.on").count() == 0
    choose(page, "2nd")
    page.get_by_role("button", name="2nd best").wait_for()
    page.locator("rect.kbest.on").first.wait_for(state="attached")
    lit = page.locator("rect.kbest.on")
    assert lit.count() == len(OLD_MAN.tokens)
    assert at(page) == 20


# ---------------------------------------------------------------------- links, files, access


@pytest.mark.parametrize("page_name", PAGES)
def test_a_deep_link_on_a_cold_server(visit, tmp_path, page_name):
    with running("app.py", tmp_path / "log") as url:
        query = "ex=fish&convention=message&space=probability&step=3"
        page = visit(f"{page_name}?{query}", url=url)
        assert page.locator("h1").inner_text() == page_name.capitalize()
        assert at(page) == 3
        problem = EXAMPLES["fish"].problem
        semiring = "sum" if page_name == "forward" else "max"
        value = oracle.cell(problem, "message", semiring, 2, 1)
        assert page.locator(".equation .now .res").inner_text() == format_potential(value)
        page.context.close()


@pytest.mark.parametrize("page_name", PAGES)
def test_a_teachers_link_opens_the_same(visit, page_name):
    page = visit(f"{page_name}?convention=message&step=6&ex=time-flies")
    page.get_by_role("button", name="For teachers").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("the text", exact=True).click()
    dialog.get_by_text("projector", exact=True).click()
    code = dialog.locator("[data-testid=stCode]")
    code.filter(has_text="hide=prose").filter(has_text="size=1.6").wait_for()
    link = code.inner_text().replace("\n", "").strip()
    assert link.startswith("http://127.0.0.1:")
    other = visit("", url=link)
    assert at(other) == 6
    assert said(other) == page.locator(".say .now").inner_text()
    assert other.locator(".crf-follow").count() == 0
    normal, large = (
        p.locator(".say .now").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
        for p in (page, other)
    )
    assert large == pytest.approx(1.6 * normal)


def test_the_switches_are_in_the_address(visit):
    page = visit("forward")
    choose(page, "Message")
    choose(page, "Compared (max)")
    page.wait_for_url(re.compile("convention=message"))
    page.wait_for_url(re.compile("semiring=max"))
    choose(page, "Summed")
    page.wait_for_url(lambda url: "semiring" not in url)


def test_a_forged_switch_is_answered_by_a_message(visit):
    page = visit("viterbi?convention=inside-out&semiring=<b>&step=-1")
    page.get_by_text("does not exist").first.wait_for()
    assert at(page) == 0


@pytest.mark.parametrize("page_name", PAGES)
def test_export(visit, tmp_path, page_name):
    page = visit(f"{page_name}?step=10")
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name="Trace as JSON").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Trace as JSON").click()
    semiring = "sum" if page_name == "forward" else "max"
    assert download.value.suggested_filename == f"{page_name}-state-{semiring}-trace.json"
    download.value.save_as(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))
    assert trace["log_total"] == pytest.approx(oracle.total(OLD_MAN, semiring))
    with page.expect_download() as download:
        page.get_by_role("button", name="Table as CSV").click()
    assert download.value.suggested_filename == f"{page_name}-state-{semiring}-trellis.csv"
    page.get_by_text("The whole table, as LaTeX").wait_for()
    download.value.save_as(tmp_path / "trellis.csv")
    rows = (tmp_path / "trellis.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "tag,The,old,man,the,boat"
    value = float(rows[1 + VERB].split(",")[1 + MAN])
    assert value == pytest.approx(oracle.cell(OLD_MAN, "state", semiring, MAN, VERB))
    equation = page.locator("[data-testid=stCode]").first
    shown = page.locator(".equation .now .res").inner_text()
    assert equation.inner_text().strip().endswith(f"= {shown}")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page_name", PAGES)
def test_accessible(visit, page_name, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(f"{page_name}?step=18", dark=dark)

    def check(state):
        found = axe.run(page).response["violations"]
        broken = [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]
        assert not broken, f"{state}: {broken}"

    check("as opened")
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("button", name="Trace as JSON").wait_for()
    page.get_by_text("The code that ran").click()
    page.get_by_text("crf.trace.trace").wait_for()
    check("unfolded")


@pytest.mark.parametrize("page_name", PAGES)
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(visit, page_name, width):
    page = visit(f"{page_name}?step=10", width=width)
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("page_name", PAGES)
def test_a_link_opens_with_guess_first_on(visit, page_name):
    page = visit(f"{page_name}?step=9&guess=1")
    toggle = page.get_by_role("button", name="Guess first")
    assert toggle.get_attribute("aria-pressed") == "true"
    assert page.locator(".equation .now .res").inner_text() == "?"
    assert "guess=1" in page.url
    assert visit(page_name).get_by_role("button", name="Guess first").get_attribute(
        "aria-pressed"
    ) == ("false")


def _bottom(place):
    box = place.bounding_box()
    return box["y"] + box["height"]


@pytest.mark.parametrize("page_name", PAGES)
def test_controls_trellis_equation_and_legend_are_seen_at_once(visit, page_name):
    page = visit(f"{page_name}?ex=old-man&step=14", width=1280, height=720)
    assert page.locator(".stepper .bar").bounding_box()["y"] <= 330
    for part in (".trellis", ".equation", ".legend", ".terms"):
        assert _bottom(page.locator(part)) <= 720, part


@pytest.mark.parametrize("page_name", PAGES)
def test_a_projector_shows_every_row_of_the_trellis(visit, page_name):
    query = "ex=old-man&step=14&hide=controls~prose&size=1.6"
    page = visit(f"{page_name}?{query}", width=1280, height=720)
    cells = page.locator(".cell rect")
    assert max(_bottom(cells.nth(i)) for i in range(cells.count())) <= 720


def test_the_form_for_a_sentence_is_wholly_visible_and_closes_when_used(visit):
    from playwright.sync_api import expect

    page = visit("forward", width=1280, height=720)
    page.get_by_role("button", name="Problem:").click()
    use = page.get_by_role("button", name="Use these scores")
    use.wait_for()
    page.wait_for_timeout(500)  # it slides in
    assert _bottom(use) <= 720
    assert page.locator("[data-testid=stPopoverBody]").bounding_box()["y"] >= 0
    page.get_by_role("textbox", name="Or your own sentence").fill("She can fish.")
    use.click()
    expect(page.get_by_text("the tagger’s scores of “She can fish .”")).to_be_visible()
    expect(use).to_have_count(0)
