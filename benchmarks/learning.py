"""How fast the lesson Learning trains its small corpus, and shows it, against its budgets.

    python -m benchmarks.learning [--json] [--iterations 1000]

Training: gradient ascent on the corpus that opens, without drawing, on one core. An iteration: from
the click on "One iteration on" to the frame in which its number is painted. A run anew: from Enter
behind another learning rate to the frame with its curve, all iterations of it. Milliseconds,
medians.
"""

import argparse
import json
import os
import statistics
import time

import torch
from playwright.sync_api import Locator, Page

from benchmarks.browsing import warm_app
from pages.learning import corpus, training

BUDGETS = {"training": 2000, "iteration": 100, "run anew": 250}
TIMES = 15
ITERATION = """async (figure) => {
  const said = figure.querySelector('output'), before = said.textContent
  const start = performance.now()
  figure.querySelector('.on').click()
  while (said.textContent === before) {
    if (performance.now() - start > 20000) throw Error('nothing changed')
    await new Promise((done) => requestAnimationFrame(done))
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  return performance.now() - start
}"""


def trained(iterations: int) -> float:
    """Milliseconds of one training."""
    torch.set_num_threads(1)
    first = corpus.parse(next(iter(corpus.PRESETS.values())).text)
    start = time.perf_counter()
    training.train(first, training.CorpusSettings(iterations=iterations))
    return 1000 * (time.perf_counter() - start)


def anew(page: Page, figure: Locator, rate: str) -> float:
    """Milliseconds until another learning rate's run is on the screen."""
    title = figure.locator(".curve-title")
    before = title.text_content()
    field = page.get_by_label("Learning rate")
    field.fill(rate)
    start = time.perf_counter()
    field.press("Enter")
    title.evaluate(
        """(title, before) => new Promise((done) => {
          const look = () => title.textContent !== before ? done() : requestAnimationFrame(look)
          look()
        })""",
        before,
    )
    return 1000 * (time.perf_counter() - start)


def measure(iterations: int) -> dict[str, float]:
    """The medians."""
    trained(10)
    found = {"training": [trained(iterations) for _ in range(5)]}
    with warm_app() as (browser, url):
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{url}/learning")
        figure = page.locator("[data-figure=training]")
        figure.locator("output").wait_for()
        page.wait_for_timeout(2000)
        found["iteration"] = []
        for _ in range(TIMES):
            found["iteration"].append(figure.evaluate(ITERATION))
            page.wait_for_timeout(700)
        found["run anew"] = []
        for k in range(TIMES):
            found["run anew"].append(anew(page, figure, f"{0.6 + k / 100:.2f}"))
            page.wait_for_timeout(700)
    return {name: statistics.median(ms) for name, ms in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=1000, help="of a training")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    arguments = parser.parse_args()
    found = measure(arguments.iterations)
    if arguments.json:
        print(json.dumps({"median_ms": found, "budget_ms": BUDGETS, "load": os.getloadavg()[0]}))
        return
    for name, ms in found.items():
        print(f"{name:12}{ms:>8.0f} ms of {BUDGETS[name]} ms")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
