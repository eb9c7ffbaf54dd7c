"""How far enumeration gets: |S|^m paths against a rate that is measured here, and its picture."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import count, islice, product
from typing import NamedTuple

from pages.shared.course.brute_force import additions, score
from pages.shared.course.problem import Problem
from pages.shared.course.timing import HORIZONS, clock
from pages.shared.figures import theme
from pages.shared.figures.drawing import Drawing

_USUAL = 10  # tokens of the paths that are scored
BUDGET = 0.04  # seconds: the measurement runs while somebody waits for a page


class Reach(NamedTuple):
    """What enumeration can do in some time."""

    name: str  # a key of `timing.HORIZONS`
    seconds: float  # how long that is
    paths: float  # how many paths can be scored
    # the longest sentence all of whose paths can be; None if there is only one tag, and so one
    # path, however long
    tokens: int | None


class Size(NamedTuple):
    """How much there is to do for a sentence."""

    tokens: int  # m
    paths: int  # |S|^m
    operations: int  # m·|S|², what the recursion takes, to within a factor
    seconds: float  # how long enumeration takes at the rate given, as long for each token of a path


@cache
def paths_per_second() -> float:
    """How many paths of a sentence of ten tokens this machine scores in a second, in Python.

    It is measured once in each process, for `BUDGET` seconds.
    """
    problem = Problem.blank(["A", "B", "C", "D"], ["x"] * _USUAL)
    every = product(range(4), repeat=_USUAL)
    begin = clock()
    for done in count(50, 50):
        for tags in islice(every, 50):
            score(problem, tags)
        elapsed = clock() - begin
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
        Size(w.tokens, w.prefixes, w.tokens * S * S, _seconds(w.prefixes, rate * _USUAL / w.tokens))
        for w in additions(S, most_tokens)
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


# ---------------------------------------------------------------------- the picture

_WIDTH, _HEIGHT = 680, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 34, 352


def drawing(
    every: Sequence[Size], lines: Sequence[Reach], here: int, *, tells: bool = True
) -> Drawing:
    """|S|^m and m·|S|² against m on a scale of powers of ten, and what can be enumerated when.

    Args:
        every: Of `sizes`.
        lines: Of `reach`: a horizontal line for each.
        here: The number of tokens of the sentence on screen.
        tells: Whether the numbers of that sentence stand beside their dots.
    """
    made = Drawing(
        "growth", "How many paths there are, by the number of tokens", _WIDTH, _HEIGHT,
        plot=(_LEFT, _WIDTH - _RIGHT),
    )  # fmt: skip
    most = every[-1].tokens
    highest = max(5.0, log10(every[-1].paths), log10(every[-1].operations))

    def x(m: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (m - 1) / max(most - 1, 1)

    def y(power: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * power / highest

    step = max(1, round(highest / 6))
    for power in range(0, int(highest) + 1, step):
        made.line(_LEFT, y(power), _WIDTH - _RIGHT, y(power), "grid")
        label = "1" if not power else "10" if power == 1 else f"10{str(power).translate(_POWERS)}"
        made.text(_LEFT - 8, y(power), label, "small soft right")
    for m in sorted({1, here, *range(10, most + 1, 10)}):
        made.text(x(m), _BOTTOM + 16, str(m), "small soft" + " strong" * (m == here))
    made.text((_LEFT + _WIDTH) / 2, _BOTTOM + 36, "tokens in the sentence, m", "small soft")
    made.line(x(here), y(0), x(here), y(highest), "axis dashed")
    side = "left" if here < 0.8 * most else "right"
    made.text(x(here), _TOP - 12, "this sentence", f"small soft {side}")
    for line in lines:
        power = log10(max(line.paths, 1.0))
        if power < highest:
            made.line(_LEFT, y(power), _WIDTH - _RIGHT, y(power), "axis dotted")
            crossing = power / max(log10(every[0].paths), 0.1)  # there the paths pass by
            place = x(crossing) - 12 if 0.55 * most < crossing < most else _WIDTH - _RIGHT
            made.text(place, y(power) - 10, f"tried in {line.name}", "small soft right halo")
    for name, style, values in (
        ("|S|ᵐ paths", "hot", [size.paths for size in every]),
        ("m · |S|² steps of a recursion", "cold", [size.operations for size in every]),
    ):
        speaks = "paths" if style == "hot" else "steps"
        points = [(x(k), y(log10(n))) for k, n in enumerate(values, 1)]
        made.curve(points, style, speaks=speaks)
        made.dot(*points[here - 1], 6, style, title=f"{name}: {theme.count(values[here - 1])}")
        k = min(len(points) - 1, round(0.62 * len(points)))
        px, py = points[k]
        if style == "hot":
            made.text(px - 10, py - 6, name, "hot right halo")
        else:
            made.text(px, py - 14, name, "cold halo")
    paths, steps = every[here - 1].paths, every[here - 1].operations
    if tells and paths > steps:
        made.text(x(here) - 10, y(log10(paths)) - 8, theme.count(paths), "hot small right halo")
        made.text(x(here) + 10, y(log10(steps)) + 12, theme.count(steps), "cold small left halo")
    return made


_POWERS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def log10(n: float) -> float:
    """log₁₀ of a whole number of any size.

    >>> round(log10(17**1000), 3)
    1230.449
    """
    return math.log10(n)
