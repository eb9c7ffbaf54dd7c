"""The weather of five days, judged by the ice cream that was eaten: a chain with two tags.

The factors are the probabilities of an HMM, so that each can be read: ψ(y_t, x_t) is how often so
many cones are eaten on such a day, ψ(y_t, y_t+1) how often one day follows the other.

A chain falls apart at a fixed tag: y_a and y_b are independent given y_c (and x) if c lies between
them. `given` computes that as a number, with exact queries to the chain:

    dependence(a, b) = max_ij | p(y_a=i, y_b=j | fixed) − p(y_a=i | fixed) p(y_b=j | fixed) |

The joint probability of any two tags is p(y_b=j | y_a=i, fixed) p(y_a=i | fixed), the first of
which is a marginal of the chain with one more tag fixed: `LinearChain.clamp`.

Source: Eisner (2002), "An interactive spreadsheet for teaching the forward-backward algorithm".
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import torch
from torch import Tensor

from pages.shared.course.problem import Problem

TAGS = ("hot", "cold")
EATEN = {"1": (0.1, 0.7), "2": (0.2, 0.2), "3": (0.7, 0.1)}  # p(cones | hot), p(cones | cold)
STAY, SWITCH, BEGIN, STOP = 0.8, 0.1, 0.5, 0.1  # of the next day, the first and the last
DAYS = 5


class Square(NamedTuple):
    """A square of the graph."""

    kind: str  # "start", "emission", "transition" or "end"
    day: int  # that it touches, from 0; the earlier one of a transition


SQUARES = (
    Square("start", 0),
    *(Square(kind, t) for t in range(DAYS - 1) for kind in ("emission", "transition")),
    Square("emission", DAYS - 1),
    Square("end", DAYS - 1),
)


@lru_cache(maxsize=64)
def problem(cones: str) -> Problem:
    """The chain for a diary, as "32221"; log ψ are its scores."""
    stay, switch = math.log(STAY), math.log(SWITCH)
    return Problem.of(
        TAGS,
        tuple(cones),
        [tuple(map(math.log, EATEN[eaten])) for eaten in cones],
        [(stay, switch), (switch, stay)],
        (math.log(BEGIN),) * 2,
        (math.log(STOP),) * 2,
    )


class TableColumn(NamedTuple):
    """A number of cones in the table p(x, y) of one day."""

    cones: str
    joint: tuple[float, float]  # p(x, hot), p(x, cold)

    @property
    def width(self) -> float:
        """p(x): how often so many cones are eaten."""
        return math.fsum(self.joint)

    @property
    def cut(self) -> float:
        """p(hot | x): Bayes' rule."""
        return self.joint[0] / self.width


def table(hot: float) -> tuple[TableColumn, ...]:
    """The table of one day, a column for each number of cones.

    Args:
        hot: p(hot), how many days are hot.
    """
    return tuple(
        TableColumn(cones, (hot * eaten[0], (1 - hot) * eaten[1])) for cones, eaten in EATEN.items()
    )


# ---------------------------------------------------------------------- independence


class Pair(NamedTuple):
    """Two tokens whose tags are not fixed."""

    first: int  # a token, from 0
    second: int  # a later token
    separated: bool  # whether a fixed tag stands between them
    dependence: float  # how far the joint probability is from the product, at the most


class Independence(NamedTuple):
    """The independent parts of the chain when some tags are fixed."""

    log_p: float  # log p(fixed | x); −∞ if no allowed path has them
    marginals: tuple[tuple[float, ...], ...]  # [m][S] p(y_t | fixed, x)
    pieces: tuple[tuple[int, ...], ...]  # the runs of neighbouring tokens that are still free
    pairs: tuple[Pair, ...]  # all pairs of free tokens, in order


def given(problem: Problem, fixed: Mapping[int, int]) -> Independence:
    """Fix tags, by token, and look at every pair of the others; computed once for each.

    If the fixed tags have probability 0 there are no pairs, and all marginals are 0.
    """
    return _independence(problem, tuple(sorted(fixed.items())))


@lru_cache(maxsize=16)
def _independence(problem: Problem, items: tuple[tuple[int, int], ...]) -> Independence:
    fixed, chain, m = dict(items), problem.chain(), len(problem.tokens)
    tags = _tags(problem, fixed)
    clamped = chain.clamp(tags)
    marginals = clamped.marginals[0]
    free = [t for t in range(m) if t not in fixed]
    runs = groupby(enumerate(free), key=lambda place: place[1] - place[0])
    pieces = tuple(tuple(t for _, t in run) for _, run in runs)
    log_p, pairs = -math.inf, []
    if clamped.feasible.item():
        log_p = min((clamped.log_partition - chain.log_partition).item(), 0.0)
        # p(y_b=j | y_a=i, fixed) for all free a, tags i, tokens b, tags j: one batch of chains
        S = len(problem.tags)
        more = tags.repeat(len(free) * S, 1)
        for row, (a, i) in enumerate((a, i) for a in free for i in range(S)):
            more[row, a] = i
        after = chain[[0] * len(more)].clamp(more).marginals.reshape(len(free), S, m, S)
        for (k, a), (_, b) in combinations(enumerate(free), 2):
            joint, product = (
                after[k, :, b] * marginals[a][:, None],
                marginals[a][:, None] * marginals[b],
            )
            is_cut = any(a < t < b for t in fixed)
            pairs.append(Pair(a, b, is_cut, (joint - product).abs().max().item()))
    return Independence(log_p, tuple(map(tuple, marginals.tolist())), pieces, tuple(pairs))


def _tags(problem: Problem, fixed: Mapping[int, int]) -> Tensor:
    return torch.tensor([[fixed.get(t, -1) for t in range(len(problem.tokens))]])


def joint_probability(problem: Problem, fixed: Mapping[int, int], more: Mapping[int, int]) -> float:
    """p(more tags | fixed tags, x): what is left of Z when all are fixed, as a share."""
    chain = problem.chain()
    few, many = (
        chain.clamp(_tags(problem, tags)).log_partition for tags in (fixed, {**fixed, **more})
    )
    return (many - few).exp().item()
