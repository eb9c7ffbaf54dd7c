"""What a first visit costs, in a Chromium that has nothing in its cache: requests, bytes, seconds.

    python -m benchmarks.first_visit [--path /] [--times N] [--against FOLDER] [--json]

loopback   This machine alone.
slow line  1.6 Mbit/s with 150 ms to each answer, as in a lecture hall.
again      A second visit on the slow line, with what the first has left in the cache.

Picture: seconds from asking for the page until the lesson's picture stands. Requests and kB are
those until nothing has come for two seconds; what runs through the WebSocket is not counted.
With another checkout of the app in FOLDER, both take turns; its rows say "(theirs)".
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.harness import report
from benchmarks.serving import FLAGS, ROOT, serving

SLOW = {"latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 1.6e6 / 8}
Visit = dict[str, float]


def visited(context: BrowserContext, address: str, line: dict[str, float] | None) -> Visit:
    """Open a page in a new tab and count."""
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
    while time.perf_counter() - last[0] < 2.0:
        page.wait_for_timeout(100)
    page.close()
    return {"requests": len(sizes), "kB": sum(sizes) / 1000, "picture": seconds}


def visits(browser: Browser, address: str) -> Iterator[tuple[str, Visit]]:
    """One visit of each kind."""
    for name, line in (("loopback", None), ("slow line", SLOW)):
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        yield name, visited(context, address, line)
        if line:
            yield "again", visited(context, address, line)
        context.close()


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
        chromium = stack.enter_context(sync_playwright()).chromium
        browser = chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))
        for url in urls.values():
            visited(browser.new_context(), url + options.path, None)  # a cold server's imports
        taken: dict[str, list[Visit]] = {}
        for _ in range(options.times):
            for whose, url in urls.items():
                for name, visit in visits(browser, url + options.path):
                    taken.setdefault(name + whose, []).append(visit)
        browser.close()
    rows = {
        name: {figure: statistics.median(one[figure] for one in found) for figure in found[0]}
        for name, found in sorted(taken.items())
    }
    report(rows, as_json=options.json)


if __name__ == "__main__":
    main()
