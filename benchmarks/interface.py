"""How fast the app is in a real Chromium, against its budgets: medians, in milliseconds.

    python -m benchmarks.interface [all | front | typing | lessons | dragging] [--times N] [--json]

front      From starting `streamlit run` on a cold server to the sentence field ("first paint") and
           to the tagged sentence. A block of the flow clicked, or a new sentence and Enter: to the
           first frame with the new probability. Frames a second while the dot of the pad is
           dragged, at 17 tags × 12 words.
typing     From the blank behind a typed word to the first frame with the word's blocks, by oneself,
           and while thirty others type (`benchmarks.typists`), whose own wait is "thirty".
lessons    Open: from asking for the address to the end of the page's run. In the trellis, step and
           edit: from a key to the first frame with the next cell's sentence, or with the equation
           of another score; "step of many": at 17 tags × 40 words.
dragging   A score dragged in the trellis, 5 tags × 8 tokens. Move: from the pointer's move to the
           first frame with the numbers of that score or a later one. Repaints: how many a second
           while the pointer moves on without a pause.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page

from benchmarks.browsing import open_page, until, until_quiet, warm_app
from benchmarks.harness import report
from benchmarks.serving import ROOT, running
from pages.shared.contents import COURSE
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import to_query

BUDGETS = {
    "front": {"first paint": 5000, "tagged": 5000, "tag fixed": 250, "sentence": 300, "frames": 30},
    "typing": {"one": 150, "among thirty": 500, "thirty": 500},
    "lessons": {"open": 2500, "edit": 250, "step": 30, "step of many": 30},
    "dragging": {"move": 100, "repaints": 10},
}
TRELLISES = ("forward", "viterbi", "backward")
SENTENCES = ("The kindly guide his horse .", "They can fish for flies like that today")
FORTY_WORDS = " ".join(("The old man saw the boat near " * 6).split()[:40])
TWELVE_WORDS = "The committee will book the early flight that leaves Paris before noon"
Samples = dict[str, list[float]]


def new_page(browser: Browser) -> Page:
    """A new page with the script that acts in it."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.add_init_script(path=Path(__file__).with_suffix(".js"))
    return page


def sampled(
    page: Page, what: str, times: int, pause: int, values: Sequence[str] = ("",)
) -> list[float]:
    """Time an action in the page several times."""
    samples = []
    for value in islice(cycle(values), times):
        samples.append(page.evaluate(f"(value) => bench.{what}(value)", value))
        page.wait_for_timeout(pause)
    return samples


def opened(page: Page, address: str) -> float:
    """Milliseconds until the page has been drawn."""
    start = time.perf_counter()
    open_page(page, address)
    return 1000 * (time.perf_counter() - start)


def front(browser: Browser, url: str, times: int) -> Iterator[tuple[str, Samples]]:
    """The page "Tag a sentence"; cold starts are a few, each of a server of its own."""
    samples: Samples = {"first paint": [], "tagged": []}
    for _ in range(max(1, times // 4)):
        start = time.perf_counter()
        with TemporaryDirectory() as folder, running("app.py", Path(folder) / "log") as own:
            page = new_page(browser)
            page.goto(own)
            parts = page.locator("[data-headline]"), page.locator(".block").first
            for values, part in zip(samples.values(), parts, strict=True):
                part.wait_for()
                values.append(1000 * (time.perf_counter() - start))
            page.close()
    for name, sentence, what, texts in (
        ("tag fixed", SENTENCES[0], "fix", [""]),
        ("sentence", SENTENCES[0], "retype", SENTENCES[::-1]),
    ):
        page = new_page(browser)
        page.goto(f"{url}/?{urlencode({'sentence': sentence})}")
        page.locator(".block").first.wait_for()
        page.locator("footer.crf-footer").wait_for()
        page.wait_for_timeout(2000)
        samples[name] = sampled(page, what, times, 500, texts)
        page.close()
    samples["frames"] = [dragged_dot(browser, url) for _ in range(max(1, times // 4))]
    yield "Tag a sentence", samples


def typing(browser: Browser, url: str, times: int) -> Iterator[tuple[str, Samples]]:
    """A reader who types, alone and beside thirty others."""
    samples: Samples = {"one": typed(browser, url, times)}
    command = [sys.executable, "-m", "benchmarks.typists", url, "--seconds", str(4 * times)]
    others = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    time.sleep(3)
    samples["among thirty"] = typed(browser, url, times)
    samples["thirty"] = [json.loads(others.communicate()[0])["typed"]]
    yield "Tag a sentence", samples


def typed(browser: Browser, url: str, times: int) -> list[float]:
    """Milliseconds for each word of a sentence, from its blank to the frame that shows its tags."""
    page = new_page(browser)
    page.goto(url)
    page.locator(".block").first.wait_for()
    until_quiet(page)
    page.locator("[data-headline]").click()
    samples: list[float] = []
    while len(samples) < times:
        words = TWELVE_WORDS.split()[:8]
        for k in range(1, len(words)):
            samples.append(page.evaluate("(text) => bench.type(text)", " ".join(words[:k]) + " "))
            page.wait_for_timeout(250)
        page.evaluate("bench.empty()")
        page.wait_for_timeout(250)
    page.close()
    return samples


def dragged_dot(browser: Browser, url: str) -> float:
    """Frames a second while the pad's dot is dragged to the left and back."""
    page = new_page(browser)
    page.goto(f"{url}/?{urlencode({'sentence': TWELVE_WORDS})}")
    dot = page.locator("[data-lambda]")
    dot.wait_for()
    page.wait_for_timeout(2000)
    box = dot.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("bench.count()")
    start = time.perf_counter()
    for k in range(240):
        page.mouse.move(x - 2 * (120 - abs(120 - k)), y)
    rate = page.evaluate("window.frames") / (time.perf_counter() - start)
    page.mouse.up()
    page.close()
    return rate


def lessons(browser: Browser, url: str, times: int) -> Iterator[tuple[str, Samples]]:
    """Every lesson, on the example that it opens with."""
    for entry in COURSE[1:]:
        page, address = new_page(browser), f"{url}/{entry.address}"
        opened(page, address)
        samples = {"open": [opened(page, address) for _ in range(3)]}
        until_quiet(page)
        if entry.address in TRELLISES:  # the other door has no steps
            page.locator("[data-figure=trellis] .cell.now").first.wait_for()
            there_and_back = "ArrowRight", "ArrowLeft"  # a beat may have two steps, then a bet
            samples["step"] = sampled(page, "step", 2 * times, 50, there_and_back)
            samples["edit"] = sampled(page, "score", times, 300, ["ArrowUp", "ArrowDown"])
            page.goto(f"{address}?{urlencode({'sentence': FORTY_WORDS})}")
            page.locator("[data-figure=trellis] .cell.now").first.wait_for()
            until_quiet(page)
            samples["step of many"] = sampled(page, "step", 2 * times, 300, there_and_back)
        page.close()
        yield entry.title, samples


def dragging(browser: Browser, url: str, times: int) -> Iterator[tuple[str, Samples]]:
    """A score on an edge of the trellis, in each recursion."""
    problem = Problem.blank([f"T{s}" for s in range(5)], [f"w{t}" for t in range(8)]).random(3)
    for name in TRELLISES:
        page = new_page(browser)
        page.goto(f"{url}/{name}?{urlencode(to_query(problem))}")
        score = page.locator('[data-score^="t:"]').first
        score.wait_for(timeout=60_000)
        until_quiet(page)
        box = score.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.evaluate("bench.watch()")
        page.mouse.move(x, y)
        page.mouse.down()
        waits = []
        for k in range(1, 2 * times + 3):  # the first two fill caches
            page.evaluate("window.paints = []")
            page.mouse.move(x, y - 8 * k)
            until(page, "window.paints.length", 10.0)
            waits.append(page.evaluate("window.paints[0] - window.moved"))
        page.evaluate("window.paints = []")
        for k in range(300):
            page.mouse.move(x, y - 4 * (k % 60))
            page.wait_for_timeout(6)
        paints = page.evaluate("window.paints")
        page.close()
        rate = 1000 * (len(paints) - 1) / (paints[-1] - paints[0])
        yield name, {"move": waits[2:], "repaints": [rate]}


PARTS: dict[str, Callable[[Browser, str, int], Iterator[tuple[str, Samples]]]] = {
    "front": front,
    "typing": typing,
    "lessons": lessons,
    "dragging": dragging,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", choices=["all", *PARTS], default="all")
    parser.add_argument("--times", type=int, default=12, help="samples of each figure")
    parser.add_argument("--json", action="store_true", help="a line of JSON instead of a table")
    options = parser.parse_args()
    for part in PARTS if options.part == "all" else [options.part]:
        with warm_app() as (browser, url):
            rows = {
                title: {name: statistics.median(ms) for name, ms in samples.items()}
                for title, samples in PARTS[part](browser, url, options.times)
            }
        report(rows, as_json=options.json, budgets=BUDGETS[part])


if __name__ == "__main__":
    main()
