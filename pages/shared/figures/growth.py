"""|S|^m against m·|S|², in seconds: measured for short sentences, extrapolated for longer ones.

found = growth(tags)                     measured once on this server
growth.drawing(found, problem)           both ways on one scale
"""

import math
import time
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, product
from typing import NamedTuple

import numpy as np

from crf.figures.numbers import power_of_ten
from pages.shared.course import measuring
from pages.shared.course.brute_force import score
from pages.shared.course.measuring import duration
from pages.shared.course.problem import Problem
from pages.shared.figures.drawing import Drawing
from pages.shared.figures.text import say

BUDGET = 0.15  # seconds
LONGEST = 40  # tokens
_WIDTH, _HEIGHT = 680, 430
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 20, 34, 382
_LOWEST, _HIGHEST = -5, 20  # powers of ten, in seconds


class SentenceTime(NamedTuple):
    """A sentence of so many tokens."""

    tokens: int  # m
    seconds: float  # how long log Z takes
    measured: bool  # whether that was measured here, or follows from shorter ones


class Growth(NamedTuple):
    """Both ways to log Z."""

    paths: tuple[SentenceTime, ...]  # one path after the other: S times as long with each token
    recursion: tuple[SentenceTime, ...]  # the forward recursion: as much again with each token

    def facts(self) -> dict[str, str | int]:
        """How far each way comes, for a lesson's text."""
        last = [point for point in self.paths if point.measured][-1]
        far = [point.tokens for point in self.recursion if point.seconds <= last.seconds]
        more = min(4 * last.tokens, len(self.paths))
        return {
            "done": last.tokens,
            "took": duration(last.seconds),
            "far": say("growth.far", n=max(far, default=0)),
            "more": more,
            "long": duration(self.paths[more - 1].seconds),
        }


@cache
def growth(tags: int) -> Growth:
    """Both ways with this many tags, measured once on this server.

    Others who measure are waited for.
    """
    found = measuring.alone(lambda: _measure(tags), waits=True)
    assert found is not None
    return found


def _measure(tags: int) -> Growth:
    names = [f"T{s}" for s in range(tags)]
    paths = _paths(names)
    recursion = []
    for m in (1, 5, 10, 20, LONGEST):
        problem = Problem.blank(names, ["x"] * m)
        spent = measuring.seconds(lambda of=problem.chain: of().log_partition, BUDGET / 50)
        recursion.append(SentenceTime(m, spent, measured=True))
    # A longer sentence does all that a shorter one does: what took longer for that was noise.
    least = accumulate(reversed([point.seconds for point in recursion]), min)
    steady = [p._replace(seconds=s) for p, s in zip(recursion, reversed([*least]), strict=True)]
    return Growth(paths, tuple(steady))


def _paths(names: Sequence[str]) -> tuple[SentenceTime, ...]:
    """Scores of all paths, in Python, as long as it takes no more than half the budget."""
    points: list[SentenceTime] = []
    S, until = len(names), time.perf_counter() + BUDGET / 2
    for m in range(1, LONGEST + 1):
        last = points[-1].seconds if points else 0.0
        ahead = last * S * m / max(m - 1, 1)  # S times as many paths, each a token longer
        if ahead > until - time.perf_counter() or (S == 1 and m > 20):
            points.append(SentenceTime(m, ahead, measured=False))
            continue
        problem = Problem.blank(names, ["x"] * m)
        spent = math.inf
        for _ in range(3 if 3 * ahead < until - time.perf_counter() else 1):
            begin = measuring.clock()
            sum(math.exp(score(problem, tags)) for tags in product(range(S), repeat=m))
            spent = min(spent, measuring.clock() - begin)
        points.append(SentenceTime(m, max(spent, last), measured=True))  # less was noise
    return tuple(points)


def drawing(found: Growth, tags: int, here: int, *, tells: bool = True) -> Drawing:
    """Seconds against tokens on a logarithmic scale, the sentence on screen with `here` tokens.

    `tells` how many paths that sentence has, and how many steps they take.
    """
    made = Drawing("growth", say("growth.label"), _WIDTH, _HEIGHT, (_LEFT, _WIDTH - _RIGHT))
    _axes(made, min(here, LONGEST))
    for name, seconds in measuring.HORIZONS.items():
        y = _y(seconds)
        made.line(_LEFT, y, _WIDTH - _RIGHT, y, "axis dotted")
        crossed = max((p.tokens for p in found.paths if p.seconds < seconds), default=0)
        beside = 0.55 * LONGEST < crossed < LONGEST  # there the line of all paths passes by
        x = _x(crossed) - 16 if beside else _WIDTH - _RIGHT
        made.text(x, y - 10, name, "small soft right halo")
    for name, style, points, work in (
        (say("growth.paths", tags=tags), "hot", found.paths, tags**here),
        (say("growth.steps", tags=tags), "cold", found.recursion, here * tags**2),
    ):
        inside = [p for p in points if p.seconds <= 10**_HIGHEST]
        speaks = "paths" if style == "hot" else "steps"
        made.curve([(_x(p.tokens), _y(p.seconds)) for p in inside], style, speaks=speaks)
        for p in inside:
            if p.measured:
                title = say("growth.point", name=name, n=p.tokens, time=duration(p.seconds))
                made.dot(_x(p.tokens), _y(p.seconds), 4.5, style, title=title)
        end = inside[round(0.6 * (len(inside) - 1))]
        x, y = _x(end.tokens), _y(end.seconds)
        if style == "cold":  # under the end of its line, which rises slowly
            made.text(_x(inside[-1].tokens), _y(inside[-1].seconds) + 18, name, "cold right halo")
        elif x > _WIDTH / 2:
            made.text(x - 12, y - 10, name, "hot right halo")
        else:
            made.text(x + 12, y + 16, name, "hot left halo")
        if not tells or here > LONGEST or tags == 1:
            continue
        if (spent := _seconds(points, here)) <= 10**_HIGHEST:
            x, y = _x(here), _y(spent)
            made.dot(x, y, 6, style)
            work_name = say(f"growth.name-{speaks}", n=work)
            if style == "hot":
                made.text(x - 10, y - 8, work_name, "hot small right halo")
            else:
                made.text(x + 10, y + 14, work_name, "cold small left halo")
    return made


def _seconds(points: Sequence[SentenceTime], tokens: int) -> float:
    """The time at a length between two that were measured, as the curve has it."""
    times = [math.log(max(point.seconds, 1e-9)) for point in points]  # a coarse clock may say 0
    return math.exp(np.interp(tokens, [point.tokens for point in points], times))


def _axes(made: Drawing, here: int) -> None:
    for power in range(_LOWEST, _HIGHEST + 1, 5):
        y = _y(10.0**power)
        made.line(_LEFT, y, _WIDTH - _RIGHT, y, "grid")
        made.text(_LEFT - 8, y, power_of_ten(power), "small soft right")
    made.text(2, _TOP - 22, say("growth.seconds"), "small soft left")
    for m in sorted({1, here, *range(10, LONGEST + 1, 10)}):
        made.text(_x(m), _BOTTOM + 16, str(m), "small soft" + " strong" * (m == here))
    made.text((_LEFT + _WIDTH) / 2, _BOTTOM + 36, say("growth.tokens"), "small soft")
    made.line(_x(here), _TOP, _x(here), _BOTTOM, "axis dashed")
    side = "left" if here < 0.8 * LONGEST else "right"
    made.text(_x(here), _TOP - 12, say("growth.here"), f"small soft {side}")


def _x(tokens: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (tokens - 1) / (LONGEST - 1)


def _y(seconds: float) -> float:
    power = math.log10(max(seconds, 10.0**_LOWEST))
    return _BOTTOM - (_BOTTOM - _TOP) * (power - _LOWEST) / (_HIGHEST - _LOWEST)
