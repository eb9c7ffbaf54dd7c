"""Fix some tags: which of the others still tell something about each other?

A chain falls apart at a fixed tag: y_a and y_b are independent given y_c (and x) if c lies between
them. Here that is a number, computed with exact queries to the chain:

    dependence(a, b) = max_ij | p(y_a=i, y_b=j | fixed) − p(y_a=i | fixed) p(y_b=j | fixed) |

The joint probability of any two tags is p(y_b=j | y_a=i, fixed) p(y_a=i | fixed), the first of
which is a marginal of the chain with one more tag fixed: `LinearChain.clamp`.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations, groupby
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from crf.figures.trellis.narration import printable, tagged
from pages.shared.course.problem import Problem
from pages.shared.figures.decoders import listed
from pages.shared.figures.tables import Rows
from pages.shared.figures.theme import log_probability, probability

TOLD = 0.005  # a smaller dependence within a part is not worth a sentence
SAME = 1e-12  # a smaller difference of probabilities is rounding


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
    """What is left of the chain when some tags are fixed."""

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


def rows(problem: Problem, pairs: Sequence[Pair]) -> Rows:
    """Every pair's dependence for a file."""
    names = problem.tokens
    body = [[names[pair.first], names[pair.second], pair.dependence] for pair in pairs]
    return [["first", "second", "largest difference"], *body]


# ---------------------------------------------------------------------- in words


def paragraphs(
    problem: Problem, free: Independence, now: Independence
) -> list[tuple[str, dict[str, str]]]:
    """What fixing tags has done to a free chain: paragraphs of the lesson's text, their facts."""
    names = listed([tagged(problem, t, s) for t, s in sorted(now.fixed.items())])
    if now.log_p == -math.inf:
        return [("impossible", {"names": names})]
    facts = {"names": names, "p": log_probability(now.log_p)}
    if len(now.pieces) < 2:
        longest = max(map(len, now.pieces), default=0)
        return [("one-part" if longest > 2 else "no-more" if longest else "all-fixed", facts)]
    parts = listed([_words(problem, piece) for piece in now.pieces])
    said = [("split", facts | {"count": str(len(now.pieces)), "parts": parts})]
    old = {pair[:2]: pair for pair in free.pairs}
    for separated, least, paragraph in ((True, SAME, "cut"), (False, TOLD, "tied")):
        pairs = [old[pair[:2]] for pair in now.pairs if pair.separated == separated]
        before = max(pairs, key=lambda pair: pair.dependence, default=None)
        if before and before.dependence >= least:
            said.append((paragraph, _event(problem, before, now)))
    return said


def _event(problem: Problem, before: Pair, now: Independence) -> dict[str, str]:
    """The two tags that were farthest from independent, and how they are now."""
    (a, b), (i, j) = before[:2], before.at
    joint = joint_probability(problem, now.fixed, {a: i, b: j})
    product = now.marginals[a][i] * now.marginals[b][j]
    names = ("joint", "product", "now_joint", "now_product")
    texts = (*compared(before.joint, before.product), *compared(joint, product))
    event = f"p({tagged(problem, a, i)}, {tagged(problem, b, j)})"
    return {"event": event, **dict(zip(names, texts, strict=True))}


def compared(joint: float, product: float) -> tuple[str, str]:
    """Both numbers, with as many digits as tell them apart.

    >>> compared(0.67012, 0.66842), compared(0.25, 0.25)
    (('0.6701', '0.6684'), ('0.250', '0.250'))
    """
    gap = abs(joint - product)
    if gap < SAME:
        return probability(joint), probability(joint)
    digits = max(3, 1 - math.floor(math.log10(gap)))
    return f"{joint:.{digits}f}", f"{product:.{digits}f}"


def _words(problem: Problem, piece: Sequence[int]) -> str:
    """A run of tokens; of a long one the ends."""
    words = [printable(problem.tokens[t]) for t in piece]
    return "‘" + " ".join(words if len(words) <= 6 else [words[0], "…", words[-1]]) + "’"
