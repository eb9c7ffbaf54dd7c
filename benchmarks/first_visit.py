"""What a first visit costs, in a Chromium that has nothing in its cache: requests, bytes, seconds.

    python -m benchmarks.first_visit [--path /] [--times N] [--against FOLDER] [--json]

loopback   This machine alone.
slow line  1.6 Mbit/s with 150 ms to each answer, as in a lecture hall.
again      A second visit on the slow line, with what the first has left in the cache.
phone      A student's phone, which has joined a class, on the slow line. The class is at one beat,
           and then it is shown another.

First: seconds until something is painted, which is a still of the picture. Picture: until the
lesson's picture itself stands. Shift: what the browser calls cumulative layout shift, 0 where
nothing jumps. Requests and kB are those until nothing has come for two seconds; what runs through
the WebSocket is not counted. With another checkout of the app in FOLDER, both take turns; its rows
say "(theirs)".
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.classroom import show
from benchmarks.harness import report
from benchmarks.serving import FLAGS, ROOT, serving
from pages.beats import LESSONS
from pages.teach.classroom.door import PHONE
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store

SLOW = {"latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1.6e6 / 8}
BEATS = "path", "add"  # shown to a class
PAINTED = """() => {
  const first = performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000;
  const watch = new PerformanceObserver(() => {});
  watch.observe({ type: "layout-shift", buffered: true });
  const shift = watch.takeRecords().reduce((sum, { value }) => sum + value, 0);
  return { first, shift };
}"""
Visit = dict[str, float]


def visited(
    context: BrowserContext,
    address: str,
    line: dict[str, float] | None,
    then: Callable[[], None] = lambda: None,
) -> Visit:
    """Open a page in a new tab and count; `then`: called once its picture stands."""
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    if line:
        tools.send("Network.emulateNetworkConditions", {"offline": False, **line})
    sizes, last = [], [time.perf_counter()]

    def ended(event: dict) -> None:
        sizes.append(event["encodedDataLength"])
        last[0] = time.perf_counter()

    tools.on("Network.loadingFinished", ended)
    begun = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator("[data-figure]").first.wait_for(timeout=90_000)
    seconds = time.perf_counter() - begun
    then()
    while time.perf_counter() - last[0] < 2.0:
        page.wait_for_timeout(100)
    painted = page.evaluate(PAINTED)
    page.close()
    return {"requests": len(sizes), "kB": sum(sizes) / 1000, "picture": seconds, **painted}


def visits(browser: Browser, address: str) -> Iterator[tuple[str, Visit]]:
    """One visit of each kind."""
    for name, line in (("loopback", None), ("slow line", SLOW)):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        yield name, visited(context, address, line)
        if line:
            yield "again", visited(context, address, line)
        context.close()


def phone(browser: Browser, url: str, room: Room) -> Visit:
    """A visit of a phone that follows a class."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    context.add_cookies([{"name": PHONE, "value": room.join(room.keys.code, None), "url": url}])
    show(url, room.keys.token, BEATS[0])
    visit = visited(context, f"{url}/class", SLOW, lambda: show(url, room.keys.token, BEATS[1]))
    context.close()
    return visit


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--path", default="/", help="of the page that is visited")
    parser.add_argument("--times", type=int, default=5, help="visits of each kind")
    parser.add_argument("--against", type=Path, help="another checkout of the app")
    parser.add_argument("--json", action="store_true", help="a line of JSON instead of a table")
    options = parser.parse_args()
    roots = {"": ROOT} | ({" (theirs)": options.against.resolve()} if options.against else {})
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        urls = {
            whose: stack.enter_context(serving("app.py", folder / f"log{whose}", root=root)).url
            for whose, root in roots.items()
        }
        classes = {}
        for whose, root in roots.items():
            how = ("--class", "--store", str(folder / f"class{whose}"))
            url = stack.enter_context(serving("app.py", folder / "log", *how, root=root)).url
            store = stack.enter_context(closing(Store(folder / f"class{whose}")))
            classes[whose] = url, Room(store, LESSONS)
        chromium = stack.enter_context(sync_playwright()).chromium
        browser = chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
        for url in urls.values():
            visited(browser.new_context(), url + options.path, None)  # a cold server's imports
        taken: dict[str, list[Visit]] = {}
        for _ in range(options.times):
            for whose, url in urls.items():
                for name, visit in visits(browser, url + options.path):
                    taken.setdefault(name + whose, []).append(visit)
                taken.setdefault(f"phone{whose}", []).append(phone(browser, *classes[whose]))
        browser.close()
    rows = {
        name: {figure: statistics.median(one[figure] for one in found) for figure in found[0]}
        for name, found in sorted(taken.items())
    }
    report(rows, as_json=options.json)


if __name__ == "__main__":
    main()
