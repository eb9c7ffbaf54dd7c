"""A toast leaves the page's style as it was: on every page that leads a class, for each button."""

import re

import pytest

from benchmarks.serving import serving
from pages.shared.contents import COURSE
from tests.browser import looks

STYLES = """() => ['h1', '.st-key-title', 'footer.crf-footer', '[data-testid=stMainBlockContainer]',
  '[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]', '[data-testid=stHeader]',
  '[data-testid=stMain] [data-testid=stHtml]', '[data-testid=stMain] .stButton button p',
].flatMap((what) => [...document.querySelectorAll(what)].slice(0, 1)).map((element) => {
  const style = getComputedStyle(element)
  return [element.className, style.font, style.gap, style.padding, style.margin, style.height]
    .slice(0, element.matches('h1, header') ? 6 : 5)
})"""
SEEN = "document.querySelectorAll('[data-testid=stToast]').forEach((e) => (e.dataset.seen = 1))"


@pytest.fixture(scope="module")
def leading(chromium, tmp_path_factory):
    """A server with a class, and a browser that leads it."""
    where = tmp_path_factory.mktemp("class")
    log = where / "log"
    with serving("app.py", log, "--class", "--store", str(where / "class")) as server:
        context = chromium.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.goto(re.findall(r"http://\S+/lead\?token=\S+", log.read_text())[0])
        page.get_by_role("heading", name="Your class").wait_for()
        yield page, server.url
        context.close()


@pytest.mark.parametrize(
    "address",
    [
        one if one == "viterbi" else pytest.param(one, marks=pytest.mark.thorough)
        for one in (entry.address for entry in COURSE)
    ],
)
def test_fonts_and_spacing_are_the_same_before_and_after_every_toast(leading, address):
    page, url = leading
    page.goto(f"{url}/{address}")
    page.locator("footer.crf-footer").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    looks.unfolded(page)
    before = page.evaluate(STYLES)
    assert len(before) >= 7
    for name in ("Show this to the class", "Ask the class"):
        buttons = page.get_by_role("button", name=name, exact=True)
        if address in ("viterbi", "learning"):
            buttons.first.wait_for()
        if buttons.count():  # a class that is asked something is asked nothing else meanwhile
            page.evaluate(SEEN)
            buttons.first.click()
            page.locator("[data-testid=stToast]:not([data-seen])").first.wait_for()
            page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
            assert page.evaluate(STYLES) == before, name
