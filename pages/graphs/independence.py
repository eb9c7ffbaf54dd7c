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
    """Fix tags and look at every pair of the others; computed once for each.

    Args:
        problem: S tags, m tokens.
        fixed: The tag's index for each token that is fixed.

    Returns:
        The pieces and the dependence of every pair of free tokens. If the fixed tags have
        probability 0 nothing can be said: there are no pairs, and all marginals are 0.
    """
    return _given(problem, tuple(sorted(fixed.items())))


@lru_cache(maxsize=16)
def _given(problem: Problem, held: tuple[tuple[int, int], ...]) -> Independence:
    fixed = dict(held)
    S, m = len(problem.tags), len(problem.tokens)
    tags = torch.tensor([[fixed.get(t, -1) for t in range(m)]])
    chain = problem.chain()
    clamped = chain.clamp(tags)
    possible = bool(clamped.feasible.item())
    marginals = clamped.marginals[0]
    free = [t for t in range(m) if t not in fixed]
    pairs = []
    if possible and len(free) > 1:
        joint = _joint(chain, tags, free, S) * marginals[free][:, :, None, None]
        pairs = [
            _pair(a, b, fixed, joint[k, :, b], marginals)
            for k, a in enumerate(free)
            for b in free[k + 1 :]
        ]
    return Independence(
        fixed,
        min((clamped.log_partition - chain.log_partition).item(), 0.0) if possible else -math.inf,
        tuple(map(tuple, marginals.tolist())), tuple(_pieces(free)), tuple(pairs),
    )  # fmt: skip


def joint_probability(problem: Problem, fixed: Mapping[int, int], more: Mapping[int, int]) -> float:
    """p(more tags | fixed tags, x): what is left of Z when all are fixed, as a share.

    Args:
        problem: S tags, m tokens.
        fixed: The tag's index of each token that is fixed; together they must be possible.
        more: Further tags.
    """
    chain, m = problem.chain(), len(problem.tokens)
    few, many = (
        chain.clamp(torch.tensor([[tags.get(t, -1) for t in range(m)]])).log_partition
        for tags in (fixed, {**fixed, **more})
    )
    return (many - few).exp().item()


def _joint(chain: LinearChain, tags: Tensor, free: list[int], S: int) -> Tensor:
    """p(y_b=j | y_a=i, fixed) for all free a, tags i, tokens b, tags j: one batch of chains."""
    p, (B, m) = chain.potentials, (len(free) * S, tags.shape[1])
    more = tags.repeat(B, 1)
    for row, (a, i) in enumerate((a, i) for a in free for i in range(S)):
        more[row, a] = i
    per_step = p.transitions.dim() == 4
    many = LinearChain(
        p.emissions.expand(B, -1, -1),
        p.transitions.expand(B, -1, -1, -1) if per_step else p.transitions,
        p.start, p.end, backend="plain",
    )  # fmt: skip
    return many.clamp(more).marginals.reshape(len(free), S, m, S)


def _pair(a: int, b: int, fixed: Mapping[int, int], joint: Tensor, marginals: Tensor) -> Pair:
    product = marginals[a][:, None] * marginals[b]
    off = (joint - product).abs()
    i, j = divmod(int(off.argmax()), off.shape[1])
    return Pair(
        a, b, any(a < t < b for t in fixed), off.max().item(), (i, j), joint[i, j].item(),
        product[i, j].item(),
    )  # fmt: skip


def _pieces(free: list[int]) -> list[tuple[int, ...]]:
    pieces: list[list[int]] = []
    for t in free:
        if pieces and pieces[-1][-1] == t - 1:
            pieces[-1].append(t)
        else:
            pieces.append([t])
    return [tuple(piece) for piece in pieces]


def rows(problem: Problem, pairs: Sequence[Pair]) -> Rows:
    """Every pair's dependence for a file."""
    names = problem.tokens
    body = [[names[pair.first], names[pair.second], pair.dependence] for pair in pairs]
    return [["first", "second", "largest difference"], *body]


# ---------------------------------------------------------------------- in words


def told(
    problem: Problem, free: Independence, now: Independence
) -> list[tuple[str, dict[str, str]]]:
    """What fixing tags has done: paragraphs of the lesson's text and their facts.

    Args:
        problem: Whose tags they are.
        free: With nothing fixed.
        now: With some tag fixed.
    """
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
    for separated, paragraph in ((True, "cut"), (False, "tied")):
        pairs = [old[pair[:2]] for pair in now.pairs if pair.separated == separated]
        if pairs:
            before = max(pairs, key=lambda pair: pair.dependence)
            if before.dependence >= (SAME if separated else TOLD):
                said.append((paragraph, _event(problem, before, now)))
    return said


def _event(problem: Problem, before: Pair, now: Independence) -> dict[str, str]:
    """The two tags that were farthest from independent, and how they are now."""
    (a, b), (i, j) = before[:2], before.at
    joint = joint_probability(problem, now.fixed, {a: i, b: j})
    product = now.marginals[a][i] * now.marginals[b][j]
    sides = [tagged(problem, t, s) for t, s in ((a, i), (b, j))]
    was, is_now = compared(before.joint, before.product), compared(joint, product)
    return {
        "event": f"p({', '.join(sides)})",
        "joint": was[0],
        "product": was[1],
        "now_joint": is_now[0],
        "now_product": is_now[1],
    }


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
