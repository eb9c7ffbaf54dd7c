"""Many readers on one server: how long an answer takes when all of them step and change things.

    python -m benchmarks.sessions [--json] [--sessions 100] [--seconds 30] [--edits 0.1]

A share of the sessions has the page "Tag a sentence" open and fixes a tag every two seconds; the
others take a step of the trellis as often. Both are asked of the server beside the page's runs. A
round trip counts from the question to the answer. The budget is on the median, and on the time
within which 95 % end; the clients share the machine with the server.
"""

import argparse
import asyncio
import os
import platform
import random
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.raw_client import RawClient, run_apart
from benchmarks.serving import running
from crf.strict_json import write_json

BUDGET, BUDGET_95 = 30, 150  # ms
PERIOD = 2.0  # s between two actions of a session
WORDS = "The old man the boat on the river today"
TAGS = 17


async def reader(client: RawClient, seed: int, seconds: float, trips: list[float]) -> None:
    """Run one session: it waits for a while, then acts every two seconds."""
    draw = random.Random(seed)
    await asyncio.sleep(draw.uniform(0, PERIOD))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        start = time.perf_counter()
        if client.page_name == "viterbi":
            await client.draw("trellis/best", {"ex": "old-man", "step": str(draw.randrange(20))})
        else:
            fixed = f"{draw.randrange(len(WORDS.split()))}.{draw.randrange(TAGS)}"
            await client.draw("tag/flow", {"sentence": WORDS, "fix": fixed})
        took = time.perf_counter() - start
        trips.append(1000 * took)
        await asyncio.sleep(max(0.0, PERIOD - took))


async def crowd(url: str, sessions: int, seconds: float, edits: float) -> dict:
    """Run several sessions at once for a time, starting when all have their page."""
    tag, step = ("start", f"sentence={WORDS.replace(' ', '+')}"), ("viterbi", "")
    pages = [tag if k < edits * sessions else step for k in range(sessions)]
    clients = [await RawClient.open(url, *page) for page in pages]
    trips: list[float] = []
    results = await asyncio.gather(
        *(reader(client, seed, seconds, trips) for seed, client in enumerate(clients)),
        return_exceptions=True,
    )
    errors = [repr(result) for result in results if result is not None]
    for client in clients:
        errors += client.exceptions()
        await client.close()
    return {
        "sessions": sessions,
        "share_of_edits": edits,
        "round_trips": len(trips),
        "median_ms": statistics.median(trips),
        "p95_ms": statistics.quantiles(trips, n=20)[-1],
        "budget_ms": [BUDGET, BUDGET_95],
        "errors": errors[:5],
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--edits", type=float, default=0.1, help="share of sessions that edit")
    options = parser.parse_args()
    size = options.sessions, options.seconds, options.edits
    with tempfile.TemporaryDirectory() as folder, running("app.py", Path(folder) / "log") as url:
        results = run_apart(lambda: crowd(url, *size), None)
    if options.json:
        print(write_json(results))
        return
    print(
        f"{results['sessions']} sessions, {results['round_trips']} round trips: median "
        f"{results['median_ms']:.1f} ms (budget {BUDGET}), 95 % within {results['p95_ms']:.0f} ms "
        f"(budget {BUDGET_95}); {len(results['errors'])} errors"
    )


if __name__ == "__main__":
    main()
