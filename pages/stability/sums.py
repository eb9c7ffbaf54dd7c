"""log Σ exp(q) in four number formats: three ways to compute it, and what each makes of the scores.

    naive       log Σ exp(q)                         exp overflows, or every exp is 0
    shifted     c + log Σ exp(q − c), c = max q      the largest exp is 1: nothing can overflow
    pairwise    ((q1 ⊕ q2) ⊕ q3) ⊕ …                 a ⊕ b = max + log1p(exp(min − max))

Each is computed with PyTorch on the CPU in the format named; for the two 16-bit formats PyTorch
adds up in float32 and rounds the sum once. Errors are measured against exact decimal arithmetic.

Source: Blanchard, Higham and Higham (2021), "Accurately computing the log-sum-exp and softmax
functions".
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from pages.shared.course.numbers import format_magnitude, format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.text import Case, case
from pages.stability.number_formats import DTYPES, RIGHT, gap, judge, limits, spacing, torch_dtype


def exact_log_sum_exp(scores: Sequence[float], digits: int = 50) -> Decimal:
    """log Σ exp(q) of the scores as they are, to as many digits as asked for; no float is involved.

    >>> exact_log_sum_exp([1000.0, 1000.0], digits=30)
    Decimal('1000.69314718055994530941723212')
    """
    with localcontext() as context:
        context.prec = digits
        context.Emin, context.Emax = -(10**9), 10**9
        terms = [Decimal(q).exp() for q in scores if q > -math.inf]
        return sum(terms, Decimal(0)).ln() if terms else Decimal("-Infinity")


def exact_log_partition(problem: Problem, digits: int = 40) -> Decimal:
    """log Z of a small problem by decimal arithmetic: every ψ, sum and product to so many digits.

    Returns:
        log Z in nats; −Infinity if no path is allowed.
    """
    with localcontext() as context:
        context.prec = digits + 5
        context.Emin, context.Emax = -(10**9), 10**9

        def psi(score: float) -> Decimal:
            return Decimal(score).exp() if score > -math.inf else Decimal(0)

        S = range(len(problem.tags))
        alpha = [psi(problem.start[s]) * psi(problem.emissions[0][s]) for s in S]
        for t in range(1, len(problem.tokens)):
            step, emit = problem.matrix(t), problem.emissions[t]
            alpha = [psi(emit[s]) * sum(alpha[r] * psi(step[r][s]) for r in S) for s in S]
        z = sum((alpha[s] * psi(problem.end[s]) for s in S), Decimal(0))
        context.prec = digits
        return z.ln() if z else Decimal("-Infinity")


METHODS = ("naive", "shifted", "pairwise")


class OffsetSum(NamedTuple):
    """c + log Σ exp(q − c), computed in one format."""

    offset: float  # c as the format holds it
    scores: tuple[float, ...]  # q as the format holds it
    differences: tuple[float, ...]  # q − c
    exps: tuple[float, ...]  # their exponentials
    total: float  # the sum of these
    value: float  # c + log of the sum
    error: float  # |value − exact|; inf if there is no finite value though there should be


def with_offset(scores: Sequence[float], offset: float, dtype: str) -> OffsetSum:
    """log Σ exp(q) by way of any c.

    >>> with_offset((95.0, 90.0), 95.0, "float64").differences
    (0.0, -5.0)
    >>> with_offset((95.0, 90.0), 0.0, "float32").value
    inf
    """
    q = torch.tensor(scores, dtype=torch.float64).to(torch_dtype(dtype))
    c = torch.tensor(offset, dtype=torch.float64).to(torch_dtype(dtype))
    exps = (q - c).exp()
    total = exps.sum()
    value = (c + total.log()).item()
    return OffsetSum(
        c.item(), tuple(q.tolist()), tuple((q - c).tolist()), tuple(exps.tolist()), total.item(),
        value, gap(value, float(exact_log_sum_exp(scores))),
    )  # fmt: skip


class LogSum(NamedTuple):
    """log Σ exp(q), computed one way in one format."""

    method: str  # one of `METHODS`
    dtype: str  # one of `DTYPES`
    scores: tuple[float, ...]  # q as the format holds it
    exps: tuple[float, ...]  # what exp gave: for each score; of pairwise for each but the first
    value: float  # the result, in nats
    # |value − exact|, with the exact value of the scores as given; inf if there is no finite value
    # though there should be
    error: float
    overflowed: tuple[int, ...]  # the scores whose exp is inf, or that are inf in this format
    underflowed: tuple[int, ...]  # the allowed scores whose exp is 0
    kind: str  # a verdict of `pages.stability.number_formats.judge`
    told: Case  # the verdict’s sentence


def log_add(a: Tensor, b: Tensor) -> Tensor:
    """log(exp(a) + exp(b)) = max + log(1 + exp(min − max)); log1p keeps the digits of a small exp.

    Two −∞ would give −∞ − (−∞) = nan: nothing plus nothing is nothing.
    """
    high, low = torch.maximum(a, b), torch.minimum(a, b)
    return high if low == -math.inf else high + torch.log1p(torch.exp(low - high))


def pairwise(q: Tensor) -> Tensor:
    """((q1 ⊕ q2) ⊕ q3) ⊕ …, two at a time."""
    total = q[0]
    for score in q[1:]:
        total = log_add(total, score)
    return total


def log_sum(scores: Sequence[float], method: str, dtype: str) -> LogSum:
    """log Σ exp(q) by one method in one format, with all that went on.

    Args:
        scores: One or more log-scores; −∞ is allowed, +∞ and nan are not.
        method: One of `METHODS`.
        dtype: One of `DTYPES`.

    Returns:
        The value, its error, and the verdict.

    Raises:
        ValueError: No score is given, or one is nan or +∞.

    Example:
        >>> log_sum([95.0, 90.0], "naive", "float32").told.name
        'sum-verdict.overflow'
        >>> log_sum([95.0, 90.0], "shifted", "float32").kind
        'right'
    """
    if not scores or any(math.isnan(q) or q == math.inf for q in scores):
        raise ValueError(
            f"scores: expected one or more numbers or −∞, got {list(scores)}; remove nan and +∞"
        )
    first = 0
    if method == "pairwise":
        first, q = 1, torch.tensor(scores, dtype=torch.float64).to(torch_dtype(dtype))
        partial = [pairwise(q[: k + 1]) for k in range(len(q))]
        held, value = tuple(q.tolist()), partial[-1].item()
        exps = tuple((-(a - b).abs()).exp().item() for a, b in zip(partial, q[1:], strict=False))
    else:
        c = max(scores) if method == "shifted" else 0.0
        _, held, _, exps, _, value, _ = with_offset(scores, c, dtype)
    over = {k for k, x in enumerate(held) if math.isinf(x) and scores[k] > -math.inf}
    over |= {k for k, e in enumerate(exps, first) if e == math.inf}
    under = tuple(k for k, e in enumerate(exps, first) if e == 0 and scores[k] > -math.inf)
    exact = float(exact_log_sum_exp(scores))
    kind = judge(value, exact, dtype)
    told = _told(kind, scores, dtype, sorted(over), abs(value - exact), exact)
    error = gap(value, exact)
    return LogSum(method, dtype, held, exps, value, error, tuple(sorted(over)), under, kind, told)


@lru_cache(maxsize=16)
def log_sums(scores: tuple[float, ...]) -> list[LogSum]:
    """Every method in every format: first all formats of the first method."""
    return [log_sum(scores, method, dtype) for method in METHODS for dtype in DTYPES]


def short(score: float) -> str:
    """A score as one types it, with a real minus sign.

    >>> short(-0.5), short(95.0)
    ('−0.5', '95')
    """
    return f"{score:g}".replace("-", "−")


def _told(
    kind: str, scores: Sequence[float], dtype: str, over: list[int], off: float, exact: float
) -> Case:
    bound, largest = limits(dtype), max(scores)
    facts = {"dtype": dtype}
    if kind == "nan":
        if largest == -math.inf:
            return case("sum-verdict.nan-forbidden")
        return case("sum-verdict.nan-large", **facts)
    if kind == "overflow":
        if largest > bound.largest:
            return case("sum-verdict.score-large", score=short(largest), **facts)
        if not over:
            return case("sum-verdict.sum-large", **facts)
        facts |= {"score": short(scores[over[0]]), "limit": format_score(bound.overflow)}
    elif kind == "underflow":
        facts |= {"score": short(largest), "limit": format_score(bound.underflow)}
    elif kind == "inexact":
        facts |= {"off": format_magnitude(off, 2)}
    elif kind == "near":
        facts |= {"apart": format_magnitude(spacing(exact, dtype), 2)}
    else:
        facts = {"off": f"{RIGHT:g}"} if kind == "right" else {}
    return case(f"sum-verdict.{kind}", **facts)
