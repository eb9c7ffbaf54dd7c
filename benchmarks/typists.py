"""Readers who type on the front page, as the server sees them: how long each of them waits.

    python -m benchmarks.typists URL [--readers N] [--seconds S]

Each types a word a second, which asks for what has been typed so far, and after a sentence rests,
which asks for all of it. Printed are the medians in milliseconds, as a line of JSON.
"""

import argparse
import statistics
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from crf.strict_json import write_json

WORD = 1.0  # seconds from word to word
SENTENCES = (
    "We plan to visit the old town by the sea tomorrow",
    "Can you book a table near the window for two",
    "My brother will train the new staff before they leave",
    "The sound of the bell means that the break is over",
)


def typist(url: str, number: int, until: float) -> list[tuple[str, float]]:
    """What a reader asked for, and the milliseconds until it was there."""
    waits = []
    time.sleep(WORD * (number % 10) / 10)
    while time.monotonic() < until:
        words: list[str] = [*SENTENCES[number % len(SENTENCES)].split()]
        # no two readers type the same, so that no answer is there already
        words.insert(1 + number % 3, f"({number})")
        for k in range(1, len(words) + 1):
            last = k == len(words)
            want = "whole" if last else "typed"
            state = {"sentence": " ".join(words[:k]), "tagger": "local"}
            waits.append((want, asked(url, {"state": state, "want": want})))
            time.sleep(max(WORD - waits[-1][1] / 1000, 0))
        number += 30
    return waits


def asked(url: str, body: dict) -> float:
    """Milliseconds until the server has answered."""
    start = time.perf_counter()
    request = urllib.request.Request(f"{url}/draw/tag/flow", write_json(body).encode())
    with urllib.request.urlopen(request, timeout=60) as answer:
        answer.read()
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("url")
    parser.add_argument("--readers", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    with ThreadPoolExecutor(options.readers) as crowd:
        runs = [crowd.submit(typist, options.url, k, until) for k in range(options.readers)]
        waits = [wait for run in runs for wait in run.result()]
    medians = {
        want: statistics.median([ms for what, ms in waits if what == want])
        for want in ("typed", "whole")
    }
    print(write_json(medians | {"answers": len(waits)}))


if __name__ == "__main__":
    main()
