"""The first screen of each page in numbers: words, controls, and the picture's share.

    python -m benchmarks.pages [ADDRESS …] [--json] [--width 1280] [--height 720]

words       visible words of the page as it opens, what is folded and what stands in figures aside
controls    on the first screen: buttons, fields, sliders, each option of a switch, links outside
            running text; cells of a figure and the app's menu are not counted
picture     share of the first screen that figures cover, in percent
"""

import argparse
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from benchmarks.browsing import open_page, warm_app
from benchmarks.harness import report
from pages.shared.contents import COURSE

BUDGETS = {"words": 500, "controls": 12, "picture": 33}  # at most, at most, at least
MEASURE = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")


def measured(page: Page, address: str) -> dict:
    """Measure one page as it opens."""
    open_page(page, address)
    with suppress(PlaywrightTimeoutError):  # components draw after the run; not all pages have one
        page.locator("[data-figure]").first.wait_for(timeout=800)
    page.evaluate("document.fonts.ready.then(() => null)")
    return page.evaluate(MEASURE)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("addresses", nargs="*", help="of pages; all by default")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--names", action="store_true", help="name the controls, too")
    options = parser.parse_args()
    pages = {}
    with warm_app() as (browser, url):
        page = browser.new_page(viewport={"width": options.width, "height": options.height})
        for address in options.addresses or [entry.address for entry in COURSE]:
            pages[address] = measured(page, f"{url}/{address}")
    rows = {address: {name: one[name] for name in BUDGETS} for address, one in pages.items()}
    report(rows, as_json=options.json, budgets=BUDGETS)
    if options.names:
        for address, one in pages.items():
            print(f"{address}: {'; '.join(one['named'])}")


if __name__ == "__main__":
    main()
