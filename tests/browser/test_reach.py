"""What readers reach who do not see the picture, or have no mouse: in every beat."""

import re

import pytest

from pages import beats

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

# Parts of pictures: stops of Tab beyond one a picture, what takes the focus and is none of them (in
# Chromium a group that listens for it), and what has a stop or a role and no name.
FAULTS = """(stage) => {
  const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().width > 0
  const figure = stage.querySelector(".figure")
  const stops = [...figure.querySelectorAll('svg [tabindex="0"]:not([role="slider"])')].filter(seen)
  const faults = stops.slice(1).map((one) => `one more stop: ${one.ariaLabel}`)
  for (const one of figure.querySelectorAll("svg :not([tabindex])")) {
    one.focus()
    if (stage.getRootNode().activeElement === one)
      faults.push(`takes the focus: ${one.outerHTML.slice(0, 90)}`)
  }
  const parts = "[tabindex], [role=button], [role=gridcell], [role=spinbutton]"
  for (const one of figure.querySelectorAll(`svg :is(${parts})`)) {
    if (!seen(one)) continue
    if (!one.ariaLabel && !one.textContent) faults.push(`no name: ${one.outerHTML.slice(0, 90)}`)
    if (!one.getAttribute("role")) faults.push(`no role: ${one.ariaLabel}`)
    if (!one.hasAttribute("tabindex") && one.getAttribute("role") !== "spinbutton")
      faults.push(`not reached: ${one.ariaLabel}`)
  }
  return faults
}"""
ACTIVE = "document.activeElement.ariaLabel ?? document.activeElement.className"


LESSONS = [name for name in beats.LESSONS if name not in ("tag", "now")]
QUICK = ("trellis", "constraints", "cost")


@pytest.mark.parametrize(
    "lesson",
    [pytest.param(one, marks=[] if one in QUICK else [pytest.mark.thorough]) for one in LESSONS],
)
def test_each_picture_is_one_stop_and_its_parts_have_names(open_beat, lesson):
    first, *others = (beat.name for beat in beats.LESSONS[lesson])
    page = open_beat(lesson, first, {"reduced_motion": True})
    for beat in (first, *others):
        page.evaluate("(name) => document.querySelector(`[data-beat=${name}]`)?.click()", beat)
        page.locator(f".stage.at-{beat}").wait_for(timeout=60_000)
        page.wait_for_timeout(50)
        assert page.locator(".stage").evaluate(FAULTS) == [], beat


def test_arrows_go_through_the_parts_of_a_picture_and_the_focus_outlives_a_press(open_beat):
    page = open_beat("constraints", "part", host="reader")
    stop = page.locator(".figure svg [tabindex='0']")
    expect(stop).to_have_count(1)
    stop.focus()
    first = page.evaluate(ACTIVE)
    page.keyboard.press("ArrowRight")
    second = page.evaluate(ACTIVE)
    assert first != second
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("out_"))
    expect(page.locator(".figure svg :focus")).to_have_attribute("aria-label", second)
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(ACTIVE) == first


@pytest.mark.thorough
@pytest.mark.parametrize("lesson", LESSONS)
def test_each_question_can_be_answered_from_the_tree_alone(open_beat, lesson):
    """Its words and a way to answer are in the accessibility tree, and the answer is announced."""
    first, *others = (beat.name for beat in beats.LESSONS[lesson])
    page = open_beat(lesson, first, {"reduced_motion": True})
    for beat in (first, *others):
        page.evaluate("(name) => document.querySelector(`[data-beat=${name}]`)?.click()", beat)
        page.locator(f".stage.at-{beat}").wait_for(timeout=60_000)
        page.wait_for_timeout(50)
        asks = page.locator(".stage [data-question]")
        if not asks.count() or not page.locator("[data-option]:enabled").count():
            continue
        tree = page.locator(".stage").aria_snapshot()
        question = page.locator(".ask").text_content()
        assert question in page.locator(".spoken").text_content(), beat
        options = page.locator("[data-option]:enabled")
        for name in options.all_text_contents():
            assert not name or f'button "{name}"' in tree, (beat, name)
        assert 'group "Your bet"' in tree, beat
        if options.first.evaluate("(one) => one.localName") == "input":
            options.first.fill("0")
        options.first.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
        told = page.locator(".answer").text_content()
        answer = told or page.locator(".slot .say").text_content()
        assert answer, beat
        assert answer in page.locator(".spoken").text_content(), beat
        visible = "(active) => active !== document.body && active.checkVisibility()"
        assert page.evaluate(f"({visible})(document.activeElement)"), beat
