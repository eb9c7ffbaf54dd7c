"""Every page of the course, opened by its address: whole, quiet, named, nothing cut off."""

import pytest

from benchmarks.browsing import until
from benchmarks.pages import BUDGETS, measured
from pages import beats
from pages.shared.contents import COURSE
from pages.shared.ui.words import say
from tests.browser import looks
from tests.browser.scripts import script

expect = pytest.importorskip("playwright.sync_api", reason="playwright is missing").expect

CUT_OFF = script("cut_off")
MARKED = """() => [...document.querySelectorAll('[data-testid=stTopNavSection]')]
  .filter((section) => getComputedStyle(section).fontWeight === '600')
  .map((section) => section.querySelector('p').innerText)"""  # the menu's sections that stand out
WITHIN = """(() => {
  const [whole, main] = [document.documentElement, document.querySelector('[data-testid=stMain]')]
  return whole.scrollWidth <= innerWidth && main.scrollWidth <= main.clientWidth + 1
})()"""  # nothing is wider than the window

TRY = """() => new Promise((told) => {
  document.addEventListener('securitypolicyviolation', (event) => told(event.effectiveDirective))
  const script = document.createElement('script')
  script.textContent = 'window.ran = 1'
  document.body.append(script)
})"""


@pytest.mark.parametrize("entry", COURSE, ids=lambda entry: entry.address)
def test_a_deep_link_shows_its_page_within_its_budgets_and_axe_is_content(
    open_page, app_url, entry
):
    pytest.importorskip("axe_playwright_python")
    page = open_page("about:blank", reduced_motion=True)
    found = measured(page, f"{app_url}/{entry.address}")
    assert page.locator("h1").inner_text() == entry.title
    assert page.title() == f"{entry.title} · {say('site.title')}"
    assert page.locator("[data-testid=stException], [role=dialog]").count() == 0
    has_menu = entry.section and entry.folder not in beats.LESSONS  # a stage fills the window
    assert page.evaluate(MARKED) == ([entry.part] if has_menu else [])
    if entry.address != "glossary":  # which has all words, and links
        assert found["words"] <= BUDGETS["words"]
        assert found["controls"] <= BUDGETS["controls"], found["named"]
        assert found["picture"] >= BUDGETS["picture"]
    assert page.evaluate(CUT_OFF) == []
    assert looks.complaints(page) == []
    assert page.evaluate(WITHIN)
    for width, height in [(640, 360), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((drawn) => setTimeout(requestAnimationFrame, 50, drawn))")
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


def test_a_menu_knows_that_it_is_dark_and_back_takes_one_press(visit):
    page = visit("glossary", reduced_motion=True, dark=True)
    page.locator("[data-testid=stMainMenuButton]").click()
    menu = page.locator("[data-testid=stMainMenuList], [role=menu]").first
    menu.wait_for()
    assert page.locator("[data-testid=stApp] [role=menu]").count() == 0  # it stands beside the app
    assert menu.evaluate("e => getComputedStyle(e).colorScheme") == "dark"
    page.goto(page.url.replace("glossary", "graphs"))
    page.get_by_role("heading", name="Graphs", level=1).wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Glossary", level=1).wait_for()


def test_the_keyboard_opens_the_course_and_what_is_behind_the_dots_and_leaves_them(visit):
    page = visit("forward")
    page.locator("html[data-section]").wait_for(state="attached")  # Esc is heard
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
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.locator(".st-key-way-on a").last.focus()
    ring = "(link) => getComputedStyle(link).outlineStyle"
    assert page.locator(".st-key-way-on a").last.evaluate(ring) == "solid"


def test_a_language_and_a_lesson_are_links_that_keep_what_is_on_screen(visit):
    page = visit("forward?edit=t:DET:NOUN_-3")
    page.locator(".stage .say").press("ArrowRight")
    page.wait_for_url("**step=12**")
    for name, title in (("Deutsch", "Vorwärtsrekursion"), ("Viterbi", "Viterbi")):
        page.locator(".crf-course summary").click()
        page.get_by_role("link", name=name, exact=True).click()
        page.wait_for_url("**lang=de")
        page.get_by_role("heading", name=title, level=1).wait_for()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.locator("footer.crf-footer").wait_for()
    assert "viterbi?ex=old-man&edit=t%3ADET%3ANOUN_-3&lang=de" in page.url
    page.keyboard.press("End")
    page.wait_for_url("**lang=de")
    assert page.locator(".map a").nth(4).get_attribute("aria-label") == "Verlust, Gradient"
    page.locator(".map a").nth(4).click()
    page.wait_for_url("**/learning?ex=old-man&edit=t%3ADET%3ANOUN_-3&lang=de")
