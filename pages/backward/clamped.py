"""What fixing some tags does to all the others: arrows in the heat map, and sentences."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pages.backward import prose
from pages.shared.course.marginals import Marginals, entropy
from pages.shared.course.numbers import digits_that_give
from pages.shared.course.problem import Problem
from pages.shared.figures.narration import printable
from pages.shared.figures.theme import log_probability, number, probability, table_probability

VISIBLE = 0.005  # a change of a probability that two decimals show
MOST_TOLD = 3


class Clamped(NamedTuple):
    """A chain with some tags fixed.

    Attributes:
        fixed: [m] tag indices, −1 where free.
        unary: [m][S] probabilities, given the fixed tags.
        log_z: log of the sum over the paths that are left.
        log_p: Log-probability of the fixed tags.
        feasible: Whether a path is left.
    """

    fixed: tuple[int, ...]
    unary: list[list[float]]
    log_z: float
    log_p: float
    feasible: bool


def word(tokens: Sequence[str], t: int) -> str:
    """A token in quotes."""
    return prose.word(tuple(tokens), t)


def moved(now: Sequence[Sequence[float]], old: Sequence[Sequence[float]]) -> list[list[str]]:
    """The probabilities, each with an arrow if it has moved visibly.

    >>> moved([[0.9, 0.5]], [[0.2, 0.5]])
    [['▲ .90', '.50']]
    """
    return [
        [_arrow(p - q) + table_probability(p) for p, q in zip(*rows, strict=True)]
        for rows in zip(now, old, strict=True)
    ]


def _arrow(change: float) -> str:
    if abs(change) < VISIBLE:
        return ""
    return "▲ " if change > 0 else "▼ "


def impossible(problem: Problem, now: Clamped, log_z: float) -> str:
    """Why there is nothing to see, if so."""
    if log_z == -math.inf:
        return "No path is allowed here, with or without fixed tags."
    if now.feasible:
        return ""
    return (
        f"No allowed path has {named(problem, now)}: the probability of these tags together is 0. "
        "Nothing can be conditioned on what cannot happen; free one of them."
    )


def told(problem: Problem, now: Clamped, before: Marginals) -> list[str]:
    """The probability of what is fixed, and what has moved most."""
    if all(s < 0 for s in now.fixed):
        t = max(range(before.m), key=lambda t: entropy(before.unary[t]))
        s = sorted(range(before.S), key=lambda s: -before.unary[t][s])[min(1, before.S - 1)]
        return [
            "Nothing is fixed: these are the marginals from above. Where it is least certain most "
            f"will move: try {word(problem.tokens, t)} = {printable(problem.tags[s])}."
        ]
    digits = digits_that_give(now.log_z, before.log_total)
    minus = number(before.log_total, digits)
    minus = f"− {minus}" if before.log_total >= 0 else f"+ {minus[1:]}"
    first = (
        f"p({named(problem, now)}) = exp(log Z of what is left − log Z) = "
        f"exp({number(now.log_z, digits)} {minus}) = {log_probability(now.log_p)}."
    )
    changes = sorted(
        (
            (abs(p - before.unary[t][s]), t, s)
            for t, row in enumerate(now.unary)
            for s, p in enumerate(row)
            if now.fixed[t] < 0
        ),
        key=lambda change: (-change[0], *change[1:]),
    )
    largest = [change for change in changes if change[0] >= VISIBLE][:MOST_TOLD]
    if not largest:
        return [first, "No other tag has moved visibly."]
    moves = "; ".join(
        f"{word(problem.tokens, t)} {printable(problem.tags[s])} "
        f"{probability(before.unary[t][s])} → {probability(now.unary[t][s])}"
        for _, t, s in largest
    )
    return [first, f"What has moved most: {moves}."]


def named(problem: Problem, now: Clamped) -> str:
    """What is fixed, token by token."""
    return ", ".join(
        f"{word(problem.tokens, t)} = {printable(problem.tags[s])}"
        for t, s in enumerate(now.fixed)
        if s >= 0
    )
