"""Short time measurements on this machine: on one core, one measurement at a time.

measuring.alone(lambda: measuring.seconds(step, budget=0.1))
"""

import math
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from crf.figures.numbers import format_magnitude
from pages.shared.course.words import say

# Planck Collaboration (2020), "Planck 2018 results. VI. Cosmological parameters", table 2:
# 13.787 ± 0.020 billion Julian years.
AGE_OF_THE_UNIVERSE = 13.787e9 * 365.25 * 86_400

_UNITS = (
    (365.25 * 86_400, "years"),
    (86_400.0, "days"),
    (3600.0, "hours"),
    (60.0, "minutes"),
    (1.0, "s"),
    (1e-3, "ms"),
)
T = TypeVar("T")
# What this thread computes, where the clock can tell short calls apart: other readers, and other
# programs, then take no part in it.
_FINE = time.get_clock_info("thread_time").resolution < 1e-6
clock: Callable[[], float] = time.thread_time if _FINE else time.perf_counter
_ONE = threading.Lock()


def seconds(call: Callable[[], object], budget: float) -> float:
    """Time of the fastest of several calls, after one warm-up; no call begins after the budget."""
    call()
    until, spent = time.perf_counter() + budget, []
    while not spent or time.perf_counter() < until:
        begin = clock()
        call()
        spent.append(clock() - begin)
    return min(spent)


def renew(results: list[T], measure: Callable[[], list[T]]) -> bool:
    """Measure and replace the results; return False while another measurement is running."""
    new = alone(measure) or []
    results[:] = new or results
    return bool(new)


def duration(seconds: float) -> str:
    """A time in the unit that fits.

    >>> [duration(s) for s in (2.5e-5, 0.0042, 3.2, 90.0, 7200.0, 4e8)]
    ['25 µs', '4.2 ms', '3.2 s', '1.5 minutes', '2 hours', '12.7 years']
    >>> duration(1e30)
    '2.3 × 10¹² times the age of the universe'
    """
    if math.isinf(seconds):
        return say("time.endless")
    if seconds > AGE_OF_THE_UNIVERSE:
        return say("time.ages", n=format_magnitude(seconds / AGE_OF_THE_UNIVERSE, 2))
    size, unit = next((u for u in _UNITS if seconds >= u[0]), (1e-6, "µs"))
    number = format_magnitude(seconds / size)
    return f"{number} {unit}" if size <= 1 else say(f"time.{unit}", n=number)


def alone(work: Callable[[], T], *, waits: bool = False) -> T | None:
    """Run a function in a thread of its own, with torch on one core.

    While another measurement is running on this server, it `waits` or returns None.
    """
    if not _ONE.acquire(blocking=waits):
        return None
    results: list[T] = []

    def run() -> None:
        import torch

        torch.set_num_threads(1)  # of this thread alone
        results.append(work())

    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        thread.join()
    finally:
        _ONE.release()
    return results[0] if results else None
