"""Every page of the course, opened by its address: whole, quiet, named, nothing cut off."""

import pytest

from benchmarks.pages import BUDGETS, measured
from pages.shared.contents import COURSE
from pages.shared.ui.words import say
from tests.browser import looks
from tests.browser.scripts import script

STREAMLITS_OWN = {  # elements of Streamlit that axe complains of, whatever stands in them
    "scrollable-region-focusable",
    "aria-allowed-role",
    "nested-interactive",
}


CUT_OFF = script("cut_off")
EVERY = [
    pytest.param(entry, marks=pytest.mark.thorough) if k % 2 else entry
    for k, entry in enumerate(COURSE)
]


MARKED = """() => [...document.querySelectorAll('[data-testid=stTopNavSection]')]
  .filter((section) => getComputedStyle(section).fontWeight === '600')
  .map((section) => section.querySelector('p').innerText)"""  # the menu's sections that stand out


def test_every_page_keeps_its_budgets_and_the_menu_says_where_it_stands(visit):
    page = visit("glossary", reduced_motion=True)
    base = page.url.removesuffix("glossary")
    for entry in COURSE:
        found, free = measured(page, base + entry.address), entry.address == "glossary"
        assert found["words"] <= BUDGETS["words"] or free, entry.address
        said = entry.address, found["named"]
        assert found["controls"] <= BUDGETS["controls"] or free, said  # the glossary has links
        assert found["picture"] >= BUDGETS["picture"] or free, entry.address
        assert page.evaluate(MARKED) == ([entry.part] if entry.section else []), entry.address


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.address)
def test_a_deep_link_shows_its_page_and_axe_is_content(visit, entry):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(entry.address, reduced_motion=True)
    assert page.locator("h1").inner_text() == entry.title
    assert page.title() == f"{entry.title} · {say('site.title')}"
    assert page.locator("[data-testid=stException], [role=dialog]").count() == 0
    page.wait_for_timeout(500)  # what fades in has its contrast then
    assert page.evaluate(CUT_OFF) == []
    found = [v for v in axe.run(page).response["violations"] if v["id"] not in STREAMLITS_OWN]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []
    main = page.locator("[data-testid=stMain]")
    for width, height in [(1280, 720), (640, 360), (390, 844)]:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert main.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1"), width


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
@pytest.mark.thorough
def test_axe_is_content_in_the_dark_with_all_folds_open(visit, address):
    pytest.importorskip("axe_playwright_python")
    page = visit(address, reduced_motion=True, dark=True)
    looks.unfolded(page)
    assert looks.complaints(page) == []


def test_what_floats_knows_that_it_is_dark(visit):
    page = visit("glossary", reduced_motion=True, dark=True)
    page.locator("[data-testid=stMainMenuButton]").click()
    menu = page.locator("[data-testid=stMainMenuList], [role=menu]").first
    menu.wait_for()
    assert page.locator("[data-testid=stApp] [role=menu]").count() == 0  # it stands beside the app
    assert menu.evaluate("e => getComputedStyle(e).colorScheme") == "dark"


def test_a_page_has_one_entry_in_the_history_and_back_takes_one_press(visit):
    page = visit("forward")
    before = page.evaluate("history.length")
    page.goto(page.url.split("/forward")[0] + "/stability")
    page.locator("h1", has_text="Numerical stability").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    assert page.evaluate("history.length") == before + 1
    page.go_back()
    page.locator("h1", has_text="Forward").wait_for()
