"""What the benchmarks share: contenders take turns, medians beside budgets, one way to print."""

import json
import os
import statistics
import time
from collections.abc import Callable, Mapping

Clock = Callable[[], float]


def turns(
    contenders: Mapping[str, Callable[[], object]], rounds: int, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Seconds of each contender in each round; a first round, not counted, fills caches."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(rounds + 1):
        for name, ask in contenders.items():
            start = clock()
            ask()
            if turn:
                seconds[name].append(clock() - start)
    return seconds


def ratio(seconds: Mapping[str, list[float]], name: str, to: str) -> float:
    """How many times as long one takes as another: the median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(seconds[name], seconds[to], strict=True))


def report(
    rows: Mapping[str, Mapping[str, float]],
    *,
    as_json: bool,
    budgets: Mapping[str, float] | None = None,
) -> None:
    """Print a row for each thing measured, a column for each figure; or one line of JSON."""
    load = os.getloadavg()[0]
    if as_json:
        print(json.dumps({"rows": rows, "budgets": budgets, "load": load}))
        return
    columns = list(dict.fromkeys(name for row in rows.values() for name in row))
    width = max(map(len, ("budget", *rows))) + 2
    print(f"{'':{width}}" + "".join(f"{name:>{len(name) + 3}}" for name in columns))
    for title, row in (({"budget": budgets} if budgets else {}) | dict(rows)).items():
        cells = (f"{row[c]:{len(c) + 3}.4g}" if c in row else " " * (len(c) + 3) for c in columns)
        print(f"{title:{width}}" + "".join(cells))
    print(f"load average {load:.1f} on {os.cpu_count()} cores")
