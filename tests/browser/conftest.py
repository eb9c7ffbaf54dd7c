"""Fixtures that serve a script with `streamlit run` and drive a real Chromium at it.

A browser that is missing skips the tests with the reason, except in CI, where it is a failure.
Every page opened here is closed with a verdict: no uncaught error, no request off this machine.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from benchmarks.serving import FLAGS, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

    from tests.browser.lesson_page import Site

BROWSERS = ["chromium-headless-shell", "chromium"]  # the first does half the work: it has no window


@pytest.hookimpl(tryfirst=True)  # before marks are chosen by -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: here not in item.path.parents)  # they take longest: first


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that fails says what was on screen."""
    report = yield
    window = getattr(item, "funcargs", {}).get("window")
    if report.when == "call" and report.failed and window:
        for page in window.pages:
            with suppress(Exception):  # it may be closed
                report.sections.append((page.url, page.locator("body").inner_text(timeout=2000)))
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests marked `hovers` in each browser: their first mouse events differ."""
    if metafunc.definition.get_closest_marker("hovers"):
        metafunc.parametrize("chromium", BROWSERS, indirect=True, scope="session")


@pytest.fixture(scope="session")
def chromium(request: pytest.FixtureRequest) -> Iterator["Browser"]:
    """One headless Chromium for the session: the one asked for, else the first there is."""
    asked = [request.param] if hasattr(request, "param") else BROWSERS
    executable = next(filter(None, map(shutil.which, asked)), None)
    absent = pytest.fail if os.environ.get("CI") else pytest.skip
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        absent("playwright is not installed (requirements-test.txt)")
    if executable is None:
        absent(f"not found: {' or '.join(asked)} (on Debian: apt-get install {asked[0]})")
    expect.set_options(timeout=30_000)  # ms: the machine may have other work
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=executable,
            args=[*FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def window(chromium: "Browser") -> "BrowserContext":
    """One context for all tests: it keeps the compiled scripts of the pages."""
    return chromium.new_context()


@pytest.fixture
def open_tab(
    window: "BrowserContext", request: pytest.FixtureRequest
) -> Iterator[Callable[..., "Page"]]:
    """Open an empty tab. On teardown no page of the window may have had an uncaught error.

    Keywords: width, height (CSS pixels), dark, reduced_motion. A test's first tab is the one that
    the test before has left: a new one takes twice the work, since it compiles all scripts again.
    What hovers has a new one, where the mouse has not moved yet.
    """
    kept = [] if request.node.get_closest_marker("hovers") else window.pages[:1]
    errors = []

    def note(error):
        errors.append(str(error.error))

    def opener(width=1280, height=720, dark=False, reduced_motion=False):
        page = kept.pop() if kept else window.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced_motion else "no-preference",
        )
        return page

    window.on("weberror", note)
    yield opener
    for page in window.pages[1:]:  # also those that pages have opened: they would run on
        page.close()
    for page in window.pages:
        page.unroute_all()
        page.mouse.move(0, 0)
        page.goto("about:blank")
    window.remove_listener("weberror", note)
    assert not errors, f"uncaught errors on the page: {errors}"


@pytest.fixture
def open_page(window: "BrowserContext", open_tab) -> Iterator[Callable[..., "Page"]]:
    """Open a URL in a tab of its own and return the playwright page; keywords as of `open_tab`.

    On teardown no page may have asked for anything off 127.0.0.1, and each must have kept to the
    server's content security policy; what it has stored in the browser is forgotten.
    """
    pages, external, refused = [], [], []

    def read(message):
        if "Content Security Policy" in message.text:
            refused.append(message.text)

    def watch(request):
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            external.append(request.url)

    def opener(url: str, **how):
        pages.append(page := open_tab(**how))
        page.goto(url)
        return page

    window.on("request", watch)
    window.on("console", read)
    yield opener
    window.remove_listener("request", watch)
    window.remove_listener("console", read)
    for page in pages:
        page.evaluate("""() => {
          Storage.prototype.setItem = () => {} // because an answer may still be on its way
          for (const kept of [localStorage, sessionStorage]) kept.clear()
        }""")
    assert not external, f"requests off this machine: {external}"
    assert not refused, f"what the server's policy does not allow: {refused}"


@pytest.fixture(scope="session")
def site() -> Iterator["Site"]:
    """A server for pages without Streamlit."""
    from tests.browser.lesson_page import Site

    with Site() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def empty_page(open_tab, site) -> Callable[..., "Page"]:
    """Open a page with nothing on it, for components by themselves; with the same keywords."""

    def opener(**how):
        page = open_tab(**how)
        site.page = "<!doctype html><title>Figure</title>"
        page.goto(site.url)
        return page

    return opener


@pytest.fixture
def open_beat(open_tab, site):
    """Open a beat without Streamlit: `open_beat("trellis", "add", {"dark": True}, ex="bio")`."""
    from tests.browser.lesson_page import open_beat

    def opener(lesson, beat, how=None, host="frame", **query):
        return open_beat(site, open_tab(**(how or {})), lesson, beat, query, host)

    return opener


@pytest.fixture
def draw(empty_page):
    """Draw a component by itself."""
    page = empty_page(reduced_motion=True)
    from tests.browser.mounted import mounted

    return lambda proto, width=900: mounted(page, proto, width)


@pytest.fixture(scope="session")
def serve(tmp_path_factory) -> Iterator[Callable[..., str]]:
    """Serve a script, once, for the rest of the session: `serve("app.py") -> url`."""
    with ExitStack() as servers:

        @cache
        def start(script: Path | str) -> str:
            log = tmp_path_factory.mktemp("server") / "log"
            return servers.enter_context(running(script, log))

        yield start


@pytest.fixture(scope="session")
def app_url(serve: Callable[..., str]) -> str:
    """The app itself, served once for the session."""
    return serve("app.py")


@pytest.fixture
def visit(open_page, app_url):
    """Open a page by its address, and wait until it is whole."""

    def opener(address, **options):
        page = open_page(f"{app_url}/{address}", **options)
        page.locator("footer.crf-footer").wait_for(timeout=60_000)
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        return page

    return opener
