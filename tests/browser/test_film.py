"""The bar of beats as a film: visible ways on lead through every lesson, and to each step."""

import re

import pytest
from playwright.sync_api import expect

from pages import beats
from pages.shared.ui.stage import view as views
from tests.browser import lesson_page

PLACE = """() => {
  const [step] = document.querySelector(".place span").textContent.match(/\\d+/) ?? ["1"]
  return [document.querySelector(".beats [aria-current]").dataset.beat, Number(step)]
}"""
LOOKS = """[".slot", ".place"].map((part) => document.querySelector(part).innerText).join()"""
PRESSES = 4  # from step to step at most: a bet's answer, the beat's sentence, on


def places(lesson):
    """The steps that → leads to, as the bar of beats counts them: (beat, number from 1)."""
    state, _ = views.state_of({}, lesson)
    for beat in beats.LESSONS[lesson]:
        now = beat.now(state)
        for step in now.get("stops", range(now["step"], now["of"])):
            if step >= now["step"]:
                yield beat.name, step - now["first"] + 1


def goes_on(page, press, place):
    """Press until this place is on screen."""
    for _ in range(PRESSES):
        before = page.evaluate(LOOKS)
        press()
        page.wait_for_function("([looks, before]) => eval(looks) !== before", arg=[LOOKS, before])
        if tuple(page.evaluate(PLACE)) == place:
            return
    raise AssertionError(f"{place} is not reached, but {page.evaluate(PLACE)}")


LONG = ("learning", "implement", "trellis", "batches", "graphs", "words")


@pytest.mark.parametrize(
    "lesson",
    [
        pytest.param(name, marks=[pytest.mark.thorough] if name in LONG else [])
        for name, every in beats.LESSONS.items()
        if len(every) > 1
    ],
)
def test_a_mouse_alone_comes_to_every_step(open_beat, lesson):
    (beat, _), *rest = places(lesson)
    page = open_beat(lesson, beat, {"reduced_motion": True})
    for place in rest:
        goes_on(page, page.locator("[data-on]").click, place)


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", ["trellis", "graphs"])
def test_so_does_a_finger(chromium, site, lesson):
    (beat, _), *rest = places(lesson)
    phone = {"width": 390, "height": 844}
    context = chromium.new_context(viewport=phone, has_touch=True, reduced_motion="reduce")
    page = lesson_page.open_beat(site, context.new_page(), lesson, beat, {}, "frame")
    for place in rest:
        goes_on(page, page.locator("[data-on]").tap, place)
    context.close()


@pytest.mark.thorough
@pytest.mark.parametrize("key", ["Enter", "ArrowRight"])
def test_so_does_a_keyboard(open_beat, key):
    (beat, _), *rest = places("trellis")
    page = open_beat("trellis", beat, {"reduced_motion": True})
    page.locator("[data-on]").focus()
    for place in rest:
        goes_on(page, lambda: page.keyboard.press(key), place)


def test_the_answer_to_a_bet_leads_on(open_beat):
    page = open_beat("trellis", "bet")
    page.locator("[data-option]").first.click()
    expect(page.locator("[data-on]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".say")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("[data-beat=path]")).to_have_attribute("aria-current", "step")


def test_a_film_pours_until_the_next_bet(open_beat):
    page = open_beat("trellis", "path")
    play = page.locator("[data-play]")
    play.click()
    expect(play).to_have_accessible_name("Pause")
    expect(page.locator("[data-beat=count]")).to_have_attribute("aria-current", "step")
    expect(play).to_have_accessible_name("Play")
    expect(page.locator(".place span")).to_have_text("▶ waits for your bet")
    play.click()  # which gives nothing away
    expect(page.locator(".bet")).not_to_have_class(re.compile("revealed"))
    page.locator("[data-option]").first.click()
    expect(page.locator(".place span")).not_to_have_text("▶ waits for your bet")


def test_where_an_arrow_takes_several_steps_each_can_be_reached(open_beat):
    page = open_beat("learning", "corpus", step="5")
    step = page.locator(".place span")
    for key, at in [("ArrowRight", 11), ("Shift+ArrowRight", 12), ("Shift+ArrowLeft", 11),
                    ("ArrowRight", 21), ("ArrowLeft", 11), ("ArrowLeft", 6)]:  # fmt: skip
        page.keyboard.press(key)
        expect(step).to_have_text(f"step {at} of 61")
    drag(page, ("corpus", 0.5))
    expect(step).to_have_text("step 31 of 61")


def drag(page, *places):
    """Drag the thumb of the bar of beats to places: a beat, and a share of its length."""
    box = page.locator(".foot .thumb").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    for beat, share in places:
        to = page.locator(f"[data-beat={beat}]").bounding_box()
        page.mouse.move(to["x"] + share * to["width"], box["y"] + 8, steps=4)
        expect(page.locator(f"[data-beat={beat}]")).to_have_attribute("aria-current", "step")
    page.mouse.move(to["x"] + share * to["width"], box["y"] + 9)
    page.mouse.up()


def test_the_thumb_plays_the_film_forwards_and_back_and_tells_what_it_passes(open_beat):
    page = open_beat("trellis", "add", {"reduced_motion": True}, ex="old-man")
    step = page.locator(".place span")
    drag(page, ("add", 0.02))
    expect(step).to_have_text("step 1 of 12")
    drag(page, ("add", 0.99))
    expect(step).to_have_text("step 12 of 12")
    drag(page, ("column", 0.03))
    expect(page.locator(".ask")).to_be_visible()  # on the question itself nothing is told
    assert page.locator(".cell:not([data-value=''])").count() == 12
    drag(page, ("column", 0.98))
    expect(page.locator(".total.full")).to_have_count(1)
    drag(page, ("column", 0.03))
    expect(step).to_have_text("step 1 of 9")
    expect(page.locator(".answer")).to_contain_text("It is 15.93")
    drag(page, ("count", 0.5), ("mind", 0.97), ("count", 0.5))
    expect(page.locator(".answer")).to_be_visible()  # passed, too
    drag(page, ("bet", 0.5))
    expect(page.locator(".ask")).to_be_visible()  # before all that the thumb has passed
