"""How fast the page "Tag a sentence" is, in a real Chromium, against its budgets.

    python -m benchmarks.page [--json] [--runs N]

First paint and first tagged sentence count from starting `streamlit run` on a cold server, to the
sentence field and to the tagged sentence on the screen. A step counts from the click to the next
painted frame, at 17 tags × 40 words. An edit (a block of the flow clicked; a new sentence and
Enter) counts to the first frame with its new probability. Medians, in milliseconds.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.browsing import chromium, warm_app
from benchmarks.serving import running

BUDGETS = {
    "first paint": 2000,
    "first tagged sentence": 5000,
    "step, click to paint": 30,
    "tag held to repaint": 250,
    "new sentence to repaint": 250,
}
SENTENCES = ("The kindly guide his horse .", "They can fish for flies like that today")
FORTY_WORDS = " ".join(["The old man saw the boat near"] * 6).rsplit(" ", 2)[0]

PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
STEP = """async () => {
  const deep = (root) => [...root.querySelectorAll('button'),
    ...[...root.querySelectorAll('*')].flatMap((e) => e.shadowRoot ? deep(e.shadowRoot) : [])]
  const next = deep(document).find((e) => /next step/i.test(e.ariaLabel ?? e.title))
  const start = performance.now()
  next.click()
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  return performance.now() - start
}"""
# Changes something, then waits for the frame in which the probability has changed.
EDIT = """async (change) => {
  const deep = (root, what) => [...root.querySelectorAll(what), ...[...root.querySelectorAll('*')]
    .flatMap((e) => e.shadowRoot ? deep(e.shadowRoot, what) : [])]
  const shown = () => document.querySelector('.crf-big')?.textContent
  const before = shown()
  let start
  if (change.hold) { // a tag off the best path; if one is held, that one is let go
    const blocks = deep(document, '.block.opens').filter((e) => e.dataset.tag !== 'other')
    const held = blocks.find((e) => e.ariaPressed === 'true')
    const other = blocks.find((e) => e.querySelector('.hit') && !e.querySelector('.outline'))
    start = performance.now()
    ;(held ?? other).dispatchEvent(new MouseEvent('click', { bubbles: true }))
  } else {
    const field = document.querySelector('input[type=text]')
    const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
    own.set.call(field, change.text)
    field.dispatchEvent(new Event('input', { bubbles: true }))
    start = performance.now()
    const enter = { key: 'Enter', code: 'Enter', bubbles: true }
    field.dispatchEvent(new KeyboardEvent('keydown', enter))
  }
  while (shown() === before || shown() === undefined) {
    if (performance.now() - start > 20000) throw Error('nothing changed')
    await new Promise((done) => requestAnimationFrame(done))
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))
  return performance.now() - start
}"""


def cold_start(browser: Browser, folder: Path) -> tuple[float, float]:
    """Milliseconds from starting the server to the sentence field, and to the tagged sentence."""
    start = time.perf_counter()
    with running("app.py", folder / "log") as url:
        page = browser.new_page()
        page.goto(url)
        page.get_by_label("Your sentence").wait_for()
        painted = time.perf_counter()
        page.locator(".crf-sum").wait_for()
        tagged = time.perf_counter()
        page.close()
    return 1000 * (painted - start), 1000 * (tagged - start)


def open_at(browser: Browser, url: str, sentence: str) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(url)
    field = page.get_by_label("Your sentence")
    field.fill(sentence)
    field.press("Enter")
    last = sentence.split()[-1]
    page.locator("[data-figure=flow] .word", has_text=last).last.wait_for()
    page.locator("footer.crf-footer").wait_for()
    page.get_by_text("How Viterbi finds the best one").click()
    page.wait_for_timeout(2000)
    return page


def measure(runs: int) -> dict[str, list[float]]:
    """Every sample, by the name of what was measured."""
    samples = {name: [] for name in BUDGETS}
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            painted, tagged = cold_start(browser, Path(folder))
            samples["first paint"].append(painted)
            samples["first tagged sentence"].append(tagged)
    with warm_app() as (browser, url):
        page = open_at(browser, url, FORTY_WORDS)
        for _ in range(10 * runs):
            samples["step, click to paint"].append(page.evaluate(STEP))
            page.evaluate(PAINTED)
        page.close()
        page = open_at(browser, url, SENTENCES[0])
        for _ in range(4 * runs):
            samples["tag held to repaint"].append(page.evaluate(EDIT, {"hold": True}))
            page.wait_for_timeout(500)
        page.close()
        page = open_at(browser, url, SENTENCES[0])
        for i in range(4 * runs):
            change = {"text": SENTENCES[(i + 1) % 2]}
            samples["new sentence to repaint"].append(page.evaluate(EDIT, change))
            page.wait_for_timeout(500)
    return samples


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--runs", type=int, default=3, help="cold starts; the rest in proportion")
    parser.add_argument("--json", action="store_true", help="one line of JSON instead of a table")
    arguments = parser.parse_args()
    samples = measure(arguments.runs)
    rows = {
        name: {
            "median_ms": round(statistics.median(values), 1),
            "budget_ms": BUDGETS[name],
            "ratio": round(statistics.median(values) / BUDGETS[name], 3),
            "samples": len(values),
        }
        for name, values in samples.items()
    }
    if arguments.json:
        print(json.dumps({"measurements": rows, "load_average": os.getloadavg()[0]}))
        return
    print(f"{'':28}{'median':>10}{'budget':>10}{'ratio':>8}{'samples':>9}")
    for name, row in rows.items():
        times = f"{row['median_ms']:>7.0f} ms{row['budget_ms']:>7} ms"
        print(f"{name:28}{times}{row['ratio']:>8.2f}{row['samples']:>9}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
