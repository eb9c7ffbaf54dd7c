"""Shared by the benchmarks: contenders take turns, medians beside budgets, one way to print."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping

Question = Callable[[], object]
Clock = Callable[[], float]
Seconds = dict[str, list[float]]
MOST_LOAD = 2.0  # of a machine whose results are written to a file


def turns(
    contenders: Mapping[str, Question],
    rounds: int,
    clock: Clock = time.perf_counter,
    *,
    within: float = float("inf"),
) -> Seconds:
    """Seconds of each contender's call in each round; a first round, not counted, fills caches.

    A turn is one whole call, as in training, where other work lies between two calls: a contender
    that is asked again and again finds its own data in the processor's caches.

    Args:
        contenders: What is asked, by name.
        rounds: Upper limit of their number.
        clock: Of the processor or of the wall.
        within: Seconds after which no fourth or later round begins.
    """
    seconds: Seconds = {name: [] for name in contenders}
    for ask in contenders.values():
        ask()
    begun = time.perf_counter()
    for turn in range(rounds):
        if turn >= 3 and time.perf_counter() - begun > within:
            break
        for name, ask in contenders.items():
            start = clock()
            ask()
            seconds[name].append(clock() - start)
    return seconds


def summary(seconds: Mapping[str, list[float]], to: str = "kernels") -> dict[str, dict[str, float]]:
    """Each contender's median in ms, and the median of the rounds' ratios to one of them."""
    ratios = {
        name: [a / b for a, b in zip(times, seconds[to], strict=True)]
        for name, times in seconds.items()
    }
    return {
        name: {"ms": 1e3 * statistics.median(times), "ratio": statistics.median(ratios[name])}
        for name, times in seconds.items()
    }


def refuse_a_busy_machine(busy: bool) -> None:
    """End the program where other work would change what it writes, unless it says so itself."""
    load = os.getloadavg()[0]
    if load > MOST_LOAD and not busy:
        sys.exit(
            f"expected a load of at most {MOST_LOAD:g}, got {load:.1f}; wait for a quiet machine, "
            "or give --busy, which the results will record"
        )


def report(
    rows: Mapping[str, Mapping[str, float]],
    *,
    as_json: bool = False,
    budgets: Mapping[str, float] | None = None,
) -> None:
    """Print a row for each thing measured, a column for each figure; or one line of JSON."""
    load = os.getloadavg()[0]
    if as_json:
        from crf.strict_json import write_json  # here, because a contender may bring another crf

        print(write_json({"rows": rows, "budgets": budgets, "load": load}))
        return
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = max(map(len, ("budget", *rows))) + 2
    print(f"{'':{width}}" + "".join(f"{name:>{len(name) + 3}}" for name in columns))
    for title, row in (({"budget": budgets} if budgets else {}) | dict(rows)).items():
        cells = (f"{row[c]:{len(c) + 3}.4g}" if c in row else " " * (len(c) + 3) for c in columns)
        print(f"{title:{width}}" + "".join(cells))
    print(f"load average {load:.1f} on {os.cpu_count()} cores")
