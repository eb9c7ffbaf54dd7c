"""A lecture in a browser: presented by keyboard alone, with the speaker's window beside it."""

import html
import json
import re

import pytest
from playwright.sync_api import expect

from benchmarks.browsing import until
from pages.lecture.listing import example
from tests.browser.scripts import script

# Whether the stop on screen has been fitted, and how far its picture goes beyond the window.
BEYOND = script("beyond")

TOLD = """() => [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map((host) => host.shadowRoot?.querySelector('iframe.here')).find(Boolean)
  ?.contentWindow.location.search.includes('told=1')"""  # the address of the stop on screen
# Notes from now on what the class sees of each stop: its size, and by how many pixels a text of it
# is beyond the screen, or has to be scrolled to.
WATCH = script("watch")
ANSWERS = {  # what comes at a key, by the number of the stop
    1: "It is: ‘old’.",
    5: "log α̂ of man",
    6: "14 / 26",
    8: "8 / 9",
    11: "Following the backpointers",
}
RINGS = "e => e.getRootNode().querySelectorAll(':focus-visible, .cell.lit').length"


@pytest.fixture
def presenting(app_url, open_page):
    def start(first=1, **options):
        page = open_page(f"{app_url}/lecture", **options)
        page.get_by_role("button", name="Start from the 50-minute plan").click()
        if first > 1:
            page.get_by_role("button", name=f"{first}. ").click()
        name = f"Present from stop {first}" if first > 1 else "Present"
        page.get_by_role("button", name=name, exact=True).click(timeout=60_000)
        page.locator("iframe.here").wait_for(timeout=60_000)
        return page

    return start


def where(page):
    return page.locator(".stage .where")


def fitted(page):
    """Nothing of the picture is beyond the window, once it has settled."""
    condition = (
        f"() => {{ const beyond = ({BEYOND})(); return beyond && Math.max(...beyond) <= 1; }}"
    )
    until(page, condition, 60.0)


@pytest.mark.parametrize(
    "size", [(1280, 720), pytest.param((1024, 768), marks=pytest.mark.thorough)], ids=str
)
def test_stops_are_fitted_and_turned_by_keys_alone(presenting, size):
    page = presenting(6, width=size[0], height=size[1])
    inside = page.frame_locator("iframe.here")

    def is_at(said):
        expect(where(page)).to_have_text(said, timeout=60_000)

    def press(key, step):
        page.keyboard.press(key)
        is_at(f"step {step} of 26 · 6 / 11")

    is_at("step 13 of 26 · 6 / 11")
    fitted(page)
    for key, step in (("ArrowRight", 14), (" ", 15), ("PageUp", 14)):
        press(key, step)
    for key, step in (("PageUp", 13), (" ", 14), ("ArrowLeft", 13)):  # wherever one has clicked
        inside.locator(".legend").click(position={"x": 5, "y": 5})  # not under the stage's buttons
        press(key, step)
    ringed = """e => {
      e.focus();
      return [e.matches(':focus-visible'), getComputedStyle(e, '::before').content];
    }"""
    assert inside.get_by_test_id("stMain").evaluate(ringed) == [True, "none"]  # no frame
    page.keyboard.press("PageUp")  # where the stop began: to the one before
    is_at("5 / 11")
    press("n", 13)
    blank = page.locator(".stage .blank")
    for key in ("PageDown", "x", "Escape"):  # each brings the picture back, and does nothing else
        page.keyboard.press("b")
        page.keyboard.press("Shift")
        expect(blank).to_be_visible()
        press(key, 13)
        expect(blank).to_be_hidden()
    for _ in range(31):  # held down: to the end of the stop, and no further
        page.keyboard.down("ArrowRight")
    page.keyboard.up("ArrowRight")
    is_at("step 26 of 26 · 6 / 11")
    page.keyboard.press("n")
    is_at(re.compile("7 / 11"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Present from stop 7").click()
    is_at(re.compile("7 / 11"))
    page.wait_for_url("**present=1*")
    page.reload()  # as remotes do when they begin: the class sees no list
    is_at(re.compile("7 / 11"))
    page.keyboard.press("p")
    is_at(re.compile("6 / 11"))
    press("ArrowRight", 13)  # what is not seen yet is not taken on
    press("ArrowRight", 14)
    page.wait_for_url("**stop=6*")
    page.reload()  # and no step back
    is_at("step 14 of 26 · 6 / 11")
    page.goto("about:blank")
    page.go_back()
    is_at("step 14 of 26 · 6 / 11")
    page.keyboard.press("p")
    press("n", 14)


OTHERS = [pytest.param(stop, marks=pytest.mark.thorough) for stop in (1, 6, 8)]


@pytest.mark.parametrize("stop", [5, 11, *OTHERS])
def test_a_class_sees_a_picture_whole_and_its_answer_as_large(presenting, stop):
    page = presenting(stop)
    page.evaluate(WATCH)
    told = page.frame_locator("iframe.here").get_by_text(ANSWERS[stop])
    told = told.filter(visible=True).first
    expect(where(page)).to_have_text(re.compile(rf"^[^…]*\b{stop} / 11$"), timeout=60_000)
    fitted(page)
    expect(told).to_be_hidden()
    until(page, "seen.length")
    before = page.evaluate("seen.splice(0)")
    page.keyboard.press("PageDown")
    told.wait_for()
    page.wait_for_timeout(300)
    fitted(page)
    page.wait_for_timeout(100)
    after = page.evaluate("seen.splice(0)")
    sizes = {one["size"] for one in [before[-1], *after]}
    assert len(sizes) <= 1 + (stop == 1)  # there the question gives room to a table
    assert max(one["beyond"] for one in [*before, *after]) <= 1.5
    if stop in (1, 5):  # how it is answered stands in the address
        until(page, TOLD)
        page.reload()
        told.wait_for(timeout=60_000)
    if stop == 11:
        ends(page)


def ends(page):
    """The end is said after the last stop; Home goes to the first one."""
    end = page.get_by_text("End of the lecture")
    for key, is_over in (("PageDown", True), ("PageDown", True), ("PageUp", False)):
        page.keyboard.press(key)
        expect(end).to_be_visible(visible=is_over)
    expect(where(page)).to_have_text("11 / 11", timeout=60_000)
    page.keyboard.press("PageDown")
    expect(end).to_be_visible()
    page.keyboard.press("Home")
    expect(end).to_be_hidden()
    expect(where(page)).to_contain_text("1 / 11", timeout=60_000)


def test_stops_stay_as_they_were_left_home_begins_anew_and_the_speaker_s_window_follows(presenting):
    page = presenting()
    inside = page.frame_locator("iframe.here")
    cells = inside.locator(".picker .cell")
    cells.first.wait_for(timeout=60_000)
    fitted(page)
    page.mouse.move(150, 150)  # where the first cell will be
    for key, sign in (
        ("PageDown", "It is: ‘old’"),
        ("n", "= 0.239"),  # the path that the stop was planned with
        ("PageDown", "= 0.649"),
        ("nnpp", "= 0.649"),
        ("p", "It is: ‘old’"),
        ("Home", "Commit, then see"),
    ):
        for one in key if set(key) <= set("np") else [key]:
            page.keyboard.press(one)
            expect(where(page)).to_have_text(re.compile("^[^…]"), timeout=60_000)
        inside.get_by_text(sign).first.wait_for(timeout=60_000)
        fitted(page)
        assert cells.first.evaluate(RINGS) == 0, key  # nothing marks what is presented

    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    title = speaker.locator(".desk .title")
    expect(title).to_have_text("A bet: where does word by word go wrong?", timeout=60_000)
    expect(speaker.locator(".note")).to_contain_text("Read the sentence aloud")
    page.bring_to_front()  # a window that is covered has its timers slowed down
    for _ in range(2):  # the second while the first is answered: both count
        page.keyboard.press("PageDown")
    expect(title).to_have_text("Score one path", timeout=60_000)
    expect(speaker.locator(".after")).to_have_text("Next: Count the paths")
    inside.get_by_text("= 0.239").first.wait_for(timeout=60_000)
    fitted(page)
    cells.nth(6).click()
    page.mouse.move(640, 600)
    for _ in range(2):
        page.keyboard.press("b")
    assert cells.first.evaluate(RINGS) == 0
    speaker.keyboard.press("n")
    page.bring_to_front()
    expect(where(page)).to_have_text("3 / 11", timeout=60_000)


def test_what_is_typed_into_a_stop_is_kept_whatever_is_pressed_next(app_url, open_page):
    page = open_page(f"{app_url}/lecture")
    note = page.get_by_label("Note, for you alone")
    page.get_by_role("button", name="Start from the 50-minute plan").click()
    page.get_by_role("button", name="2. ").click()
    page.get_by_label("Title of stop 2").fill("Mine")
    page.keyboard.press("Tab")  # while it is kept, the hand is in the next field
    page.keyboard.type("7")
    page.get_by_role("button", name="2. Mine").wait_for()
    page.keyboard.type("5")
    note.fill("Said twice")
    page.get_by_role("button", name="Later").click()
    page.get_by_label("Title of stop 3").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    expect(note).to_have_value("Said twice")
    expect(page.get_by_label("Minutes")).to_have_value("75")
    note.fill("Thrice")
    page.get_by_role("button", name="Present from the start").click()
    expect(where(page)).to_contain_text("1 / 11", timeout=60_000)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="3. Mine").click()
    expect(page.get_by_label("Title of stop 3")).to_have_value("Mine")
    expect(note).to_have_value("Thrice")
    page.get_by_test_id("stNumberInputStepUp").first.click()
    expect(page.get_by_text("120 minutes")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("120 minutes")).to_be_hidden()  # a press during the run would be lost
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.get_by_role("button", name="Undo").click()
    expect(note).to_have_value("Said twice")


@pytest.mark.thorough
def test_of_two_windows_the_last_one_that_moves_leads(presenting, app_url):
    first = presenting(6)
    expect(where(first)).to_have_text("step 13 of 26 · 6 / 11", timeout=60_000)
    second = first.context.new_page()
    second.goto(f"{app_url}/lecture")
    second.get_by_role("button", name="Present", exact=True).click()
    expect(where(first)).to_contain_text("1 / 11", timeout=60_000)
    leads, follows = "This window leads; another one follows.", "Another window leads."
    expect(second.locator(".leads")).to_have_text(leads)
    expect(first.locator(".leads")).to_contain_text(follows)
    for key in ("n", "n", "n", "n", "n"):
        first.keyboard.press(key)
    expect(where(second)).to_have_text("step 13 of 26 · 6 / 11", timeout=60_000)
    expect(first.locator(".leads")).to_have_text(leads)
    expect(second.locator(".leads")).to_contain_text(follows)
    first.keyboard.press("PageDown")
    expect(where(second)).to_have_text("step 14 of 26 · 6 / 11", timeout=60_000)
    second.keyboard.press("PageUp")
    expect(where(first)).to_have_text("step 13 of 26 · 6 / 11", timeout=60_000)
    second.close()
    expect(first.locator(".leads")).to_be_empty()


@pytest.mark.thorough
def test_a_lecture_is_one_file_with_each_stops_figures_and_notes(visit, tmp_path):
    page = visit("lecture")
    page.get_by_role("button", name="Start from the 50-minute plan").click()
    page.get_by_text("File, link, name").click()
    with page.expect_download(timeout=300_000) as download:
        page.get_by_role("button", name="Save as one HTML file").click(timeout=60_000)
    text = download.value.path().read_text(encoding="utf-8")
    drawn = json.loads(re.search('id="crf-page">(.*)</script>', text)[1])["figures"]
    assert text.count("<section>") == len(example().stops) <= len(drawn)
    for stop in example().stops:
        assert stop.title in html.unescape(text)
