"""A Chromium of our own, on a server of our own."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.serving import FLAGS, running


@contextmanager
def warm_app() -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server that is up."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running("app.py", Path(folder) / "log") as url,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
        yield browser, url
        browser.close()


def open_page(page: Page, address: str) -> None:
    """Open an address, and wait until its run has ended."""
    page.goto(address)
    page.locator("footer.crf-footer").wait_for(timeout=60_000)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def until_quiet(page: Page) -> None:
    """Wait until no run has been seen for half a second; then what was sent has been drawn."""
    idle = page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
    looks = 0
    while looks < 5:
        idle.wait_for()
        page.wait_for_timeout(100)
        looks = looks + 1 if idle.count() else 0


def until(page: Page, expression: str, timeout: float = 30.0) -> None:
    """Wait for a condition on the page, so many seconds.

    Playwright's own `wait_for_function` is an `eval` on the page, which the server's content
    security policy forbids.
    """
    end = time.monotonic() + timeout
    while not page.evaluate(expression):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {timeout:g} s: {expression}")
        page.wait_for_timeout(30)
