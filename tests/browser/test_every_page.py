"""Every page of the course, opened by its address: whole, quiet, named, nothing cut off."""

import re
from xml.etree import ElementTree

import pytest

from benchmarks.browsing import until
from benchmarks.pages import BUDGETS, measured
from pages.shared.contents import COURSE, FIRST
from pages.shared.ui.server.first_picture import FOLDER
from pages.shared.ui.words import say
from tests.browser import looks
from tests.browser.scripts import script

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

CUT_OFF = script("cut_off")
WITHIN = """(() => {
  const [whole, main] = [document.documentElement, document.querySelector('[data-testid=stMain]')]
  return whole.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth + 1
})()"""  # nothing is wider than the window
SPACED = """() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: .12em !important;
    word-spacing: .16em !important } p { margin-bottom: 2em !important }`)
  const put = (root) => {
    root.adoptedStyleSheets.push(sheet)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) put(shadowRoot)
  }
  put(document)
}"""  # what readers may set (WCAG 1.4.12)

TRY = """() => new Promise((told) => {
  document.addEventListener('securitypolicyviolation', (event) => told(event.effectiveDirective))
  const script = document.createElement('script')
  script.textContent = 'window.ran = 1'
  document.body.append(script)
})"""


def squeezed(text: str) -> str:
    """A text without spaces."""
    return "".join(text.split())


@pytest.mark.parametrize("entry", COURSE, ids=lambda entry: entry.address)
def test_a_deep_link_shows_its_page_within_its_budgets_and_axe_is_content(
    open_page, app_url, entry
):
    pytest.importorskip("axe_playwright_python")
    page = open_page("about:blank", reduced_motion=True)
    found = measured(page, f"{app_url}/{entry.address}")
    assert page.locator("h1").inner_text() == entry.title
    assert page.title() == f"{entry.title} · {say('site.title')}"
    assert page.locator("[data-testid=stException], [role=dialog]:visible").count() == 0
    if entry.address != "glossary":  # which has all words, and links
        assert found["words"] <= BUDGETS["words"]
        assert found["controls"] <= BUDGETS["controls"], found["named"]
        assert found["picture"] >= BUDGETS["picture"]
    assert page.evaluate(CUT_OFF) == []
    assert looks.complaints(page) == []
    assert page.evaluate(WITHIN)
    if entry.has_beats and entry is not FIRST:  # whose film goes on from its still
        drawn = squeezed(page.locator(".stage > .figure, .stage > .picture-frame").inner_text())
        still = ElementTree.fromstring(
            (FOLDER / f"{entry.address}.en.html").read_text("utf-8").partition("\n")[0]
        )
        missing = [text for text in still.itertext() if squeezed(text) not in drawn]
        assert not missing, "draw the stills again: python -m docs.first_pictures"
    for width, height in [(640, 360), (390, 844), (320, 256)]:  # magnified twice, a phone, 4 ×
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((drawn) => setTimeout(requestAnimationFrame, 50, drawn))")
        until(page, WITHIN, 5.0)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.evaluate(SPACED)
    page.evaluate("new Promise((drawn) => setTimeout(requestAnimationFrame, 50, drawn))")
    assert page.evaluate(CUT_OFF) == []
    until(page, WITHIN, 5.0)


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
@pytest.mark.thorough
def test_axe_is_content_in_the_dark_in_each_state(visit, address):
    pytest.importorskip("axe_playwright_python")
    page = visit(address, reduced_motion=True, dark=True)
    for state in looks.states(page):
        assert looks.complaints(page) == [], state


def test_a_script_in_the_page_does_not_run(open_tab, app_url):
    """The server's policy holds; `open_page` fails at any violation, in all other tests."""
    page = open_tab()
    page.goto(app_url)
    assert page.evaluate(TRY) == "script-src-elem"
    assert page.evaluate("window.ran") is None


def test_back_takes_one_press(visit):
    page = visit("glossary", reduced_motion=True)
    page.get_by_role("heading", name="Glossary", level=1).wait_for()
    page.goto(page.url.replace("glossary", "graphs"))
    page.get_by_role("heading", name="Graphs", level=1).wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Glossary", level=1).wait_for()


@pytest.mark.thorough
def test_the_map_says_how_far_one_has_come_and_forgets_it(visit):
    page = visit("learning", reduced_motion=True)
    page.locator("[data-beat=step]").click()
    expect(page.locator("[data-beat=step]")).to_have_attribute("aria-current", "step")
    page.locator(".crf-course summary").click()
    seen = page.locator(".crf-course .seen")
    expect(seen).to_have_count(2)
    assert [bar.get_attribute("data-beat-of") for bar in seen.all()] == [
        "learning/counts",
        "learning/step",
    ]
    told = page.locator(".crf-course .so-far")
    expect(told).to_have_text(re.compile(r"^You have seen 2 of \d\d beats. Go on: bet$"))
    page.reload()
    page.locator(".stage [data-figure]").wait_for()
    page.locator(".crf-course summary").click()
    expect(seen).to_have_count(2)
    page.locator("[data-forget]").click()
    expect(seen).to_have_count(0)
    expect(told.locator("a")).to_have_count(0)
    page.get_by_role("link", name="keep best", exact=True).click()
    page.wait_for_url("**/viterbi**")


def test_the_keyboard_opens_the_course_and_what_is_behind_the_dots_and_leaves_them(visit):
    page = visit("forward")
    page.locator(".stage .say").wait_for()  # Esc is heard
    course = page.locator(".crf-course summary")
    course.press("Enter")
    page.get_by_role("link", name="Glossary", exact=True).focus()
    page.keyboard.press("Escape")
    expect(course).to_be_focused()
    expect(page.locator(".crf-course [open]")).to_have_count(0)
    more, menu = page.locator(".stage .more"), page.locator(".look")
    more.press("Enter")
    expect(menu.locator("[data-look=heat-maps]")).to_be_focused()
    page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(more).to_be_focused()
    page.keyboard.press("?")
    page.keyboard.type("lecture")  # letters filter
    expect(menu.locator("[data-look]:visible")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-bench-present")).to_be_focused()
    first = page.get_by_role("button", name="Present (P)")
    expect(first).to_be_visible()
    page.keyboard.press("Tab")
    close = page.get_by_role("button", name="Close", exact=True)
    expect(close).to_be_focused()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    close.press("Enter")
    expect(first).to_have_count(0)
    more.press("Enter")
    menu.locator("[data-look=present]").press("Enter")  # the same again
    expect(page.locator(".st-key-bench-present")).to_be_focused()
    page.locator(".st-key-way-on a").last.focus()
    ring = "(link) => getComputedStyle(link).outlineStyle"
    assert page.locator(".st-key-way-on a").last.evaluate(ring) == "solid"


def test_a_language_and_a_lesson_are_links_that_keep_what_is_on_screen(visit):
    page = visit("forward?edit=t:DET:NOUN_-3")
    page.locator(".stage .say").press("ArrowRight")
    page.wait_for_url("**step=9**")
    for name, title in (("Deutsch", "Vorwärtsrekursion"), ("Bestes behalten", "Viterbi")):
        page.locator(".crf-course summary").click()
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url("**lang=de")
        page.get_by_role("heading", name=title, level=1).wait_for()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.locator("footer.crf-footer").wait_for()
    page.wait_for_url("**/viterbi?ex=old-man&edit=t%3ADET%3ANOUN_-3&lang=de")
    page.keyboard.press("End")
    page.wait_for_url("**lang=de")
    assert page.locator(".map a").nth(4).get_attribute("aria-label") == "Verlust, Gradient"
    page.locator(".map a").nth(4).click()
    page.wait_for_url("**/learning?ex=old-man&edit=t%3ADET%3ANOUN_-3&lang=de")
