"""Which steps of a recursion a beat of the trellis shows, and where it opens.

A beat stops before the column that the next one asks about, and that one goes on from there to END.
"""

import math
from collections.abc import Callable

from crf.figures.trellis.picture import FEW_TAGS
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.trellis import picture

ASKED = 3  # the word whose column the reader fills


def cells(problem: Problem) -> int:
    return len(problem.tags) * len(problem.tokens)


def asked_column(problem: Problem) -> int | None:
    """The word whose column the reader fills; None: there is nothing to ask, or too few words."""
    return ASKED if len(problem.tokens) > ASKED and len(problem.tags) > 1 else None


def changed_column(problem: Problem) -> int | None:
    """The word at which the best prefix first changes its mind; None: never, or too early."""
    t = next(iter(picture.numbers(problem).changes_of_mind), 0)
    return t if t > 1 else None


def until(column: Callable[[Problem], int | None]) -> Callable[[Problem], range]:
    """The steps before a column that a question is about; all of them if it asks for none."""

    def steps(problem: Problem) -> range:
        t = column(problem)
        return range(cells(problem) + 1 if t is None else len(problem.tags) * t)

    return steps


def since(
    column: Callable[[Problem], int | None], opens: Callable[[Problem], int]
) -> Callable[[Problem], range]:
    """The steps from that column on to END; if there is none, the one where the beat opens."""

    def steps(problem: Problem) -> range:
        t, only = column(problem), opens(problem)
        first = only if t is None else len(problem.tags) * t
        return range(first, only + 1 if t is None else cells(problem) + 1)

    return steps


def in_last(column: Callable[[Problem], int]) -> Callable[[Problem], int]:
    """The first tag of the column before this one.

    Of many tags, and where a score of −∞ forbids that one, it is the best path's there.
    """

    def opens(problem: Problem) -> int:
        S, t = len(problem.tags), min(column(problem), len(problem.tokens)) - 1
        best = picture.numbers(problem).best_path
        chooses = S > FEW_TAGS or problem.emissions[t][0] == -math.inf
        return t * S + (best[t] if chooses and best else 0)

    return picture.in_row(opens)


def first_change(problem: Problem) -> int:
    """The cell in which the leading prefix first changes; else the leader's at the last word."""
    chain, S = picture.numbers(problem), len(problem.tags)
    last = len(problem.tokens) - 1
    t = next(iter(chain.changes_of_mind), last)
    return t * S + (chain.leading[t][-1] if chain.leading[t] else S - 1)


opens_mind = picture.in_row(first_change)


def _is_behind(column: Callable[[Problem], int | None]) -> Callable[[State, int], bool]:
    """State, step → whether the step lies behind the column that a question is about."""

    def behind(state: State, number: int) -> bool:
        t = column(state.given.problem)  # an edit moves no question
        return t is not None and number >= len(state.problem.tags) * (t + 1)

    return behind


behind_column = _is_behind(asked_column)
behind_change = _is_behind(changed_column)


def then_columns(cell_by_cell: Callable[[Problem], int]) -> Callable[[Problem], list[int]]:
    """Each cell of the first columns, and of those behind them the last one, as the film goes."""

    def stops(problem: Problem) -> list[int]:
        S, last = len(problem.tags), cells(problem)
        each = S * cell_by_cell(problem)
        return [*range(each), *range(each + S - 1, last, S), last]

    return stops


def end(problem: Problem) -> range:
    """The step of the total."""
    return range(cells(problem), cells(problem) + 1)


def back(problem: Problem) -> range:
    """The total, and a step back to each word."""
    return range(cells(problem), cells(problem) + 1 + len(problem.tokens))
