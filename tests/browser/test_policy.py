"""The server's content security policy: it holds in a browser, and every page keeps to it."""

import pytest

from pages.shared.contents import COURSE, TEACHING
from tests.browser import looks

TRY = """() => new Promise((told) => {
  document.addEventListener('securitypolicyviolation', (event) => told(event.effectiveDirective))
  const script = document.createElement('script')
  script.textContent = 'window.ran = 1'
  document.body.append(script)
})"""


@pytest.mark.thorough
def test_every_page_keeps_to_the_policy_in_each_of_its_states(open_page, app_url):
    """`open_page` fails at any violation that the browser reports, in all other tests as well."""
    page = open_page(app_url)
    for entry in (*COURSE, *TEACHING):
        looks.opened(page, f"{app_url}/{entry.address}")
        for _ in looks.states(page):
            pass


def test_a_script_in_the_page_does_not_run(chromium, app_url):
    page = chromium.new_page()
    page.goto(app_url)
    assert page.evaluate(TRY) == "script-src-elem"
    assert page.evaluate("window.ran") is None
    page.close()
