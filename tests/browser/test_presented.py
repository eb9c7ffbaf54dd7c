"""Before a class: the plan of fifty minutes, and toasts, which leave a page's style as it was."""

import json
import re
import time
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import expect

from benchmarks.serving import serving
from pages.lecture.listing import EXAMPLE
from pages.shared.contents import COURSE
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.classroom.store import PRESENT_WITHIN, open_store
from tests.browser import looks
from tests.browser.scripts import script

STOPS = json.loads(EXAMPLE.read_text(encoding="utf-8"))["stops"]
RAN = "[data-testid=stApp][data-test-script-state=notRunning]"
OWN_BOX = ["Commit, then see", "Just show me", "Ask the class"]  # a page's own buttons

# What the class sees of the stop on screen: [its smallest letters in px, a text of that size, how
# far texts go beyond the frame, how far the controls come over it, their rows, its page]; null: not
# fitted.
LOOK = script("look")
IN_STEP = script("in_step")  # notes in `outOfStep` each look at which picture and footer differ
# What a toast could change.
STYLES = """() => ['h1', '.st-key-title', 'footer.crf-footer', '[data-testid=stMainBlockContainer]',
  '[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]', '[data-testid=stHeader]',
  '[data-testid=stMain] [data-testid=stHtml]', '[data-testid=stMain] .stButton button p',
].flatMap((what) => [...document.querySelectorAll(what)].slice(0, 1)).map((element) => {
  const style = getComputedStyle(element)
  return [element.className, style.font, style.gap, style.padding, style.margin, style.height]
    .slice(0, element.matches('h1, header') ? 6 : 5)
})"""
SEEN = "document.querySelectorAll('[data-testid=stToast]').forEach((e) => (e.dataset.seen = 1))"


class Room:
    """A server with a class, its lecturer's window and phones.

    Args:
        chromium: The browser; each has a context of its own.
        server: Its address.
        room: The class.
        size: Of the projector.
        phones: How many.
    """

    def __init__(self, chromium, server, room, size, phones):
        self.chromium, self.server, self.room, self.size = chromium, server, room, size
        self.stage = self.window(*size)
        self.stage.goto(f"{server}/lead?token={room.keys.token}")
        self.stage.wait_for_url("**/class*")
        self.phones = [self.window(390, 844) for _ in range(phones)]
        for phone in self.phones:
            phone.goto(f"{server}/join?code={room.code}")
            phone.get_by_role("button", name="Join").click()
            phone.get_by_text("Wait for the lecturer").wait_for(timeout=60_000)
        self.inside = self.stage.frame_locator("iframe.here")

    def window(self, width, height):
        return self.chromium.new_context(viewport={"width": width, "height": height}).new_page()

    def present(self, first=1):
        self.stage.goto(f"{self.server}/lecture")
        self.stage.get_by_role("button", name="Start from the 50-minute plan").click()
        self.stage.get_by_role("button", name=f"{first}. ").first.click()
        name = f"Present from stop {first}" if first > 1 else "Present"
        self.stage.get_by_role("button", name=name, exact=True).click()

    def looks_right(self, state):
        """Wait until the stop on screen stands still, and check what the class sees of it."""
        seen, before, deadline = None, (), time.monotonic() + 60
        while seen is None or seen != before:
            assert time.monotonic() < deadline, f"{state} is not fitted: {seen}"
            self.stage.wait_for_timeout(250)
            before, seen = seen, self.stage.evaluate(LOOK)
        px, text, beyond, covers, rows, page = seen
        assert px >= (20 if self.size[1] < 1000 else 28), f"{state}: {px:.1f} px, {text}"
        assert beyond <= 1.5, f"{state}: {beyond} px beyond the frame"
        assert covers <= 0, f"{state}: the controls cover {covers} px"
        assert rows == 1, f"{state}: {rows} rows of controls"
        return page

    def keeps_step(self, keys):
        """Press keys quickly: the picture is the footer's stop, or a bar says that it comes."""
        for key in keys:
            self.stage.keyboard.press(key)
        self.stage.evaluate(IN_STEP, [stop["page"] for stop in STOPS])
        said = self.stage.locator(".stage .where")
        expect(said).to_have_text(re.compile("^[^…]"), timeout=60_000)
        assert self.stage.evaluate("outOfStep") == []

    def phones_are_there(self, stop):
        """Each phone follows to the page of a stop, and to the part of it that is shown."""
        part = parse_qs(stop["query"]).get("picture", [""])[0]
        for phone in self.phones:
            phone.wait_for_url(f"**/{stop['page']}*", timeout=60_000)
            places = [
                f".st-key-picture-{stop['page']}-{part}",
                f".st-key-{stop['page']}-fold-{part}",
            ]
            shown = phone.locator(", ".join(places)).first
            if part and shown.count():
                expect(shown).to_be_in_viewport(timeout=60_000)

    def shows_a_picture_until_its_page_comes(self, stop):
        """Go on to a stop while a phone cannot get its page; then it can."""
        [phone] = self.phones
        phone.evaluate("window.dispatchEvent = () => true")
        self.stage.keyboard.press("n")
        picture = phone.get_by_role("region", name=stop["title"]).locator("[data-figure]")
        expect(picture).to_be_in_viewport(timeout=60_000)
        phone.evaluate("delete window.dispatchEvent")
        phone.evaluate("window.dispatchEvent(new PopStateEvent('popstate'))")
        expect(picture).to_have_count(0, timeout=60_000)
        self.phones_are_there(stop)

    def asks(self):
        """Ask the class what the stop on screen asks, if it does; the question's words."""
        button = self.inside.get_by_role("button", name="Ask the class").filter(visible=True)
        if not button.count():
            return None
        button.first.click()
        self.inside.get_by_text("have answered").wait_for(timeout=60_000)
        ballot = self.room.ballot(self.room.now().ballot)
        for where in (self.inside, *self.phones):
            expect(where.get_by_text(ballot.question).filter(visible=True)).to_have_count(
                1, timeout=60_000
            )
            for name in OWN_BOX:
                own = where.get_by_role("button", name=name, exact=True).filter(visible=True)
                assert own.count() == 0, name
        return ballot

    def votes(self, ballot):
        for phone in self.phones[:2]:
            box = phone.locator(".st-key-class-question")
            if ballot.column is None:
                box.get_by_test_id("stRadioOption").first.click()
            else:
                box.get_by_role("textbox").first.fill("1")
                box.get_by_role("button", name="Send").click()
            box.get_by_text("is in.").or_(box.get_by_text("are in")).wait_for(timeout=60_000)

    def waits_for(self, what, seconds=20.0):
        deadline = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < deadline, (self.room.now(), self.room.store.places())
            time.sleep(0.2)

    def keeps_its_style(self, address):
        """Open a page before the class, and press what a toast answers."""
        self.stage.goto(f"{self.server}/{address}")
        self.stage.locator("footer.crf-footer").wait_for()
        self.stage.locator(RAN).wait_for()
        looks.unfolded(self.stage)
        before = self.stage.evaluate(STYLES)
        assert len(before) >= 7
        for name in ("Show this to the class", "Ask the class"):
            buttons = self.stage.get_by_role("button", name=name, exact=True)
            if address == "viterbi":
                buttons.first.wait_for()
            if buttons.count():  # a class that is asked something is asked nothing else meanwhile
                self.stage.evaluate(SEEN)
                buttons.first.click()
                self.stage.locator("[data-testid=stToast]:not([data-seen])").first.wait_for()
                self.stage.locator(RAN).wait_for()
                assert self.stage.evaluate(STYLES) == before, (address, name)

    def is_phase(self, phase):
        self.waits_for(lambda: self.room.now().phase == phase)

    def has_live(self, number):
        self.waits_for(lambda: self.room.store.places().live == number, PRESENT_WITHIN + 25)


@pytest.fixture
def opened(chromium, tmp_path):
    """Open a class with so many phones."""
    rooms, servers = [], []

    def opener(size, phones):
        where = str(tmp_path / "class")
        servers.append(serving("app.py", tmp_path / "log", "--class", "--store", where))
        url = servers[-1].__enter__().url
        rooms.append(Room(chromium, url, Classroom(open_store(where)), size, phones))
        return rooms[-1]

    yield opener
    for one in rooms:
        for page in (one.stage, *one.phones):
            page.context.close()
    for server in servers:
        server.__exit__(None, None, None)


def goes_through(one, number):
    """One stop in its states: before, asked, voted, revealed, answered or a step further."""
    title, stop = f"stop {number}", STOPS[number - 1]
    said = re.compile(rf"^[^…]*\b{number} / {len(STOPS)}$")
    expect(one.stage.locator(".stage .where")).to_have_text(said, timeout=60_000)
    assert one.looks_right(f"{title} before") == stop["page"]
    one.phones_are_there(stop)
    if ballot := one.asks():
        one.looks_right(f"{title} asked")
        one.votes(ballot)
        one.inside.get_by_text("2 of 3 have answered").wait_for(timeout=60_000)
        one.looks_right(f"{title} voted")
        one.stage.keyboard.press("ArrowRight")
        one.is_phase("revealed")
        one.looks_right(f"{title} revealed")
    one.stage.keyboard.press("ArrowRight")
    if ballot:
        one.is_phase("over")
        assert one.room.tally(one.room.now().ballot, ballot).total == 2
    one.looks_right(f"{title} a step further")
    if ballot:
        asks = one.inside.get_by_role("button", name="Ask the class").filter(visible=True)
        assert asks.count() == 0, f"{title} asks again"


def test_a_question_stands_once_is_closed_by_going_on_and_no_toast_changes_a_style(opened):
    one = opened((1280, 720), 1)
    one.present()
    assert one.looks_right("before") == STOPS[0]["page"]
    assert one.asks()
    one.looks_right("asked")
    one.keeps_step("nn")
    one.is_phase("over")
    one.phones_are_there(STOPS[2])
    expect(one.phones[0].locator(".st-key-class-question")).to_have_count(0, timeout=60_000)
    one.shows_a_picture_until_its_page_comes(STOPS[3])
    one.keeps_its_style("viterbi")


@pytest.mark.thorough
def test_no_toast_changes_the_style_of_any_page(opened):
    one = opened((1280, 720), 0)
    for entry in COURSE:
        one.keeps_its_style(entry.address)


@pytest.mark.thorough
@pytest.mark.parametrize("stops", [range(1, 5), range(5, 9), range(9, len(STOPS) + 1)], ids=str)
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=str)
def test_the_plan_of_fifty_minutes_with_three_phones(opened, size, stops):
    one = opened(size, 3)
    one.present(stops[0])
    for number in stops:
        goes_through(one, number)
        if number < stops[-1]:
            one.stage.keyboard.press("n")


@pytest.mark.thorough
def test_keys_pressed_quickly_and_phones_that_go_and_come_back(opened):
    one = opened((1280, 720), 3)
    one.present()
    one.looks_right("at first")
    one.keeps_step("nnnn")
    assert one.looks_right("stop 5 at once") == STOPS[4]["page"]
    assert one.room.store.places() == (3, 3)
    gone = one.phones[2]
    kept = gone.url
    gone.close()
    one.has_live(2)
    one.phones[2] = gone.context.new_page()
    one.phones[2].goto(kept)  # who comes back is the same
    one.has_live(3)
    assert one.room.store.places().taken == 3
