"""All paths, one by one: what the forward recursion saves us from.

    log Z = log Σ_y exp(score(y)),    p(y) = exp(score(y) − log Z)

With S tags and m tokens there are S^m paths, so this works for short sentences only; the recursion
needs (m − 1)·S·(S − 1) + S − 1 additions for the same sum.
"""

import math
from itertools import accumulate, product
from typing import NamedTuple

from crf.figures.numbers import format_count
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import refuse

LIMIT = 20_000


class ScoredPath(NamedTuple):
    """One path."""

    tags: tuple[int, ...]  # m tag indices
    score: float  # its log-score, −∞ if it is forbidden
    probability: float  # exp(score − log Z); 0 for all if no path is allowed
    cumulative: float  # the probability of this path and all before it in the list


def score(problem: Problem, tags: tuple[int, ...]) -> float:
    """start + emissions + transitions + end along one path: a log-score."""
    summands = [problem.start[tags[0]], problem.end[tags[-1]]]
    summands += [problem.emissions[t][s] for t, s in enumerate(tags)]
    summands += [problem.matrix(t)[tags[t - 1]][tags[t]] for t in range(1, len(tags))]
    return math.fsum(summands)


def enumerate_paths(problem: Problem, limit: int = LIMIT) -> list[ScoredPath]:
    """Every path with its probability, best first; of equal scores the lower tags come first.

    Raises:
        ProblemError: There are more than `limit` paths; the message says how many.
    """
    count = count_paths(problem)
    if count > limit:
        advice = "shorten the sentence or keep fewer tags"
        raise refuse("paths", f"at most {format_count(limit)}", format_count(count), advice)
    every = product(range(len(problem.tags)), repeat=len(problem.tokens))
    scored = [(score(problem, tags), tags) for tags in every]
    ranked = sorted(scored, key=lambda pair: -pair[0])  # stable: equal scores keep their order
    best = ranked[0][0]
    if best == -math.inf:
        return [ScoredPath(tags, score, 0.0, 0.0) for score, tags in ranked]
    weights = [math.exp(score - best) for score, _ in ranked]  # the best one's is 1
    whole = math.fsum(weights)
    rows = zip(ranked, weights, accumulate(weights), strict=True)
    return [
        ScoredPath(tags, score, weight / whole, min(cumulative / whole, 1.0))
        for (score, tags), weight, cumulative in rows
    ]


def count_paths(problem: Problem) -> int:
    """S^m, forbidden paths included.

    >>> count_paths(Problem.blank(["A", "B", "C"], ["x"] * 10))
    59049
    """
    return len(problem.tags) ** len(problem.tokens)


class Additions(NamedTuple):
    """The additions of exp-scores that it takes to sum over all tag prefixes of some length."""

    tokens: int  # how long the prefixes are
    prefixes: int  # how many there are, S^tokens, if none is forbidden
    enumeration: int  # additions when each prefix is a summand of its own
    recursion: int  # additions of the forward recursion up to there, its final sum included


def additions(num_tags: int, num_tokens: int) -> list[Additions]:
    """What enumeration and the recursion cost, for the prefixes of 1, 2 … tokens.

    The recursion adds S terms in each of S cells of a column, S − 1 additions each; its first
    column needs none, and the sum over the last column S − 1 more.

    >>> additions(3, 3)[-1]
    Additions(tokens=3, prefixes=27, enumeration=26, recursion=14)
    """
    S, tokens = num_tags, range(1, num_tokens + 1)
    return [Additions(t, S**t, S**t - 1, (t - 1) * S * (S - 1) + S - 1) for t in tokens]
