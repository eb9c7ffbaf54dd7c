"""Chains at the edges: no transitions, no scores, huge scores, one token, no path at all."""

import math

from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples.example import Example, p, scored, spoken
from pages.shared.course.numbers import (
    format_count,
    format_log_probability,
    format_potential,
    format_score,
)
from pages.shared.course.problem import Problem


def _independent(r: ChainSummary) -> bool:
    """Whether each marginal is the softmax of its token's emissions."""
    for t, row in enumerate(r.problem.emissions):
        whole = sum(map(math.exp, row))
        for tag, score in zip(r.problem.tags, row, strict=True):
            if abs(r.marginal(t, tag) - math.exp(score) / whole) > 1e-12:
                return False
    return True


NO_TRANSITIONS = Example(
    "zero-transitions",
    "Transitions all zero",
    scored("A B C", "v w x y", "1 0 -1 \n 0 2 1 \n .5 0 .2 \n -1 0 1.5", "0 0 0 \n 0 0 0 \n 0 0 0"),
    "A score of 0 forbids nothing and prefers nothing: every decoder gives {best}, each token’s "
    "tag is independent of the others, and its marginals are the softmax of its own emissions.",
    lambda r: {"best": spoken(r.viterbi)},
    {
        "all decoders agree": lambda r: r.viterbi == r.greedy == r.left_to_right == r.posterior,
        "softmax": _independent,
        "every path is allowed": lambda r: len(r.best(99)) == 81,
    },
)

ALL_ZERO = Example(
    "all-zero",
    "All scores zero",
    Problem.blank(["A", "B", "C"], ["w", "x", "y", "z"]),
    "Then log Z counts the paths: {log_z} = {m} · log {S}, the logarithm of {count}. All of them "
    "tie, and a decoder returns the one with the lowest indices, {best}.",
    lambda r: {
        "log_z": format_score(r.log_z), "m": str(len(r.problem.tokens)),
        "S": str(len(r.problem.tags)), "best": spoken(r.viterbi),
        "count": format_count(len(r.problem.tags) ** len(r.problem.tokens)),
    },
    {
        "log Z = m log S": lambda r: math.isclose(
            r.log_z, len(r.problem.tokens) * math.log(len(r.problem.tags))
        ),
        "the lowest indices": lambda r: set(r.viterbi) == {r.problem.tags[0]},
        "all tie": lambda r: len({r.p(path) for path in r.best(81)}) == 1,
    },
)  # fmt: skip

FIFTY = Example(
    "fifty",
    "Scores of ±50",
    scored(
        "A B", "1 2 3 4 5 6 7 8",
        "50 -50 \n -50 50 \n 50 -50 \n -50 50 \n 50 -50 \n -50 50 \n 50 -50 \n -50 50",
        "-50 50 \n 50 -50",
    ),
    "The best path scores {score}, and exp of that is {z}: no float holds such a number, yet in "
    "log space the path’s probability, {p_best}, is computed without trouble.",
    lambda r: {
        "score": format_score(r.score(r.viterbi), 0),
        "z": format_potential(r.score(r.viterbi)), "p_best": p(r, r.viterbi),
    },
    {
        "exp overflows": lambda r: r.score(r.viterbi) > math.log(1.7976931348623157e308),
        "nearly certain": lambda r: r.p(r.viterbi) > 0.999,
    },
)  # fmt: skip


ONE_TOKEN = Example(
    "one-token",
    "One token",
    scored("A B C", "x", "1 0 -1", "5 -5 0 \n 0 5 -5 \n -5 0 5", "0 .5 0", "0 1 0"),
    "One token uses no transition, whatever the matrix says: start, emission and end add up, and "
    "p(y|x) is their softmax. {best} wins with {p_best} although its emission is not the best.",
    lambda r: {"best": spoken(r.viterbi), "p_best": p(r, r.viterbi)},
    {
        "transitions do not matter": lambda r: math.isclose(
            r.log_z, ChainSummary(r.problem._with(transitions=r.problem.zeros().transitions)).log_z
        ),
        "not the best emission": lambda r: r.viterbi != r.greedy,
    },
)

NO_PATH = Example(
    "no-path",
    "No path is allowed",
    scored("A B", "x y z", "0 0 \n 0 0 \n 0 0", "-inf 0 \n -inf -inf"),
    "Only A to B is allowed. The first two tokens have a path, {two}; the third has none, for "
    "nothing may follow B. So Z = {z}, and there is nothing to decode.",
    lambda r: {"two": spoken(r.first(2).viterbi), "z": format_log_probability(r.log_z)},
    {
        "two tokens have one path": lambda r: r.first(2).best(9) == [("A", "B")],
        "three have none": lambda r: not r.feasible and r.viterbi == () and r.best(9) == [],
    },
)

ALL_FORBIDDEN = Example(
    "all-forbidden",
    "Everything is forbidden",
    scored(
        "A B", "x y", "-inf -inf \n -inf -inf", "-inf -inf \n -inf -inf", "-inf -inf", "-inf -inf"
    ),
    "Every score is −∞. Then log Z = {log_z}, and the library gives every marginal as 0, not nan.",
    lambda r: {"log_z": format_score(r.log_z)},
    {
        "infeasible": lambda r: not r.feasible,
        "marginals are 0, not nan": lambda r: all(
            r.marginal(t, tag) == 0 for t in range(2) for tag in r.problem.tags
        ),
    },
)

EDGE_CASES = (NO_TRANSITIONS, ALL_ZERO, FIFTY, ONE_TOKEN, NO_PATH, ALL_FORBIDDEN)
