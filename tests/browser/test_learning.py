"""Learning by doing in a real browser: fill the column, practise, and the teacher's link."""

import itertools
import math
import re

import pytest

from benchmarks.serving import running
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.exercises import Exercise
from tests.browser.stepper_helpers import at

OLD_MAN = EXAMPLES["old-man"].problem
TAGS = range(len(OLD_MAN.tags))
FILL, PRACTICE, BUILDER = "Fill the column", "Practice", "For teachers: a link to exactly this"


def alpha(problem, t, s, matrix=None):
    """log of the sum over all prefixes that end in tag s at token t; the last step by `matrix`."""
    total = 0.0
    for before in itertools.product(range(len(problem.tags)), repeat=t):
        path = (*before, s)
        score = problem.start[path[0]] + sum(problem.emissions[k][y] for k, y in enumerate(path))
        for k, (i, j) in enumerate(itertools.pairwise(path), 1):
            score += (matrix if matrix and k == t else problem.transitions)[i][j]
        total += math.exp(score)
    return math.log(total)


MAN = 2  # the column that the page begins with


def columns(matrix=None):
    return [f"{alpha(OLD_MAN, MAN, s, matrix):.3f}" for s in TAGS]


RIGHT, TRANSPOSED = columns(), columns(list(zip(*OLD_MAN.transitions, strict=True)))


@pytest.fixture
def open_lesson(open_page, app_url):
    def opener(query="", **options):
        page = open_page(f"{app_url}/forward{query}", **options)
        ready(page)
        return page

    return opener


def ready(page):
    page.locator(".stepper .count").filter(has_text="/").wait_for(state="attached", timeout=30_000)
    page.get_by_role("heading", name=PRACTICE).wait_for()
    page.locator("footer.crf-footer").wait_for()


def form(page):
    """The form of the column."""
    first = page.get_by_label(re.compile("^log α\u0302?\\("))
    return page.get_by_test_id("stForm").filter(has=first).first  # the exercise's comes after


def type_column(page, typed):
    """By keyboard alone, from the first field on."""
    form(page).get_by_role("textbox").first.focus()
    for k, text in enumerate(typed):
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
        page.keyboard.press("Enter" if k == len(typed) - 1 else "Tab")


def alert(page, text):
    page.get_by_test_id("stAlert").filter(has_text=text).wait_for()


def switch(page, name):
    page.get_by_role("radio", name=name).locator("xpath=..").click()


def sees_no(page, text):
    from playwright.sync_api import expect

    expect(page.get_by_text(text)).to_have_count(0)


def test_a_planted_error_is_diagnosed_and_mended_by_keyboard_alone(open_lesson):
    page = open_lesson()
    labels = [box.get_attribute("aria-label") for box in form(page).get_by_role("textbox").all()]
    assert labels == [f"log α̂(man, {tag})" for tag in OLD_MAN.tags]
    assert RIGHT != TRANSPOSED
    type_column(page, TRANSPOSED)
    alert(page, "transposed transitions: T[i, j] goes from row i to column j")
    wrong = sum(abs(float(a) - float(b)) > 0.01 for a, b in zip(RIGHT, TRANSPOSED, strict=True))
    assert form(page).get_by_text("✗").count() == wrong
    assert page.get_by_text("Show the answer").count() == 0
    type_column(page, [RIGHT[0], *TRANSPOSED[1:]])
    page.get_by_text("Show the answer").wait_for()
    type_column(page, RIGHT)
    alert(page, "All right.")
    assert form(page).get_by_text("✓ Right.").count() == len(RIGHT)
    sees_no(page, "Show the answer")


def test_the_answer_that_is_shown_is_right(open_lesson):
    page = open_lesson()
    for typed in (TRANSPOSED, TRANSPOSED[::-1]):
        type_column(page, typed)
        alert(page, "")
    page.get_by_text("Show the answer").click()
    row = page.locator("table", has_text="The answer").locator("td").all_inner_texts()[1:]
    assert row == [f"{alpha(OLD_MAN, MAN, s):.2f}".replace("-", "−") for s in TAGS]


def test_entries_stay_while_the_reader_steps_and_go_with_the_problem(open_lesson):
    from playwright.sync_api import expect

    page = open_lesson()
    type_column(page, TRANSPOSED)
    alert(page, "transposed")
    page.locator(".stepper .scroll").focus()
    page.keyboard.press("ArrowRight")
    switch(page, "Pair")
    expect(form(page).get_by_role("textbox").first).to_have_value("")
    sees_no(page, "transposed transitions")


class TestPractice:
    def test_a_link_opens_the_exercise_and_the_right_answer_passes(self, open_lesson):
        exercise = Exercise(31, "log-z", "medium")
        page = open_lesson("?ask=log-z&n=31&of=medium")
        field = page.get_by_label("log Z", exact=True)
        field.fill("0")
        field.press("Enter")
        alert(page, "Off by")
        page.get_by_text("Show the calculation").click()
        page.get_by_text(exercise.answer().lines[0]).wait_for()
        field.fill(f"{exercise.answer().numbers[0]:.3f}")
        field.press("Enter")
        alert(page, "Right.")

    def test_new_numbers_are_in_the_address(self, open_lesson):
        from playwright.sync_api import expect

        page = open_lesson()
        page.get_by_role("button", name="New numbers").click()
        page.wait_for_url("**ask=forward&n=**")
        number = re.search(r"n=(\d+)", page.url)[1]
        expect(page.get_by_label("Number", exact=True)).to_have_value(number)
        page.reload()
        ready(page)
        expect(page.get_by_label("Number", exact=True)).to_have_value(number)

    def test_another_lesson_has_an_exercise_of_its_own(self, open_lesson):
        page = open_lesson("?ask=log-z&n=3")
        menu = page.get_by_test_id("stTopNavLink")
        menu.filter(has_text="Viterbi").click()
        page.wait_for_url("**/viterbi?**")
        ready(page)
        page.get_by_label("tag of w").wait_for()
        assert "ask=" not in page.url
        sees_no(page, "exercise that is not here")
        menu.filter(has_text="Forward").click()
        page.wait_for_url("**/forward?**ask=log-z&n=3**")
        page.get_by_label("log Z", exact=True).wait_for()

    def test_its_problem_becomes_the_lesson_s(self, open_lesson):
        page = open_lesson("?ask=forward&n=4&of=medium")
        page.get_by_role("button", name="Open this problem in the lesson").click()
        page.get_by_text("On screen: the exercise “Forward column, medium, number 4”.").wait_for()
        page.get_by_role("button", name="Undo").click()
        page.wait_for_url("**ex=old-man**")

    def test_what_is_on_screen_is_told_in_one_line(self, open_lesson):
        page = open_lesson("?sentence=" + "The+old+man+sees+a+boat+" * 6 + ".&tagger=local")
        line = page.locator(".crf-origin")
        assert line.evaluate("e => e.scrollWidth > e.clientWidth")
        lines = "e => e.clientHeight / parseFloat(getComputedStyle(e).fontSize)"
        assert line.evaluate(lines) < 2
        assert line.get_attribute("title").endswith("sees a boat .”.")

    def test_a_sheet(self, open_lesson, open_page, tmp_path):
        page = open_lesson()
        page.get_by_role("button", name="A sheet to print").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Download the sheet").click()
        name = "crf-exercises-forward-log-z-small-1-to-6.html"
        assert download.value.suggested_filename == name
        sheet = tmp_path / "sheet.html"
        download.value.save_as(sheet)
        text = sheet.read_text(encoding="utf-8")
        assert "1. Forward column, small, number 1" in text
        assert "6. log Z, small, number 6" in text


def build(page):
    page.get_by_role("button", name=BUILDER).click()
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    return dialog


def test_a_teacher_s_link_opens_the_same_on_a_cold_server(open_lesson, open_page, tmp_path):
    from playwright.sync_api import expect

    page = open_lesson("?ex=can-fish")
    switch(page, "Message")
    steps = len(EXAMPLES["can-fish"].problem.trace(convention="message").steps)
    expect(page.locator(".stepper .count")).to_have_text(f"1 / {steps}")
    page.locator(".stepper .scroll").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert at(page) == 4
    page.wait_for_timeout(600)  # the step is reported when the reader rests
    dialog = build(page)
    dialog.get_by_text(f"Start at the step on screen (5 of {steps})").wait_for()
    dialog.get_by_text("the terms", exact=True).click()
    dialog.get_by_text("examples, editor and switches").click()
    dialog.get_by_text("projector", exact=True).click()
    code = dialog.get_by_test_id("stCode")
    code.filter(has_text="size=1.6").filter(has_text="controls~terms").wait_for()
    link = code.inner_text().strip()
    assert link.startswith(page.url.split("?")[0])

    with running("app.py", tmp_path / "log") as cold:
        opened = open_page(cold + link[link.index("/forward") :])
        opened.locator(".stepper .count").filter(has_text="/").wait_for(
            state="attached", timeout=60_000
        )
        opened.get_by_role("heading", name=PRACTICE).wait_for()
        assert at(opened) == 4
        assert opened.locator(".stepper .terms tbody tr:visible").count() == 0
        assert opened.get_by_role("radio", name="Message").count() == 0
        assert opened.get_by_text("Worked example").count() == 0
        size = opened.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
        normal = page.evaluate("parseFloat(getComputedStyle(document.documentElement).fontSize)")
        assert size == pytest.approx(1.6 * 16, abs=2)
        assert size > 1.4 * normal
        assert "convention=message" in opened.url
        opened.get_by_role("button", name="Show everything").click()
        opened.get_by_role("radio", name="Message").wait_for(state="attached")
        assert opened.get_by_role("radio", name="Message").is_checked()
        assert "ex=can-fish" in opened.url


def test_show_me_and_answers_kept_back(open_lesson):
    page = open_lesson()
    dialog = build(page)
    dialog.get_by_text("answers, until asked for").click()
    page.get_by_test_id("stCode").filter(has_text="hide=answers").wait_for()
    dialog.get_by_role("button", name="Show me").click()
    page.get_by_role("button", name="Show everything").wait_for()
    sees_no(page, "A sheet to print")
    for _ in range(3):
        type_column(page, TRANSPOSED)
        alert(page, "transposed")
    sees_no(page, "Show the answer")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_accessible(open_lesson, dark):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = open_lesson(dark=dark)
    for _ in range(2):
        type_column(page, TRANSPOSED)
        alert(page, "transposed")
    page.get_by_text("Show the terms of one cell").click()
    page.get_by_text("Show the answer").click()
    clean(axe, page)
    build(page)
    page.wait_for_timeout(500)  # the dialog fades in
    clean(axe, page)


def clean(axe, page):
    found = axe.run(page).response["violations"]
    assert not [(v["id"], [node["target"] for node in v["nodes"]][:5]) for v in found]


@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(open_lesson, width):
    page = open_lesson(width=width, height=720)
    type_column(page, TRANSPOSED)
    alert(page, "transposed")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth")
    for control in form(page).get_by_role("button").all():
        assert control.bounding_box()["height"] >= 24
