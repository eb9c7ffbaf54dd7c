"""What the lessons ask of the drawing: potentials, ties, messages, sizes, files."""

import re
from xml.etree import ElementTree

import pytest

from pages.shared.course.brute_force import work
from pages.shared.course.numbers import format_potential
from pages.shared.figures.narration import sentences
from tests.browser.stepper_helpers import at, said, terms, values, visitor
from tests.browser.stepper_page import shown


@pytest.fixture
def visit(serve, open_page):
    return visitor(serve, open_page)


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
    assert "No column is complete" in page.locator(".work .now").inner_text()
    for cost in costs:
        for _ in range(3):  # to the last cell of the column
            page.keyboard.press("ArrowRight")
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
    keys = page.locator(".legend .key").all_inner_texts()
    page.get_by_role("button", name=keys[-1]).click()  # switched off: not in the picture
    with page.expect_download() as saved:
        page.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "viterbi-trellis-state-form-4-tags-5-tokens.svg"
    saved.value.save_as(tmp_path / "trellis.svg")
    text = (tmp_path / "trellis.svg").read_text(encoding="utf-8")
    assert not STYLED.search(text)
    root = ElementTree.fromstring(text)
    space = {"s": "http://www.w3.org/2000/svg"}
    assert root.find("s:title", space).text == "Viterbi trellis, state form, 4 tags × 5 tokens"
    assert root.find("s:desc", space).text == sentences(trace)[10]
    drawn = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert set(trace.tags) <= set(drawn)
    assert len(keys) > 3
    assert set(keys[:-1]) <= set(drawn)
    assert keys[-1] not in drawn
    assert sum(text in drawn for text in ("11.00", "14.50")) == 1  # what is computed, no more
    width, height = int(root.get("width")), float(root.get("height"))
    with page.expect_download() as saved:
        page.get_by_role("button", name="PNG").click()
    assert saved.value.suggested_filename == "viterbi-trellis-state-form-4-tags-5-tokens.png"
    saved.value.save_as(tmp_path / "trellis.png")
    png = (tmp_path / "trellis.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    size = [int.from_bytes(png[k : k + 4], "big") for k in (16, 20)]
    assert size == [2 * width, round(2 * height)]


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
