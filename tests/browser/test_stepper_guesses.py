"""Predict, then see: guesses, covered answers and parts that a teacher leaves out."""

import pytest

from pages.shared.figures.narration import questions, sentences
from tests.browser.stepper_helpers import at, said, terms, values, visitor
from tests.browser.stepper_page import shown


@pytest.fixture
def visit(serve, open_page):
    return visitor(serve, open_page)


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
    assert page.locator(".equation .now .result").inner_text() == "?"
    assert page.locator(".incoming .wins").count() == 0
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


def test_no_mark_tells_the_result_while_it_is_guessed(visit):
    page = visit("predict=off&step=19")  # the last column is complete
    results = ".rings .greedy.on, .ticks i, .paths .abandoned, button.key, .of-abandoned"
    marks = page.locator(results)
    assert marks.count() > 8
    assert page.locator(".rings .greedy.on").count() == len(shown().tokens)
    assert page.locator(".ticks i").first.is_visible()
    guess = page.get_by_role("button", name="Guess first")
    page.locator(".more summary").click()
    guess.click()
    assert [mark for mark in marks.all() if mark.is_visible()] == []
    samples = page.locator("button.key")
    assert set(samples.evaluate_all("a => a.map(e => getComputedStyle(e).opacity)")) == {"0"}
    guess.click()
    assert page.locator(".rings .greedy.on").last.is_visible()


def test_rings_come_with_their_columns(visit):
    page = visit("step=7")
    rings = page.locator(".rings .greedy.on")
    assert rings.count() == 2
    page.locator(".scroll").press("ArrowRight")
    assert rings.count() == 2  # of the third column there is one cell
    page.locator(".scroll").press("PageDown")
    assert rings.count() == 3


def test_any_of_the_tied_is_right(visit):
    page = visit("predict=on&example=ties&step=3")
    page.locator(".scroll").press("2")
    assert page.locator(".verdict").inner_text() == "✓ Right."


def test_guessing_is_switched_on_by_the_reader(visit):
    assert visit("step=10").get_by_role("button", name="Guess first").count() == 0
    page = visit("step=10&predict=off")
    assert values(page)[-1] == "11.00"
    page.locator(".more summary").click()
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
        ("values", ".value, .behind, .legend .scale"),
        ("terms", ".terms"),
        ("equation", ".equation"),
        ("sentence", ".say"),
        ("controls", ".more"),
    ],
)
def test_parts_are_left_out(visit, part, gone):
    page = visit(f"step=10&hide={part}")
    for place in page.locator(gone).all():
        assert not place.is_visible()
    others = {".equation", ".terms", ".say", ".more"} - set(gone.split(", "))
    for place in others:
        assert page.locator(place).is_visible()
    fills = page.locator(".cell.told rect").evaluate_all(
        "a => a.map(e => getComputedStyle(e).fill)"
    )
    assert (len(set(fills[1:])) == 1) == (part == "values")  # no colour tells, either


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("query", ["predict=on", "convention=pair&space=probability"])
def test_nothing_moves_while_guessing(visit, width, query):
    page = visit(query, width=width)
    below = page.locator(".behind")
    top = below.bounding_box()["y"]
    page.locator(".scroll").focus()
    for index in range(len(shown().steps)):
        assert below.bounding_box()["y"] == top, said(page)
        page.keyboard.press("1" if index % 2 else "Enter")
        assert below.bounding_box()["y"] == top, said(page)
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
