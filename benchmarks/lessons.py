"""How fast the lessons are, in a real Chromium on a warm server, against their budgets.

    python -m benchmarks.lessons [--json] [--edits N]

Open: from asking for the page's address to the end of its run. Edit: from Enter in the score
editor, on the example that opens, to the first frame after the whole page has run anew. Step: from
the click to the next painted frame. Medians, in milliseconds.
"""

import argparse
import json
import os
import statistics
import time

from playwright.sync_api import Page

from benchmarks.browsing import warm_app
from benchmarks.page import PAINTED, STEP
from pages.shared.contents import COURSE

BUDGETS = {"open": 2500, "edit": 250, "step": 50}
STEPS = 30
STEPPED = ("forward", "backward", "viterbi")
# Types a score into the focused cell, then waits until no run has begun for a while: an edit runs
# the trellis and then the page. Until the frame after the last run has been painted.
EDIT = """async (value) => {
  let cell = document.activeElement
  while (cell.shadowRoot) cell = cell.shadowRoot.activeElement
  const app = document.querySelector('[data-testid=stApp]')
  const runs = () => app.dataset.testScriptState === 'running'
  let painted
  const watch = new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
    painted = runs() ? undefined : performance.now()
  })))
  cell.value = value
  cell.dispatchEvent(new Event('input', { bubbles: true }))
  watch.observe(app, { attributes: true, attributeFilter: ['data-test-script-state'] })
  const start = performance.now()
  cell.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  while (!painted || runs() || performance.now() - painted < 400) {
    if (performance.now() - start > 20000) throw Error('nothing ran')
    await new Promise((done) => setTimeout(done, 10))
  }
  watch.disconnect()
  return painted - start
}"""


def opened(page: Page, address: str) -> float:
    """Milliseconds until the page has been drawn."""
    start = time.perf_counter()
    page.goto(address)
    page.locator("footer.crf-footer").wait_for(timeout=60_000)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    return 1000 * (time.perf_counter() - start)


def lesson(page: Page, address: str, edits: int) -> dict[str, list[float]]:
    """Samples of one page."""
    opened(page, address)
    found = {"open": [opened(page, address) for _ in range(3)]}
    if address.rpartition("/")[2] in STEPPED:
        page.locator(".stepper .count").wait_for()
        found["step"] = []
        for _ in range(STEPS):
            found["step"].append(page.evaluate(STEP))
            page.evaluate(PAINTED)
        page.wait_for_timeout(1000)
    if "step" not in found:  # else the scores stand beside the trellis
        page.wait_for_timeout(1000)  # what has been sent may still be drawn
        editor = page.get_by_text("Edit scores")
        if not editor.count():
            return found
        editor.click()
    cell = page.locator("input.score").nth(6)
    cell.wait_for()
    page.wait_for_timeout(1500)
    found["edit"] = []
    for k in range(edits):
        cell.focus()
        found["edit"].append(page.evaluate(EDIT, f"{1 + k / 10:.1f}"))
        page.wait_for_timeout(400)
    return found


def measure(edits: int) -> dict[str, dict[str, float]]:
    """The medians of each lesson."""
    rows = {}
    with warm_app() as (browser, url):
        for each in COURSE[1:]:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            found = lesson(page, f"{url}/{each.address}", edits)
            rows[each.title] = {name: statistics.median(ms) for name, ms in found.items()}
            page.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--edits", type=int, default=12, help="edits on each page")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    arguments = parser.parse_args()
    rows = measure(arguments.edits)
    if arguments.json:
        print(json.dumps({"median_ms": rows, "budget_ms": BUDGETS, "load": os.getloadavg()[0]}))
        return
    print(f"{'':26}" + "".join(f"{name:>10}" for name in BUDGETS))
    print(f"{'budget':26}" + "".join(f"{ms:>7} ms" for ms in BUDGETS.values()))
    for title, row in rows.items():
        cells = (f"{row[name]:>7.0f} ms" if name in row else f"{'–':>10}" for name in BUDGETS)
        print(f"{title:26}" + "".join(cells))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
