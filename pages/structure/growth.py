"""How far enumeration gets: |S|^m paths against a rate of paths per second, measured here."""

import math
import time
from functools import cache
from itertools import count, islice, product
from typing import NamedTuple

from pages.shared.course.brute_force import score, work
from pages.shared.course.problem import Problem

# Planck Collaboration (2020), "Planck 2018 results. VI. Cosmological parameters", table 2:
# 13.787 ± 0.020 billion Julian years.
AGE_OF_THE_UNIVERSE = 13.787e9 * 365.25 * 86_400
HORIZONS = {
    "a second": 1.0,
    "a day": 86_400.0,
    "the age of the universe": AGE_OF_THE_UNIVERSE,
}
BUDGET = 0.04  # seconds: the measurement runs while somebody waits for a page


class Reach(NamedTuple):
    """What enumeration can do in some time.

    Attributes:
        name: A key of `HORIZONS`.
        seconds: How long that is.
        paths: How many paths can be scored.
        tokens: The longest sentence all of whose paths can be; None if there is only one tag, and
            so one path, however long.
    """

    name: str
    seconds: float
    paths: float
    tokens: int | None


class Size(NamedTuple):
    """How much there is to do for a sentence.

    Attributes:
        tokens: m.
        paths: |S|^m.
        operations: m·|S|², what the recursion takes, to within a factor.
        additions: The recursion's additions, exactly.
        seconds: How long enumeration takes at the rate given.
    """

    tokens: int
    paths: int
    operations: int
    additions: int
    seconds: float


@cache
def paths_per_second() -> float:
    """How many paths of a sentence of ten tokens this machine scores in a second, in Python.

    It is measured once in each process, for `BUDGET` seconds.
    """
    problem = Problem.blank(["A", "B", "C", "D"], ["x"] * 10)
    every = product(range(4), repeat=10)
    begin = time.perf_counter()
    for done in count(50, 50):
        for tags in islice(every, 50):
            score(problem, tags)
        elapsed = time.perf_counter() - begin
        if elapsed > BUDGET:
            return done / elapsed
    raise AssertionError


def reach(num_tags: int, rate: float) -> list[Reach]:
    """The longest sentence that can be enumerated in a second, a day, the age of the universe.

    Args:
        num_tags: |S|.
        rate: Paths per second.

    Example:
        >>> [found.tokens for found in reach(10, rate=1000.0)]
        [3, 7, 20]
    """
    return [
        Reach(name, seconds, rate * seconds, _longest(num_tags, rate * seconds))
        for name, seconds in HORIZONS.items()
    ]


def sizes(num_tags: int, most_tokens: int, rate: float) -> list[Size]:
    """|S|^m and m·|S|² for sentences of 1, 2 … tokens."""
    S = num_tags
    return [
        Size(w.tokens, w.prefixes, w.tokens * S * S, w.recursion, _seconds(w.prefixes, rate))
        for w in work(S, most_tokens)
    ]


def _longest(num_tags: int, paths: float) -> int | None:
    if num_tags == 1:
        return None
    m = max(0, round(math.log(max(paths, 1.0)) / math.log(num_tags)))
    return m if num_tags**m <= paths else m - 1


def _seconds(paths: int, rate: float) -> float:
    try:
        return paths / rate
    except OverflowError:
        return math.inf
