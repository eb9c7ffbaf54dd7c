"""The three lessons on recursions in a browser: a score that is dragged, an exact address."""

import re

import pytest
from playwright.sync_api import expect

from pages.shared.course.problem import Problem
from pages.shared.course.problem_files import to_json

CELL = "input.score[aria-label='From ADJ to NOUN']"


@pytest.fixture
def visit(app_url, open_page):
    def opened(address, **options):
        page = open_page(f"{app_url}/{address}", **options)
        page.locator(".stepper .cell.on").first.wait_for()
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        return page

    return opened


def standing(page, line=0):
    return " ".join(page.locator(".standing .line").nth(line).inner_text().split())


def drag(page, cell, up, *, release=True):
    """Move a score by this many pixels, in steps as a hand does."""
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 11):
        page.mouse.move(x, y - up * k / 10)
        page.wait_for_timeout(30)
    if release:
        page.mouse.up()


def test_a_score_is_dragged_compared_and_taken_back(visit):
    page = visit("viterbi")
    page.locator(".stepper .scrub").press("End")
    page.wait_for_url(re.compile("step=25"))
    assert "best path DET NOUN VERB DET NOUN p 0.649 log Z 19.43" in standing(page)
    page.get_by_role("button", name="Pin as A").click()
    page.locator(".standing .side", has_text="B").wait_for()
    cell = page.locator(CELL)
    assert cell.input_value() == "1.5"
    drag(page, cell, 80, release=False)
    page.locator(".standing .changed").first.wait_for()
    assert cell.input_value() == "3.5"
    page.locator(".standing .line", has_text="DET ADJ NOUN DET NOUN").wait_for()
    assert "DET NOUN VERB DET NOUN" in standing(page, 0)  # A stays as it was
    assert "old-man" in page.url or "ex=" not in page.url.split("&a=")[0]
    assert "&a=" not in page.url  # nothing is kept before the hand lets go
    assert page.locator(".stepper .count").inner_text() == "26 / 26"
    page.mouse.up()
    page.wait_for_url(re.compile("&a="))
    assert page.locator(".stepper .count").inner_text() == "26 / 26"
    assert page.locator(".cell.differs").count() > 3
    page.keyboard.press("Control+z")
    page.wait_for_url(re.compile(r"viterbi\?pin=old-man&step=25$"))
    expect(cell).to_have_value("1.5")
    page.keyboard.press("Control+Shift+z")
    expect(cell).to_have_value("3.5")
    page.keyboard.press("Control+z")
    expect(cell).to_have_value("1.5")
    page.get_by_role("button", name="Redo").wait_for()
    page.keyboard.press("ArrowUp")
    page.wait_for_url(re.compile(r"\?.*1\.6"))
    assert page.get_by_role("button", name="Undo").is_enabled()
    expect(page.get_by_role("button", name="Redo")).to_have_count(0)  # another way was taken
    page.reload()
    page.locator(".standing .side", has_text="B").wait_for()
    assert "DET NOUN VERB DET NOUN" in standing(page, 0)


def test_the_address_gives_exactly_this_again(visit):
    page = visit("viterbi?draw=greedy&convention=message")
    for _ in range(3):  # from anywhere on the page, on from its first column
        page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("step=6"))
    before, said = page.url, page.locator(".say .now").inner_text()
    page.reload()
    page.locator(".count", has_text="7 / ").wait_for()
    assert (page.url, page.locator(".say .now").inner_text()) == (before, said)
    assert page.locator(".legend .key", has_text="Greedy").count() == 1
    page.get_by_text("Textbook variants").wait_for()
    chosen = page.get_by_role("radio", name="Message")
    chosen.wait_for()
    assert chosen.is_checked()
    page.get_by_text("Recursions").first.click()  # by the menu to another lesson
    page.locator("a[href*=forward]").first.click()
    page.get_by_role("heading", name="Forward", exact=True).wait_for()
    page.locator(".stepper .cell.on").first.wait_for()
    page.locator(".count", has_text="4 / ").wait_for()  # a step does not leak
    assert page.get_by_role("radio", name="Message").is_checked()
    page.get_by_role("button", name="Next step").click()
    page.wait_for_url(re.compile("step=4"))
    page.go_back()
    page.get_by_role("heading", name="Viterbi", exact=True).wait_for()
    page.locator(".count", has_text="7 / ").wait_for()
    page.go_forward()
    page.get_by_role("heading", name="Forward", exact=True).wait_for()
    page.locator(".count", has_text="5 / ").wait_for()  # where one stepped, without a run since


def test_backward_fits_a_screen_and_a_phone_and_its_parts_follow_a_step_and_a_score(visit):
    page = visit("backward?step=9&as=heat")
    for part in (".trellis", ".say", ".terms", ".standing"):
        box = page.locator(f".stepper {part}").bounding_box()
        assert box["y"] + box["height"] <= 722, part
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    means = page.locator("[data-means]")
    expect(means).not_to_be_empty()
    means.evaluate("place => place.replaceWith(place.cloneNode(false))")  # the text came late
    expect(means).not_to_be_empty()
    page.locator(".stepper .scrub").press("Home")
    heat = page.locator("[data-figure=heat] button[aria-label^='p(old = ADJ)']")
    before = heat.inner_text()
    page.locator("summary", has_text="How is it written in code?").click()
    marked = page.locator(".crf-listing .crf-runs")  # the textbook's lines
    expect(marked).to_have_text(["    beta_e = eos"])
    page.locator(".stepper .scrub").press("End")
    expect(marked).to_have_text([re.compile("return torch.logsumexp")])
    drag(page, page.locator(CELL), 80, release=False)
    expect(heat).not_to_have_text(before)
    page.mouse.up()

    page = visit("backward?step=20&convention=message&space=probability", width=390, height=844)
    assert page.evaluate("document.scrollingElement.scrollWidth - innerWidth") <= 0
    box = page.locator(".stepper .trellis").bounding_box()
    assert box["y"] + box["height"] <= 844
    products = page.locator("[data-products]")  # the last of them is the probability of a tag
    products.locator("table").wait_for()
    assert products.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_settings_a_file_and_show_everything(visit, tmp_path):
    page = visit("forward")
    box = page.locator(".more")
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.locator("h1").click()):
        box.locator("summary").click()
        assert box.locator(".speed option").count() == 3
        assert box.locator(".speed").input_value() == "1"
        close()
        expect(page.locator(".more[open]")).to_have_count(0)
    page.get_by_role("button", name="Emissions").click()
    page.locator(".naming").click()
    last = page.locator(".emissions input.score").last
    last.focus()
    for _ in range(3):  # below it is the button that deletes the word
        page.keyboard.press("Enter")
    expect(last).to_be_focused()

    saved = tmp_path / "mine.json"
    saved.write_text(to_json(Problem.blank(("A", "B"), ("u", "v"))))
    button = page.get_by_role("button", name="Problem: ")
    button.click()
    page.locator("input[type=file]").set_input_files(saved)
    expect(button).to_contain_text("the file mine.json")
    page.keyboard.press("Escape")
    expect(page.locator(".stepper .legend")).to_be_hidden()
    page.get_by_text("Show everything").click()
    expect(page.locator(".stepper .legend")).to_be_visible()
    expect(page).to_have_url(re.compile("all=1"))
    page.get_by_text("Textbook variants").click()
    page.get_by_role("radio", name="Message").wait_for()
    expect(button).to_contain_text("the file mine.json")  # whatever is unfolded
    button.click()
    page.get_by_role("combobox", name="Worked example").click()
    page.get_by_role("option", name="They can fish").click()
    expect(button).to_contain_text("They can fish")
    page.get_by_role("button", name="Undo").first.click()
    expect(button).to_contain_text("the file mine.json")

    server = page.url.split("/forward")[0]
    page.goto(f"{server}/scores")  # the browser keeps it
    expect(page.get_by_text("How is the score linear")).to_be_visible()
    page.goto(f"{server}/scores?all=0")  # what the link says comes first
    expect(page.get_by_text("Show everything")).to_be_visible()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(500)  # the browser would have said it by now
    expect(page.get_by_text("How is the score linear")).to_be_hidden()
