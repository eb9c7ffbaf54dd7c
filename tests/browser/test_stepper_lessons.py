"""What the lessons ask of the stepper: potentials, linked tables, guesses, hidden parts, files."""

import re
from xml.etree import ElementTree

import pytest

from crf.course.brute_force import work
from crf.course.numbers import format_potential
from pages.figures.narration import questions, sentences
from tests.browser.stepper_helpers import at, said, values, visitor
from tests.browser.stepper_page import shown


@pytest.fixture
def visit(serve, open_page):
    return visitor(serve, open_page)


def terms(page):
    return [row.split() for row in page.locator(".terms tbody tr").all_inner_texts()]


@pytest.mark.parametrize(
    ("algorithm", "convention", "semiring"),
    [
        ("forward", "state", "sum"),
        ("forward", "pair", "max"),
        ("backward", "message", "sum"),
        ("viterbi", "message", "max"),
    ],
)
def test_potentials_are_the_exponentials_of_the_traces_scores(
    visit, algorithm, convention, semiring
):
    options = {"algorithm": algorithm, "convention": convention, "semiring": semiring}
    page = visit("space=probability&" + "&".join(f"{k}={v}" for k, v in options.items()))
    trace = shown(**options)
    told = sentences(trace, "probability")
    page.locator(".scroll").focus()
    for index, step in enumerate(trace.steps):
        assert said(page) == told[index]
        if step.kind != "backtrace":
            result = format_potential(step.log_value)
            assert page.locator(".equation .now .res").inner_text() == result
            assert values(page)[-1] == result
            cells = page.locator(".terms tbody tr").nth(0).locator("td").all_inner_texts()
            parts = [format_potential(part.value) for part in step.terms[0].parts]
            assert cells[:-1] == [*parts, format_potential(step.terms[0].log_value)]
        page.keyboard.press("ArrowRight")


def test_hovering_a_score_lights_the_terms_cells_and_edges_that_use_it(visit):
    page = visit("step=10&matrices=1")
    page.locator('.matrix [data-read="transition:1:2"]').hover()  # ADJ → NOUN
    assert page.locator(".cell.linked").evaluate_all("all => all.map((e) => e.dataset.cell)") == [
        f"{column},2" for column in range(1, 5)
    ]
    assert page.locator("g.linked path").count() == 4
    assert page.locator(".terms .linked").all_inner_texts() == ["1.50"]
    assert page.locator(".equation .now .linked").all_inner_texts() == ["1.50"]
    page.locator('.matrix [data-read="emission:3:0"]').hover()
    assert page.locator(".cell.linked").get_attribute("data-cell") == "3,0"
    page.locator(".count").hover()
    assert page.locator(".linked:is(.cell, td, span)").count() == 0


def test_a_term_lights_its_edge_and_its_scores(visit):
    page = visit("step=10&matrices=1")
    row = page.locator(".terms tbody tr").nth(2)
    row.locator("th").hover()
    assert page.locator(".incoming .stressed").get_attribute("data-from") == "2"
    assert page.locator(".matrix .linked").get_attribute("data-read") == "transition:2:2"
    page.locator(".count").hover()
    row.focus()  # with the keyboard it is the same
    assert page.locator(".matrix .linked").get_attribute("data-read") == "transition:2:2"
    row.press("ArrowUp")
    assert page.locator(".matrix .linked").get_attribute("data-read") == "transition:1:2"
    assert at(page) == 10
    page.keyboard.press("ArrowRight")  # steps on, and the same row keeps the focus
    assert at(page) == 11
    assert page.locator(".matrix .linked").get_attribute("data-read") == "transition:1:3"


def test_an_edge_lights_its_term(visit):
    page = visit("step=10&matrices=1")
    page.locator('.hits path[data-from="3"]').dispatch_event(
        "pointerover", {"pointerType": "mouse", "bubbles": True}
    )
    assert page.locator(".terms tr.linked th").inner_text() == "VERB"
    assert page.locator(".incoming .stressed").get_attribute("data-from") == "3"


def test_the_tables_are_walked_by_the_arrow_keys(visit):
    page = visit("step=10&matrices=1")
    for table in page.locator(".matrix").all():
        assert table.locator('[tabindex="0"]').count() == 1
    page.locator('.matrix [data-read="start:0"]').focus()
    focus = ":focus[data-read]"
    for key, read in [
        ("ArrowRight", "start:1"),
        ("ArrowDown", "transition:0:1"),
        ("ArrowLeft", "transition:0:0"),
        ("ArrowLeft", "transition:0:0"),
        ("ArrowDown", "transition:1:0"),
    ]:
        page.keyboard.press(key)
        assert page.locator(focus).get_attribute("data-read") == read, key
    assert page.locator(".cell.linked").count() == 4
    assert page.locator(".matrix").last.locator('[tabindex="0"]').count() == 1
    assert at(page) == 10


def test_all_scores_are_in_the_tables_and_those_of_the_step_are_lit(visit):
    page, trace = visit("step=5&example=bio&matrices=1"), shown("bio")
    first, second = page.locator(".matrix").all()
    assert first.locator("tbody tr").count() == len(trace.tags)
    assert second.locator("tbody tr").first.inner_text().split() == ["START", "0.00", "−∞", "0.00"]
    rows = second.locator("tbody tr").all_inner_texts()
    assert rows[3].split() == ["O", "1.00", "−∞", "2.00", "0.00"]  # and END's column
    lit = page.locator(".matrix .lit").evaluate_all("all => all.map((e) => e.dataset.read)")
    assert lit == ["emission:1:2", *(f"transition:{i}:2" for i in range(3))]
    page.locator(".scroll").press("Home")
    lit = page.locator(".matrix .lit").evaluate_all("all => all.map((e) => e.dataset.read)")
    assert lit == ["emission:0:0", "start:0"]


@pytest.mark.parametrize("algorithm", ["forward", "backward"])
@pytest.mark.parametrize("convention", ["state", "message"])
def test_a_matrix_for_each_step_is_turned_to(visit, algorithm, convention):
    query = f"algorithm={algorithm}&convention={convention}"
    page = visit(f"example=per step&matrices=1&{query}")
    trace = shown("per step", algorithm=algorithm, convention=convention)
    page.locator(".scroll").focus()
    for step in trace.steps:
        read = {part.at: part.value for term in step.terms for part in term.parts
                if part.role == "transition"}  # fmt: skip
        for (i, j), score in read.items():
            cell = page.locator(f'.matrix [data-read="transition:{i}:{j}"]')
            assert cell.inner_text() == f"{score:.2f}"
        page.keyboard.press("ArrowRight")


HEAR = """() => {
  window.heard = []
  document.addEventListener('crf:light', (event) => window.heard.push(event.detail))
}"""
SAY = "detail => document.dispatchEvent(new CustomEvent('crf:light', { detail }))"


def test_parts_of_the_page_light_each_other(visit):
    page = visit("step=10&matrices=1")
    page.evaluate(HEAR)
    page.locator('.matrix [data-read="end:0"]').hover()
    page.locator(".count").hover()
    heard = page.evaluate("window.heard")
    assert heard[0] == {"source": "stepper", "reads": ["end:0"]}
    assert heard[-1]["step"] == 10
    assert "emission:2:2" in heard[-1]["reads"]
    page.evaluate(SAY, {"source": "editor", "reads": ["emission:1:3", "nonsense", 5]})
    assert page.locator(".cell.linked").get_attribute("data-cell") == "1,3"
    for detail in ({"source": "stepper", "reads": ["start:0"]}, None, {"reads": "x"}, 7):
        page.evaluate(SAY, detail)  # its own voice, and what is no message
        assert page.locator(".cell.linked").get_attribute("data-cell") == "1,3"
    page.evaluate(SAY, {"source": "editor", "reads": []})
    assert page.locator(".cell.linked").count() == 0
    page.get_by_role("button", name="Run again").click()
    page.get_by_role("button", name="Run again").focus()
    page.wait_for_timeout(500)
    page.evaluate(SAY, {"source": "editor", "reads": ["emission:1:3"]})  # it goes on listening
    assert page.locator(".cell.linked").count() == 1


def test_predict_then_see(visit):
    page, trace = visit("predict=on"), shown()
    ask = questions(trace)
    tally, verdict = page.locator(".tally"), page.locator(".verdict")
    page.locator(".scroll").focus()
    assert said(page) == sentences(trace)[0]  # nothing to choose from in the first column
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert (at(page), said(page)) == (4, ask[4])
    assert values(page)[-1] == "?"
    assert all(row[-2:] == ["?", "?"] for row in terms(page))
    assert page.locator(".equation .now .res").inner_text() == "?"
    assert page.locator(".incoming .wins, .matrix .won").count() == 0
    page.keyboard.press("2")
    assert verdict.inner_text() == "✗ Not ADJ."
    assert tally.inner_text() == "0 of 1 right"
    assert said(page) == sentences(trace)[4]
    assert values(page)[-1] == "−1.00"
    page.keyboard.press("4")  # the guess is made
    assert tally.inner_text() == "0 of 1 right"

    page.keyboard.press("ArrowRight")
    page.get_by_title("Guess DET").click()
    assert verdict.inner_text() == "✓ Right."
    assert tally.inner_text() == "1 of 2 right"

    page.locator(".scroll").press("ArrowRight")
    page.locator('[data-cell="0,0"]').click()  # the cell that it comes from
    assert (at(page), tally.inner_text()) == (6, "2 of 3 right")

    page.locator(".scroll").press("ArrowRight")
    page.keyboard.press("ArrowRight")  # on without a guess: shown, and not counted
    assert values(page)[7:] == ["−1.00", "?"]
    page.locator('.hits path[data-from="1"]').dispatch_event("click")
    assert tally.inner_text() == "3 of 4 right"

    page.locator(".scroll").press("ArrowRight")
    page.get_by_role("button", name="Show").click()
    assert said(page) == sentences(trace)[9]
    assert tally.inner_text() == "3 of 4 right"
    page.locator(".scroll").press("End")
    assert at(page) == len(trace.steps) - 1  # guesses never hold up
    assert "?" not in values(page)


def test_the_largest_share_is_guessed_of_a_sum(visit):
    page = visit("predict=on&algorithm=forward&step=10")
    assert page.locator(".terms .aside").all_inner_texts() == ["?"] * 4
    page.locator(".scroll").press("2")
    assert page.locator(".verdict").inner_text() == "✓ Right."
    assert terms(page)[1][-2:] == ["92", "%"]


def test_any_of_the_tied_is_right(visit):
    page = visit("predict=on&example=ties&step=3")
    page.locator(".scroll").press("2")
    assert page.locator(".verdict").inner_text() == "✓ Right."


def test_guessing_is_switched_on_by_the_reader(visit):
    assert visit("step=10").get_by_role("button", name="Guess first").count() == 0
    page = visit("step=10&predict=off")
    assert values(page)[-1] == "11.00"
    page.get_by_role("button", name="Guess first").click()
    assert values(page)[-1] == "?"
    page.get_by_role("button", name="Guess first").click()
    assert values(page)[-1] == "11.00"


def test_answers_are_covered_until_they_are_asked_for(visit):
    page = visit("hide=answers&step=4")
    assert values(page) == ["?"] * 5
    assert terms(page)[0] == ["DET", "?", "−3.00", "?", "?"]  # what led here is covered, too
    assert page.locator(".behind").is_hidden()
    page.locator('[data-cell="0,0"]').click()
    page.locator(".scroll").press("Enter")
    assert values(page) == ["5.00"]
    page.locator(".scroll").press("PageDown")
    assert values(page) == ["5.00", *["?"] * 4]
    assert terms(page)[0] == ["DET", "5.00", "−3.00", "?", "?"]
    page.locator(".scroll").press("End")
    assert said(page) == "Backtrace: which tag has token 1 ‘the’?"
    assert page.locator(".decided .on").count() == 0
    page.get_by_role("button", name="Show").click()
    assert page.locator(".decided .outer.on").count() == 1


@pytest.mark.parametrize(
    ("part", "gone"),
    [
        ("values", ".value, .behind"),
        ("terms", ".terms"),
        ("equation", ".equation"),
        ("sentence", ".say"),
        ("controls", ".bar"),
    ],
)
def test_parts_are_left_out(visit, part, gone):
    page = visit(f"step=10&hide={part}")
    for place in page.locator(gone).all():
        assert not place.is_visible()
    others = {".equation", ".terms", ".say", ".bar"} - set(gone.split(", "))
    for place in others:
        assert page.locator(place).is_visible()
    fills = page.locator(".cell.told rect").evaluate_all(
        "a => a.map(e => getComputedStyle(e).fill)"
    )
    assert (len(set(fills[1:])) == 1) == (part == "values")  # no colour tells, either


def test_everything_grows_for_the_last_row(visit):
    sizes = []
    for query in ("step=10", "step=10&scale=1.6"):
        page = visit(query)
        places = [".say .now", ".terms td", ".cell .value", ".head .word", ".equation .line"]
        size = "e => parseFloat(getComputedStyle(e).fontSize)"
        sizes.append([page.locator(place).first.evaluate(size) for place in places])
    for before, after in zip(*sizes, strict=True):
        assert after == pytest.approx(1.6 * before, rel=0.04)


def test_the_work_follows_the_step(visit):
    page, costs = visit("work=1&algorithm=forward"), work(4, 5)
    page.locator(".scroll").focus()
    for cost in costs:
        line = page.locator(".work .now").inner_text()
        assert f"= {cost.prefixes:,} tag prefixes" in line
        assert f"{cost.enumeration:,} additions one by one" in line
        assert f"{cost.recursion:,} by the recursion" in line
        page.keyboard.press("PageDown")


def test_a_change_of_mind_is_marked_and_the_old_prefix_drawn(visit):
    page = visit("step=14")
    tick = page.locator(".ticks i")
    assert tick.count() == 1
    gone = page.locator(".abandoned.on")
    page.locator(".scroll").focus()
    seen = []
    for _ in range(6):
        seen.append(gone.count())
        page.keyboard.press("ArrowRight")
    assert seen == [0, 1, 1, 1, 1, 0]
    assert page.locator(".abandoned rect").count() == 3  # DET ADJ NOUN
    page.get_by_role("slider", name="Step").fill("15")
    place, track = tick.bounding_box(), page.locator(".scrub").bounding_box()
    middle = (place["x"] + place["width"] / 2 - track["x"] - 8) / (track["width"] - 16)
    assert middle == pytest.approx(15 / 25, abs=0.01)


def test_ties_are_drawn_as_ties(visit):
    page = visit("example=ties&step=3")
    assert page.locator(".incoming .wins.tied").count() == 2
    assert page.locator(".incoming .between[d]").count() == 2
    assert page.locator(".tie.on").all_text_contents() == ["tie", "tie"][: at(page) - 1]
    assert [row[-1] for row in terms(page)] == ["taken", "tie"]
    assert page.locator(".legend .key", has_text="tie").count() == 1
    assert visit().locator(".legend .key", has_text="tie").count() == 0


def test_a_k_best_path_is_lit_and_can_be_switched_off(visit):
    page = visit("step=20&matrices=1")
    assert page.locator("rect.kbest.on").count() == 5
    assert page.locator("path.kbest.on").count() == 4
    page.get_by_role("button", name="2nd best").click()
    assert not page.locator("rect.kbest").first.is_visible()


def test_messages_stand_between_tokens(visit):
    page = visit("convention=message&algorithm=forward")
    heads = page.locator(".trellis .head").evaluate_all(
        "all => all.map(e => [...e.querySelectorAll('text')].map(t => t.textContent).join(' '))"
    )
    assert heads == ["1 | 2 → old", "2 | 3 → man", "3 | 4 → the", "4 | 5 → boat", "1 the"]
    assert page.locator(".dot.source").count() == 4  # the first token's tags
    page = visit("convention=message&algorithm=backward")
    first = page.locator(".frame").bounding_box()
    page.locator(".scroll").press("PageDown")
    assert page.locator(".frame").bounding_box()["x"] < first["x"]  # from right to left


def test_pair_form_shows_its_one_table(visit):
    page = visit("convention=pair&algorithm=forward&step=9&space=probability")
    assert page.locator(".equation .now rt").inner_text() == "ψ(s′, ADJ, 3)"
    assert page.locator(".terms .group th").inner_text() == "ψ"


STYLED = re.compile(r"var\(|color|oklab|class=|https?://(?!www\.w3\.org)|url\((?!['\"]?#)")


@pytest.mark.parametrize("dark", [False, True])
def test_the_trellis_is_saved_as_it_stands(visit, tmp_path, dark):
    page, trace = visit("step=10", dark=dark), shown()
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "trellis.svg"
    saved.value.save_as(tmp_path / "trellis.svg")
    text = (tmp_path / "trellis.svg").read_text(encoding="utf-8")
    assert not STYLED.search(text)
    root = ElementTree.fromstring(text)
    space = {"s": "http://www.w3.org/2000/svg"}
    assert root.find("s:title", space).text == "Viterbi trellis, 4 tags × 5 tokens"
    assert root.find("s:desc", space).text == sentences(trace)[10]
    drawn = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(trace.tags) <= set(drawn)
    assert sum(text in drawn for text in ("11.00", "14.50")) == 1  # what is computed, no more
    width, height = int(root.get("width")), float(root.get("height"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "trellis.png"
    saved.value.save_as(tmp_path / "trellis.png")
    png = (tmp_path / "trellis.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(png[k : k + 4], "big") for k in (16, 20)]
    assert size == [2 * width, round(2 * height)]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("query", ["predict=on&matrices=1", "convention=pair&space=probability"])
def test_nothing_moves_while_guessing(visit, width, query):
    page = visit(query, width=width)
    below = page.locator(".foot")
    top = below.bounding_box()["y"]
    page.locator(".scroll").focus()
    for index in range(len(shown().steps)):
        assert below.bounding_box()["y"] == top, said(page)
        page.keyboard.press("1" if index % 2 else "Enter")
        assert below.bounding_box()["y"] == top, said(page)
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0


def test_a_small_trellis_fits_a_projector(visit):
    for query in ("predict=on&work=1", "algorithm=forward&space=probability&predict=on"):
        assert visit(query).locator(".stepper").bounding_box()["height"] <= 620


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    "query", ["predict=on&matrices=1&step=10", "step=15&matrices=1", "space=probability&step=20"]
)
def test_accessible(visit, dark, query):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(query, dark=dark)
    found = axe.run(page, {"include": [[["[data-testid=stBidiComponentIsolated]", ".stepper"]]]})
    assert len(found.response["passes"]) > 10  # it did look
    broken = [
        (v["id"], [node["html"][:120] for node in v["nodes"]][:3])
        for v in found.response["violations"]
    ]
    assert not broken
