"""A score dragged beside the trellis, 5 tags × 8 tokens: from the move to the painted picture.

    python -m benchmarks.dragging [--moves N] [--json]

Move: from a pointer's move that changes the score to the first frame in which the trellis of that
score or a later one is painted, one move at a time; the median, in milliseconds. Repaints: how many
a second while the pointer moves on without a pause.
"""

import argparse
import json
import os
import statistics

from playwright.sync_api import Page

from benchmarks.browsing import until, warm_app
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import to_query
from pages.shared.ui.teacher import link

BUDGETS = {"move": 100, "repaints": 10}
PAGES = ("forward", "backward", "viterbi")
SIZE = 5, 8  # tags, tokens
# Notes when a trellis has been painted, and when the pointer was last moved.
WATCH = """() => {
  const find = (root, selector) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.matches(selector)) return element
      const inside = element.shadowRoot && find(element.shadowRoot, selector)
      if (inside) return inside
    }
  }
  const note = () => window.painted.push(performance.now())
  window.painted = []
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(note)))
    .observe(find(document, '.stepper .scroll'), { childList: true })
  const moved = () => (window.moved = performance.now())
  find(document, '.stepper').addEventListener('pointermove', moved, true)
}"""


def dragged(page: Page, address: str, moves: int) -> tuple[list[float], float]:
    """Milliseconds from move to paint, and repaints a second."""
    page.goto(address)
    page.locator(".stepper .cell.on").first.wait_for(timeout=60_000)
    page.wait_for_timeout(1500)
    for _ in range(5):
        page.keyboard.press("End")
    cell = page.locator(".stepper .transitions input.score").nth(8)
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.evaluate(WATCH)
    page.mouse.move(x, y)
    page.mouse.down()
    waits = []
    for k in range(1, moves + 1):
        page.evaluate("window.painted = []")
        page.mouse.move(x, y - 8 * k)
        until(page, "window.painted.length", 10.0)
        waits.append(page.evaluate("window.painted[0] - window.moved"))
    page.evaluate("window.painted = []")
    for k in range(300):
        page.mouse.move(x, y - 4 * (k % 60))
        page.wait_for_timeout(6)
    times = page.evaluate("window.painted")
    page.mouse.up()
    return waits[2:], (len(times) - 1) / (times[-1] - times[0]) * 1000


def address_of(problem: Problem, page: str) -> str:
    """A lesson with this problem, below the server's address."""
    return link(None, page, to_query(problem))


def measure(moves: int) -> dict[str, dict[str, float]]:
    """Of each page the median move and the rate of repaints."""
    tags, tokens = SIZE
    problem = Problem.blank([f"T{s}" for s in range(tags)], [f"w{t}" for t in range(tokens)])
    rows = {}
    with warm_app() as (browser, url):
        for name in PAGES:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            waits, rate = dragged(page, url + address_of(problem.random(3), name), moves)
            rows[name] = {"move": statistics.median(waits), "repaints": rate}
            page.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--moves", type=int, default=30, help="moves on each page")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    arguments = parser.parse_args()
    rows = measure(arguments.moves)
    if arguments.json:
        print(json.dumps({"rows": rows, "budget": BUDGETS, "load": os.getloadavg()[0]}))
        return
    print(f"{'':10}{'move':>10}{'repaints':>14}")
    print(f"{'budget':10}{BUDGETS['move']:>7} ms{BUDGETS['repaints']:>12}/s")
    for name, row in rows.items():
        print(f"{name:10}{row['move']:>7.0f} ms{row['repaints']:>12.1f}/s")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
