"""Linked views: term, cell, edge and table entry light each other, by mouse and by keyboard."""

import pytest

from tests.browser.stepper_helpers import at, visitor
from tests.browser.stepper_page import shown


@pytest.fixture
def visit(serve, open_page):
    return visitor(serve, open_page)


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


@pytest.mark.parametrize("semiring", ["sum", "max"])
def test_the_terms_end_in_what_is_added_once_and_the_cells_value(visit, semiring):
    algorithm = "viterbi" if semiring == "max" else "forward"
    run = shown(algorithm=algorithm, semiring=semiring)
    page = visit(f"algorithm={algorithm}&semiring={semiring}&step=10")
    last = page.locator(".terms tfoot tr").inner_text()
    (emission,) = run.steps[10].added
    for value in (emission.value, run.steps[10].log_value):
        assert f"{value:.2f}".replace("-", "−") in last
    assert page.locator(".incoming path.boundary[d]").count() == 0
    page.locator(".scroll").press("Home")
    assert page.locator(".incoming path.boundary[d]").count() == 1  # from START, in its colour


def test_who_steps_while_another_trace_is_on_its_way_is_not_sent_back(visit):
    page = visit()
    further = page.get_by_role("checkbox").element_handle()
    page.locator(".scroll").focus()
    for press in range(20):
        page.keyboard.press("ArrowRight")
        if press == 0:
            further.evaluate("(box) => box.click()")  # leaves the focus where it is
        page.wait_for_timeout(60)
    assert page.get_by_role("checkbox").is_checked()
    page.wait_for_timeout(1500)
    assert at(page) == 20
