"""Many readers on one server: how long an answer takes when all of them step and change things.

    python -m benchmarks.sessions [--json] [--sessions 100] [--seconds 30] [--edits 0.1]

Each session opens the page "Tag a sentence" and then, every two seconds, reports a step of the
trellis or, one time in ten, sets a word's tag by hand. A round trip counts from sending the state
to the end of the run, as a browser would see it. The budget is on the median; the clients share
the machine with the server.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.raw_client import RawClient
from benchmarks.serving import running

BUDGET = 30  # ms, median round trip
PERIOD = 2.0  # s between two actions of a session
QUERY = "sentence=The+old+man+the+boat+on+the+river+today"


async def reader(
    client: RawClient, seed: int, seconds: float, edits: float, trips: list[float]
) -> None:
    """What one session does: nothing for a while, then something every two seconds."""
    draw = random.Random(seed)
    await asyncio.sleep(draw.uniform(0, PERIOD))
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        start = time.perf_counter()
        if draw.random() < edits:
            choice = {"token": draw.randrange(9), "tag": draw.randrange(17)}
            await client.trigger("words", "choice", choice)
        else:
            await client.send("bidi_component", "viterbi", {"step": draw.randrange(150)})
        took = time.perf_counter() - start
        trips.append(1000 * took)
        await asyncio.sleep(max(0.0, PERIOD - took))


async def crowd(url: str, sessions: int, seconds: float, edits: float) -> dict:
    """So many sessions at once, for so long, once all have their page."""
    clients = [await RawClient.open(url, "start", QUERY) for _ in range(sessions)]
    trips: list[float] = []
    results = await asyncio.gather(
        *(reader(client, seed, seconds, edits, trips) for seed, client in enumerate(clients)),
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
        "budget_ms": BUDGET,
        "errors": errors[:5],
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--edits", type=float, default=0.1, help="share of actions that edit")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running("app.py", Path(folder) / "log") as url:
        found = asyncio.run(crowd(url, options.sessions, options.seconds, options.edits))
    if options.json:
        print(json.dumps(found))
        return
    print(
        f"{found['sessions']} sessions, {found['round_trips']} round trips: median "
        f"{found['median_ms']:.1f} ms (budget {BUDGET}), 95 % within {found['p95_ms']:.0f} ms; "
        f"{len(found['errors'])} errors"
    )


if __name__ == "__main__":
    main()
