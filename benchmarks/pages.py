"""What meets a reader's eye on each page: words, controls, and how much of it is the picture.

    python -m benchmarks.pages [ADDRESS …] [--json] [--width 1280] [--height 720]

words       visible words of the page as it opens, what is folded and what stands in figures aside
controls    on the first screen: buttons, fields, sliders, each option of a switch, links outside
            running text; cells of a figure and the app's menu are not counted
picture     share of the first screen that figures cover, in percent
"""

import argparse
import json
from collections.abc import Sequence

from playwright.sync_api import Page

from benchmarks.browsing import until, warm_app
from pages.shared.contents import COURSE

BUDGETS = {"words": 500, "controls": 12, "picture": 33}  # at most, at most, at least
# Walks the page through its shadow roots. A figure says that it is one (data-figure); of older
# ones a large drawing or heat map counts.
MEASURE = r"""() => {
  const main = document.querySelector('[data-testid=stMain]');
  const shown = (node) => {
    if (!node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return false;
    const { width, height } = node.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  const inView = ({ left, top, right, bottom }) =>
    bottom > 4 && top < innerHeight - 4 && right > 4 && left < innerWidth - 4;
  const isFigure = (node) => {
    if (node.dataset?.figure !== undefined) return true;
    const { width, height } = node.getBoundingClientRect();
    const drawn = node.matches('svg, canvas, .js-plotly-plot, .stage, table.crf-grid');
    return drawn && width > 150 && height > 80;
  };
  const CONTROL = 'button, input, textarea, select, summary, a[href], [role=button],' +
    '[role=radio], [role=tab], [role=slider], [role=combobox], [role=switch]';
  let words = 0, figures = [], controls = [];
  const walk = (node, inFigure) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (!inFigure) words += (node.data.match(/[\p{L}\p{N}][^\s]*/gu) ?? []).length;
      return;
    }
    if (![Node.ELEMENT_NODE, Node.DOCUMENT_FRAGMENT_NODE].includes(node.nodeType)) return;
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (node.matches('script, style, footer, option')) return;
      if (node.tagName === 'DETAILS' && !node.open) {
        const summary = node.querySelector(':scope > summary');
        if (summary) walk(summary, inFigure);
        return;
      }
      const box = getComputedStyle(node).display === 'contents';
      if (!box && !shown(node)) return;
      if (!inFigure && isFigure(node)) {
        inFigure = true;
        figures.push(node.getBoundingClientRect());
      }
      const onItsOwn = node.closest('[data-testid=stPageLink]');
      const inText = node.matches('p a[href], li a[href]') && !onItsOwn;
      const isOption = node.matches('label:has(input[type=radio], input[type=checkbox])');
      if (!inFigure && (node.matches(CONTROL) || isOption) && !inText) {
        const place = node;
        const box = place.getBoundingClientRect();
        const inner = controls.some(([other]) => other.contains(place) || place.contains(other));
        if (!inner && box.width > 1 && inView(box)) controls.push([place, node]);
      }
    }
    for (const child of node.childNodes) walk(child, inFigure);
    if (node.shadowRoot) walk(node.shadowRoot, inFigure);
  };
  walk(main, false);
  // Area of the union of the figures' boxes on the first screen, on a grid of 4 pixels.
  let covered = 0, all = 0;
  const at = figures.filter(inView);
  for (let y = 2; y < innerHeight; y += 4) for (let x = 2; x < innerWidth; x += 4) {
    all++;
    if (at.some((b) => x >= b.left && x < b.right && y >= b.top && y < b.bottom)) covered++;
  }
  const named = ([place, node]) =>
    (node.getAttribute('aria-label') || place.innerText || node.type || '')
      .trim().replace(/\s+/g, ' ').slice(0, 40);
  const picture = Math.round((100 * covered) / all);
  return { words, controls: controls.length, picture, named: controls.map(named) };
}"""


def measured(page: Page, address: str) -> dict:
    """One page as it opens."""
    page.goto(address)
    page.locator("footer.crf-footer").wait_for(timeout=60_000)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    until(page, "!document.querySelector('[data-testid=stSkeleton]')")  # plotly's code
    page.wait_for_timeout(800)  # plotly and the components draw after the run
    return page.evaluate(MEASURE)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("addresses", nargs="*", help="of pages; all by default")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=720)
    parser.add_argument("--names", action="store_true", help="name the controls, too")
    given = parser.parse_args(arguments)
    found = {}
    with warm_app() as (browser, url):
        page = browser.new_page(viewport={"width": given.width, "height": given.height})
        for address in given.addresses or [entry.address for entry in COURSE]:
            found[address] = measured(page, f"{url}/{address}")
    if given.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{'':12}{'words':>8}{'controls':>10}{'picture':>9}")
    for address, one in found.items():
        print(f"{address:12}{one['words']:8}{one['controls']:10}{one['picture']:8} %")
        if given.names:
            print(f"{'':12}{'; '.join(one['named'])}")


if __name__ == "__main__":
    main()
