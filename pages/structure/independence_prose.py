"""What fixing tags does to a chain, in words and rows: joint probabilities against products."""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

from pages.shared.course.numbers import format_magnitude
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import listed, word
from pages.shared.figures.narration import printable
from pages.shared.figures.theme import probability
from pages.structure.independence import Independence, Pair

INDEPENDENT = 1e-12  # below it a difference of probabilities is rounding
MOST_TOKENS = 10  # in a table of pairs


def fixed_names(problem: Problem, found: Independence) -> str:
    """The fixed tags in words."""
    return listed(
        [
            f"{word(problem, t)} = {printable(problem.tags[s])}"
            for t, s in sorted(found.fixed.items())
        ]
    )


def split(problem: Problem, found: Independence) -> str:
    """Into what the chain falls, and how probable the fixed tags are."""
    pieces = [_words(problem, piece) for piece in found.pieces]
    given = f"You fixed {fixed_names(problem, found)}, which has probability "
    given += f"{probability(found.probability)}. "
    if len(pieces) < 2:
        where = f"one part is left, {pieces[0]}" if pieces else "nothing is left to choose"
        return f"{given}Now {where}. Fix a tag in the middle, and the chain falls in two."
    return (
        f"{given}The chain falls into {len(pieces)} parts, {listed(pieces)}. "
        "Each can now be computed for itself."
    )


def _words(problem: Problem, piece: Sequence[int]) -> str:
    """A run of tokens; of a long one the ends."""
    words = [printable(problem.tokens[t]) for t in piece]
    return "‘" + " ".join(words if len(words) <= 6 else [words[0], "…", words[-1]]) + "’"


def window(num_tokens: int, fixed: Collection[int]) -> range:
    """The tokens whose pairs fit a table: around the first fixed tag.

    >>> window(5, {2}), window(33, {20}), window(33, set())
    (range(0, 5), range(16, 26), range(0, 10))
    """
    first = max(0, min(fixed, default=0) - MOST_TOKENS // 2 + 1)
    last = min(num_tokens, first + MOST_TOKENS)
    return range(max(0, last - MOST_TOKENS), last)


class Event(NamedTuple):
    """Two tags at two tokens, with and without what is fixed.

    Attributes:
        first: Token, from 0, and tag.
        second: A later token and its tag.
        before: Their joint probability, and the product of their own.
        now: The same, given the fixed tags.
    """

    first: tuple[int, int]
    second: tuple[int, int]
    before: tuple[float, float]
    now: tuple[float, float]


def cut_apart(problem: Problem, event: Event) -> str:
    """An event across a fixed tag: dependent before, independent now."""
    what = _event(problem, event)
    return (
        f"Before, {what} was {_compared(*event.before)}: knowing one told something about the "
        f"other. Given what you fixed, it is {_compared(*event.now)}."
    )


def still_tied(problem: Problem, event: Event) -> str:
    """An event within a part: dependent as ever."""
    return (
        f"Within a part nothing is cut: {_event(problem, event)} was {_compared(*event.before)}, "
        f"and is now {_compared(*event.now)}."
    )


def _event(problem: Problem, event: Event) -> str:
    sides = [
        f"{word(problem, t)} = {printable(problem.tags[s])}" for t, s in (event.first, event.second)
    ]
    return f"p({', '.join(sides)})"


def _compared(joint: float, product: float) -> str:
    """Both numbers, with as many digits as tell them apart.

    >>> print(_compared(0.67012, 0.66842))
    0.6701 and the product of the two probabilities 0.6684
    >>> print(_compared(0.25, 0.25))
    0.250 and the product 0.250, the same
    """
    gap = abs(joint - product)
    if gap < INDEPENDENT:
        return f"{probability(joint)} and the product {probability(product)}, the same"
    digits = max(3, 1 - math.floor(math.log10(gap)))
    return f"{joint:.{digits}f} and the product of the two probabilities {product:.{digits}f}"


def dependence_rows(
    problem: Problem, before: Independence, now: Independence
) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """Pairs of tokens, before → now; ringed where a dependence was cut."""
    old = {(pair.first, pair.second): pair for pair in before.pairs}
    new = {(pair.first, pair.second): pair for pair in now.pairs}
    shown = window(len(problem.tokens), now.fixed)
    rows, ringed = [], set()
    for i, a in enumerate(shown[:-1]):
        row = [printable(problem.tokens[a])]
        for j, b in enumerate(shown[1:], 1):
            text = _dependence(old.get((a, b))) if a < b else ""
            if text and now.fixed:
                is_held = a in now.fixed or b in now.fixed
                text += " → " + ("fixed" if is_held else _dependence(new.get((a, b))))
            if (a, b) in new and new[a, b].separated:
                ringed.add((i, j))
            row.append(text)
        rows.append(row)
    return ["", *(printable(problem.tokens[t]) for t in shown[1:])], rows, ringed


def _dependence(pair: Pair | None) -> str:
    if pair is None:
        return "–"
    return "0" if pair.dependence < INDEPENDENT else format_magnitude(pair.dependence, 2)


def why(residual: float) -> str:
    """Why a fixed tag cuts the chain, and how exactly the numbers say so."""
    exact = "exactly 0" if residual == 0 else f"at most {format_magnitude(residual, 2)}, rounding"
    return (
        "Why: every factor touches one tag or two neighbours. With a tag fixed, no factor is left "
        "that ties its left side to its right side, so the sum over all paths falls into a product "
        f"of two sums. The differences computed across fixed tags are {exact}."
    )
