"""The usual errors in a recursion, as code that makes them.

A fault is a change of the scores that are read (transposed transitions, a forgotten emission) or of
what is done with the terms that meet in a cell (a maximum for a sum, logarithms added up).
`FAULTS` goes from the most specific to the most general.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from crf.conventions import CONVENTIONS, ChainScores, Part, Terms
from crf.steps import Trace

SPACES = ("log", "probability")
Combine = Callable[[Terms, str], float]


class Fault(NamedTuple):
    """A usual error."""

    name: str  # a short name
    message: str  # what the learner seems to have done, and what to look at
    # what it makes of the scores
    scores: Callable[[ChainScores], ChainScores] = lambda scores: scores
    # what it does with the terms, given the semiring; None for the right thing
    combine: Combine | None = None
    # what it adds to a cell at the end, given the scores, the column and the row
    extra: Callable[[ChainScores, int, int], float] = lambda scores, column, row: 0.0
    spaces: tuple[str, ...] = SPACES  # in which spaces one can make it
    semirings: tuple[str, ...] = ("sum", "max")  # in which semirings
    algorithms: tuple[str, ...] = ("forward", "backward", "viterbi")  # in which algorithms


# ---------------------------------------------------------------------- ways to combine terms


def _log_values(terms: Terms) -> list[float]:
    return [sum(part.value for part in parts) for _, parts in terms]


def logsumexp(values: Sequence[float]) -> float:
    """log Σ exp(value); −∞ if all are."""
    top = max(values)
    return top if top == -math.inf else top + math.log(sum(math.exp(v - top) for v in values))


def _right(terms: Terms, semiring: str) -> float:
    values = _log_values(terms)
    return logsumexp(values) if semiring == "sum" else max(values)


def _other_semiring(terms: Terms, semiring: str) -> float:
    return _right(terms, "max" if semiring == "sum" else "sum")


def _from_best_only(terms: Terms, semiring: str) -> float:
    """Only the term of the best cell of the neighbouring column, whatever its transition."""

    def before(term: tuple[int, list[Part]]) -> float:
        return sum(part.value for part in term[1] if part.role in ("previous", "start", "end"))

    return _log_values([max(terms, key=before)])[0]


def _added_logs(terms: Terms, semiring: str) -> float:
    return sum(_log_values(terms))


def _log_of_added_logs(terms: Terms, semiring: str) -> float:
    total = _added_logs(terms, semiring)
    return math.log(total) if total > 0 else math.nan


def _mean(terms: Terms, semiring: str) -> float:
    return logsumexp(_log_values(terms)) - math.log(len(terms))


def _factors_added(terms: Terms, semiring: str) -> float:
    """In each term α + ψ where α · ψ is meant; all of it in probability space."""
    return logsumexp([logsumexp([part.value for part in parts] or [0.0]) for _, parts in terms])


def _without_previous(terms: Terms, semiring: str) -> float:
    kept = [(i, [part for part in parts if part.role != "previous"]) for i, parts in terms]
    return _right(kept, semiring)


# ---------------------------------------------------------------------- ways to misread scores


def _transposed(x: ChainScores) -> ChainScores:
    return x._replace(matrices=[[list(row) for row in zip(*m, strict=True)] for m in x.matrices])


def _times_emission(factor: float) -> Callable[[ChainScores], ChainScores]:
    def change(x: ChainScores) -> ChainScores:
        return x._replace(
            emissions=[[factor * e if factor else 0.0 for e in row] for row in x.emissions]
        )

    return change


def _emission_of_neighbour(step: int) -> Callable[[ChainScores], ChainScores]:
    def change(x: ChainScores) -> ChainScores:
        t = range(x.m)
        return x._replace(emissions=[x.emissions[k + step if k + step in t else k] for k in t])

    return change


def _no_transitions(x: ChainScores) -> ChainScores:
    return x._replace(matrices=[[[0.0] * x.S for _ in range(x.S)] for _ in x.matrices])


def _no_start(x: ChainScores) -> ChainScores:
    return x._replace(start=[0.0] * x.S)


def _no_end(x: ChainScores) -> ChainScores:
    return x._replace(end=[0.0] * x.S)


FAULTS = (
    Fault(
        "transposed",
        "These are the numbers of transposed transitions: T[i, j] goes from row i to column j.",
        _transposed,
    ),
    Fault("no start", "The start scores are missing: the first tag has one, too.", _no_start),
    Fault("no end", "The end scores are missing: the last tag has one, too.", _no_end),
    Fault(
        "emission forgotten", "The emission is missing: each token adds its own.",
        _times_emission(0.0),
    ),
    Fault(
        "emission twice", "The emission is in it twice: add it once for each token.",
        _times_emission(2.0),
    ),
    Fault(
        "previous emission", "That is the emission of the token before: look one column further.",
        _emission_of_neighbour(-1),
    ),
    Fault(
        "next emission", "That is the emission of the token after: look one column back.",
        _emission_of_neighbour(1),
    ),
    Fault(
        "own emission",
        "The token’s own emission is in it. β holds only what comes after the token’s tag.",
        extra=lambda x, column, row: x.emissions[column][row], algorithms=("backward",),
    ),
    Fault(
        "max for sum",
        "That is the largest term. Here all terms are summed: forward, not Viterbi.",
        combine=_other_semiring, semirings=("sum",),
    ),
    Fault(
        "sum for max",
        "That is the sum of all terms. Here the largest is taken: Viterbi, not forward.",
        combine=_other_semiring, semirings=("max",),
    ),
    Fault(
        "best predecessor only",
        "Only the best cell of the neighbouring column was followed: every cell’s term counts, "
        "and its transition may turn the order round.",
        combine=_from_best_only,
    ),
    Fault("transition forgotten", "The transition is missing.", _no_transitions),
    Fault(
        "previous forgotten", "The cells of the neighbouring column are missing: only what is new "
        "was put together.", combine=_without_previous,
    ),
    Fault(
        "mean", "That is the terms’ mean; they are added up, not averaged.",
        combine=_mean, semirings=("sum",),
    ),
    Fault(
        "logs added",
        "The terms’ logarithms were added up; that multiplies the terms. Take exp of each, add, "
        "and take the log: logsumexp.",
        combine=_added_logs, semirings=("sum",),
    ),
    Fault(
        "log of added logs",
        "The terms are logarithms already: take exp of each before adding, then the log.",
        combine=_log_of_added_logs, spaces=("log",), semirings=("sum",),
    ),
    Fault(
        "factors added",
        "Within a term the factors were added; in probability space they are multiplied.",
        combine=_factors_added, spaces=("probability",),
    ),
)  # fmt: skip


def faulty_column(fault: Fault, scores: ChainScores, trace: Trace, column: int) -> list[float]:
    """One column of a recursion with a fault in it, from the right column before it.

    Args:
        fault: The error to make.
        scores: The chain's scores.
        trace: A trace of that chain, for the convention, the semiring and the other columns.
        column: Which column.

    Returns:
        S log-values; nan where the error has none.
    """
    direction = "backward" if trace.algorithm == "backward" else "forward"
    misread = fault.scores(scores)

    def old(c: int, row: int) -> Part:
        return Part("previous", trace.table[c][row], (c, row))

    values = []
    for row in range(scores.S):
        cell = CONVENTIONS[direction, trace.convention].cell
        terms, added = cell(misread, old, column, row)
        value = (fault.combine or _right)(terms, trace.semiring)
        value += sum(part.value for part in added)
        values.append(value + fault.extra(scores, column, row))
    return values
