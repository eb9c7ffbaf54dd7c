"""A lecture while it is presented: it follows the beats, keeps each as it was left, and goes on."""

import re

import pytest

from pages.shared.contents import PAGES
from pages.shared.figures.beat_text import BeatText
from tests.browser.test_presenting import leave, opens

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect
LABELS = BeatText.load(PAGES / "trellis" / "beats.md").labels()


@pytest.mark.thorough
def test_a_lecture_goes_from_lesson_to_lesson_and_back(open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/add?ex=old-man")
    page.locator(".stage .say").wait_for()
    page.keyboard.press("l")
    page.get_by_role("button", name="Plan of 50 minutes").click()
    page.get_by_role("button", name="Present", exact=True).click()
    dialog = page.locator("dialog")
    expect(dialog.locator("[data-figure=flow]")).to_be_visible()
    page.locator("dialog").focus()
    page.keyboard.press("PageDown")
    opens(page, "bet")
    expect(dialog.locator("[data-figure=flow]")).to_have_count(0)
    page.keyboard.press("PageUp")
    expect(dialog.locator("[data-figure=flow]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator('.stage [data-beat="add"]')).to_have_attribute("aria-current", "step")


def test_the_course_leads_from_any_page_to_the_list(visit):
    page = visit("learning")
    page.get_by_text("Course", exact=True).first.click()
    page.get_by_role("link", name="My lecture").click()
    expect(page.get_by_role("button", name="Plan of 20 minutes")).to_be_visible()
    expect(page).to_have_url(re.compile("/structure$"))


@pytest.fixture
def lecture(open_page, app_url):
    """Present a plan from one of its beats, with the speaker's window."""

    def opener(beat, minutes=20):
        page = open_page(f"{app_url}/beat/learning/corpus")
        page.locator(".plan").wait_for(state="attached")
        page.keyboard.press("l")
        page.get_by_role("button", name=f"Plan of {minutes} minutes").click()
        label = LABELS.get(beat, "front page")
        page.locator(".plan .name").get_by_text(label, exact=True).click()
        page.locator(f"dialog .at-{beat}, dialog [data-figure={beat}]").first.wait_for()
        with page.expect_popup() as opened:
            page.keyboard.press("s")
        return page, opened.value

    return opener


def test_the_lecture_goes_along_to_a_beat_that_is_opened_on_the_bar(lecture):
    page, window = lecture("path")
    page.locator('dialog [data-beat="add"]').click()
    expect(window.locator(".note")).to_contain_text("One cell: four ways lead into it")
    expect(window.locator(".planned")).to_have_text("planned: 11 of 20 minutes")
    expect(window.locator(".all [aria-current]")).to_contain_text("add")
    page.locator('dialog [data-beat="both"]').click()  # the lecture lacks it
    expect(window.locator(".current")).to_have_text("from the right")
    expect(window.locator(".note")).to_have_text("This beat is not in the lecture.")
    expect(window.locator(".planned")).to_have_text("planned: 11 of 20 minutes")
    page.keyboard.press("Shift+N")
    opens(page, "add")
    expect(window.locator(".note")).to_contain_text("One cell: four ways lead into it")
    page.locator('dialog [data-beat="both"]').click()
    expect(window.locator(".current")).to_have_text("from the right")
    page.keyboard.press("n")
    opens(page, "logz")
    expect(window.locator(".note")).to_contain_text("Take bets, then drag the score")
    page.locator('dialog [data-beat="bet"]').click()  # only before the current place
    expect(window.locator(".planned")).to_have_text("planned: 3 of 20 minutes")


def test_the_last_of_many_keys_decides_where_the_lecture_is(lecture):
    page, window = lecture("flow", minutes=50)
    held = []
    page.route("**/draw/trellis/bet", lambda route: held.append(route))
    with page.expect_request("**/draw/trellis/bet"):
        page.keyboard.press("n")
    page.keyboard.press("Shift+N")
    while not held:  # a request is told of before its route is
        page.wait_for_timeout(10)
    with page.expect_response("**/draw/trellis/bet"):
        held.pop().continue_()
    page.unroute("**/draw/trellis/bet")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert page.locator("dialog [data-figure=flow]").is_visible()
    for key in ("n", "n", "n", "Shift+N", "n", "n"):
        page.keyboard.press(key)
    opens(page, "regroup")
    expect(window.locator(".note")).to_contain_text("Four products")


def test_p_takes_a_lecture_up_where_it_was_left(lecture):
    page, window = lecture("path")
    page.keyboard.press("n")
    opens(page, "count")
    page.keyboard.press("Escape")
    expect(window.locator(".current")).to_have_text("Nothing is being presented")
    page.reload()  # leaves it, too
    page.locator(".stage .say").first.wait_for(state="attached")
    assert page.locator("dialog").count() == 0
    page.keyboard.press("p")
    opens(page, "count")
    expect(window.locator(".planned")).to_have_text("planned: 6 of 20 minutes")
    leave(page)
    page.keyboard.press("l")
    page.locator(".plan .lecture-present").click()  # starts again
    opens(page, "bet")
    leave(page)
    page.keyboard.press("l")
    page.keyboard.press("p")  # its list is open: also from the beginning
    opens(page, "bet")
    leave(page)
    page.keyboard.press("l")
    page.locator(".plan .name").last.click()
    opens(page, "meet")
    page.keyboard.press("n")
    expect(page.locator("dialog .message")).to_have_text("That was the last beat of the lecture.")
    leave(page)
    page.keyboard.press("l")
    for _ in range(9):
        page.locator(".plan .lecture-remove").first.click()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    opens(page, "corpus")


def test_a_beat_of_a_lecture_keeps_the_state_in_which_it_was_left(lecture):
    page, _ = lecture("path")
    flipped = page.locator('dialog .cell[data-token="2"][data-tag="NOUN"]')
    flipped.click()
    expect(flipped).to_have_class(re.compile("lit"))
    page.keyboard.press("n")
    opens(page, "count")
    page.locator('dialog [data-option="never"]').click()
    expect(page.locator("dialog .answer")).to_contain_text("Right")
    page.keyboard.press("Shift+N")
    opens(page, "path")
    expect(flipped).to_have_class(re.compile("lit"))
    page.locator('dialog [data-beat="mind"]').click()
    opens(page, "mind")
    page.locator('dialog [data-beat="path"]').click()
    opens(page, "path")
    score = page.locator('dialog [data-score="e:1:NOUN"]')
    before = score.text_content()
    score.focus()
    page.keyboard.press("ArrowUp")
    leave(page)  # before the answer is there
    page.keyboard.press("p")
    opens(page, "path")
    expect(flipped).to_have_class(re.compile("lit"))
    expect(score).not_to_have_text(before)
    page.keyboard.press("Control+z")
    expect(score).to_have_text(before)
    page.keyboard.press("Control+z")
    expect(flipped).not_to_have_class(re.compile("lit"))
    page.keyboard.press("n")
    opens(page, "count")
    expect(page.locator("dialog .answer")).to_contain_text("Right")


def test_a_page_that_is_loaded_again_keeps_the_lecture_as_it_was(lecture):
    page, _ = lecture("path")
    flipped = page.locator('dialog .cell[data-token="2"][data-tag="NOUN"]')
    flipped.click()
    expect(flipped).to_have_class(re.compile("lit"))
    page.keyboard.press("n")
    opens(page, "count")
    page.locator('dialog [data-option="never"]').click()
    expect(page.locator("dialog .answer")).to_contain_text("Right")
    page.reload()
    opens(page, "count")
    expect(page.locator("dialog .answer")).to_contain_text("Right")
    page.keyboard.press("Shift+N")
    opens(page, "path")
    expect(flipped).to_have_class(re.compile("lit"))
    page.keyboard.press("Control+z")
    expect(flipped).not_to_have_class(re.compile("lit"))


def test_the_bar_leads_to_a_beat_as_it_was_left(lecture):
    page, _ = lecture("add")
    score = page.locator('dialog [data-score="e:2:VERB"]')
    before = score.text_content()
    score.focus()
    page.keyboard.press("ArrowUp")
    expect(score).not_to_have_text(before)
    page.locator('dialog [data-beat="best"]').click()
    opens(page, "best")
    expect(score).to_have_text(before)
    page.locator('dialog [data-beat="add"]').click()
    opens(page, "add")
    expect(score).not_to_have_text(before)


def test_from_a_beat_that_is_not_in_the_lecture_keys_lead_back_to_its_last_one(lecture):
    page, _ = lecture("meet")
    page.locator('dialog [data-beat="learn"]').click()
    opens(page, "learn")
    page.keyboard.press("n")
    opens(page, "meet")


def test_a_beat_that_the_lecture_lacks_is_added_at_its_place_and_black_is_said(lecture):
    page, window = lecture("add")
    page.locator('dialog [data-beat="both"]').click()
    expect(window.locator(".note")).to_have_text("This beat is not in the lecture.")
    page.keyboard.press("a")
    expect(window.locator(".all li")).to_have_count(10)
    expect(window.locator(".all [aria-current]")).to_contain_text("from the right")
    page.keyboard.press("b")
    expect(window.locator(".said")).to_have_text("The screen is black; B shows the beat again.")
    page.keyboard.press("b")
    page.keyboard.press("n")
    opens(page, "logz")


def test_a_lecture_is_in_the_notation_of_the_page_and_in_what_is_switched_to(open_page, app_url):
    page = open_page(f"{app_url}/beat/trellis/textbook?ex=old-man&form=message")
    page.locator(".stage .say").wait_for()
    page.keyboard.press("l")
    page.get_by_role("button", name="Plan of 20 minutes").click()
    page.locator(".plan .name").get_by_text(LABELS["add"], exact=True).click()
    cell = page.locator('dialog .cell[data-token="2"][data-tag="DET"]')
    result = page.locator("dialog .slot .equation b").last
    expect(page.locator("dialog [data-form=message]")).to_have_attribute("aria-pressed", "true")
    expect(cell).to_contain_text("5.99")
    page.locator("dialog [data-scale=potential]").click()
    expect(result).to_have_text("398")
    page.locator('dialog [data-beat="best"]').click()  # which is as this course writes it
    expect(page.locator("dialog [data-form=message]")).to_be_disabled()
    page.locator('dialog [data-beat="add"]').click()
    expect(cell).to_contain_text("398")
