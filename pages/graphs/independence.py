"""Fix some tags: which of the others still tell something about each other?

A chain falls apart at a fixed tag: y_a and y_b are independent given y_c (and x) if c lies between
them. Here that is a number, computed with exact queries to the chain:

    dependence(a, b) = max_ij | p(y_a=i, y_b=j | fixed) − p(y_a=i | fixed) p(y_b=j | fixed) |

The joint probability of any two tags is p(y_b=j | y_a=i, fixed) p(y_a=i | fixed), the first of
which is a marginal of the chain with one more tag fixed: `LinearChain.clamp`.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.shared.course.problem import Problem


class Pair(NamedTuple):
    """Two tokens whose tags are not fixed."""

    first: int  # a token, from 0
    second: int  # a later token
    separated: bool  # whether a fixed tag stands between them
    dependence: float  # how far the joint probability is from the product, at the most
    at: tuple[int, int]  # the two tags for which it is that far
    joint: float  # p(first has the one tag, second the other | fixed)
    product: float  # the product of the two probabilities


class Independence(NamedTuple):
    """The independent parts of the chain when some tags are fixed."""

    fixed: dict[int, int]  # the tag of each token that is fixed
    log_p: float  # log p(fixed | x); −∞ if no allowed path has them
    marginals: tuple[tuple[float, ...], ...]  # [m][S] p(y_t | fixed, x)
    pieces: tuple[tuple[int, ...], ...]  # the runs of neighbouring tokens that are still free
    pairs: tuple[Pair, ...]  # all pairs of free tokens, in order


def given(problem: Problem, fixed: Mapping[int, int]) -> Independence:
    """Fix tags, by token, and look at every pair of the others; computed once for each.

    If the fixed tags have probability 0 there are no pairs, and all marginals are 0.
    """
    return _given(problem, tuple(sorted(fixed.items())))


@lru_cache(maxsize=16)
def _given(problem: Problem, held: tuple[tuple[int, int], ...]) -> Independence:
    fixed = dict(held)
    chain, tags = problem.chain(), _tags(problem, fixed)
    clamped = chain.clamp(tags)
    marginals = clamped.marginals[0]
    free = [t for t in range(len(problem.tokens)) if t not in fixed]
    runs = groupby(enumerate(free), key=lambda place: place[1] - place[0])
    pieces = tuple(tuple(t for _, t in run) for _, run in runs)
    log_p, pairs = -math.inf, []
    if clamped.feasible.item():
        log_p = min((clamped.log_partition - chain.log_partition).item(), 0.0)
        joint = _joint(chain, tags, free)
        for (k, a), (_, b) in combinations(enumerate(free), 2):
            both = joint[k, :, b] * marginals[a][:, None]
            pairs.append(_pair(a, b, fixed, both, marginals))
    return Independence(fixed, log_p, tuple(map(tuple, marginals.tolist())), pieces, tuple(pairs))


def _tags(problem: Problem, fixed: Mapping[int, int]) -> Tensor:
    return torch.tensor([[fixed.get(t, -1) for t in range(len(problem.tokens))]])


def joint_probability(problem: Problem, fixed: Mapping[int, int], more: Mapping[int, int]) -> float:
    """p(more tags | fixed tags, x): what is left of Z when all are fixed, as a share."""
    chain = problem.chain()
    few, many = (
        chain.clamp(_tags(problem, tags)).log_partition for tags in (fixed, {**fixed, **more})
    )
    return (many - few).exp().item()


def _joint(chain: LinearChain, tags: Tensor, free: list[int]) -> Tensor:
    """p(y_b=j | y_a=i, fixed) for all free a, tags i, tokens b, tags j: one batch of chains."""
    S, m = chain.marginals.shape[2], tags.shape[1]
    more = tags.repeat(len(free) * S, 1)
    for row, (a, i) in enumerate((a, i) for a in free for i in range(S)):
        more[row, a] = i
    return chain[[0] * len(more)].clamp(more).marginals.reshape(len(free), S, m, S)


def _pair(a: int, b: int, fixed: Mapping[int, int], joint: Tensor, marginals: Tensor) -> Pair:
    product = marginals[a][:, None] * marginals[b]
    off = (joint - product).abs()
    i, j = divmod(int(off.argmax()), off.shape[1])
    is_cut = any(a < t < b for t in fixed)
    return Pair(a, b, is_cut, off.max().item(), (i, j), joint[i, j].item(), product[i, j].item())
