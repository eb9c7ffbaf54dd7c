"""A Chromium of our own, on a server of our own."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.serving import FLAGS, running


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def warm_app() -> Iterator[tuple[Browser, str]]:
    """A browser, and the address of a server that is up."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running("app.py", Path(folder) / "log") as url,
        chromium() as browser,
    ):
        yield browser, url
