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
from contextlib import AbstractContextManager
from decimal import Context, Decimal, localcontext
from functools import lru_cache, reduce
from typing import NamedTuple

import torch
from torch import Tensor

from crf.figures.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures.text import Case, case
from pages.stability.number_formats import (
    DTYPES,
    RIGHT,
    gap,
    judge,
    limits,
    magnitude,
    spacing,
    torch_dtype,
    written,
)


def exact_log_sum_exp(scores: Sequence[float], digits: int = 50) -> Decimal:
    """log Σ exp(q) of the scores as they are, to as many digits as asked for; no float is involved.

    >>> exact_log_sum_exp([1000.0, 1000.0], digits=30)
    Decimal('1000.69314718055994530941723212')
    """
    with _precise(digits):
        return sum(map(_psi, scores), Decimal(0)).ln()


@lru_cache(maxsize=16)
def exact_log_partition(problem: Problem, digits: int = 25) -> Decimal:
    """log Z of a small problem in nats: every ψ, sum and product to five digits more."""
    S = range(len(problem.tags))
    with _precise(digits + 5):
        alpha = [_psi(problem.start[s]) * _psi(problem.emissions[0][s]) for s in S]
        for t in range(1, len(problem.tokens)):
            step, emit = problem.matrix(t), problem.emissions[t]
            alpha = [_psi(emit[s]) * sum(alpha[r] * _psi(step[r][s]) for r in S) for s in S]
        z = sum((alpha[s] * _psi(problem.end[s]) for s in S), Decimal(0))
    with _precise(digits):
        return z.ln()


def _precise(digits: int) -> AbstractContextManager[Context]:
    """Decimal arithmetic whose exponents no exp of a score leaves."""
    return localcontext(prec=digits, Emin=-(10**9), Emax=10**9)


def _psi(score: float) -> Decimal:
    return Decimal(score).exp()


def held(scores: Sequence[float], dtype: str) -> Tensor:
    """The scores as a format holds them."""
    return torch.tensor(scores, dtype=torch.float64).to(torch_dtype(dtype))


class OffsetSum(NamedTuple):
    """c + log Σ exp(q − c), computed in one format."""

    offset: float  # c as the format holds it
    scores: tuple[float, ...]  # q as the format holds it
    exps: tuple[float, ...]  # exp(q − c)
    total: float  # the sum of these
    value: float  # c + log of the sum


def with_offset(scores: Sequence[float], offset: float, dtype: str) -> OffsetSum:
    """log Σ exp(q) by way of any c.

    >>> with_offset((95.0, 90.0), 0.0, "float32").value
    inf
    """
    q, (c,) = held(scores, dtype), held((offset,), dtype)
    exps = (q - c).exp()
    total = exps.sum()
    value = (c + total.log()).item()
    return OffsetSum(c.item(), tuple(q.tolist()), tuple(exps.tolist()), total.item(), value)


def log_add(a: Tensor, b: Tensor) -> Tensor:
    """log(exp(a) + exp(b)) = max + log(1 + exp(min − max)); log1p keeps the digits of a small exp.

    Two −∞ would give −∞ − (−∞) = nan: nothing plus nothing is nothing.
    """
    high, low = torch.maximum(a, b), torch.minimum(a, b)
    return high if low == -math.inf else high + torch.log1p(torch.exp(low - high))


METHODS = {
    "naive": lambda q: q.exp().sum().log(),
    "shifted": lambda q: q.max() + (q - q.max()).exp().sum().log(),
    "pairwise": lambda q: reduce(log_add, q),
}


class LogSum(NamedTuple):
    """log Σ exp(q), computed one way in one format."""

    method: str  # one of `METHODS`
    dtype: str  # one of `DTYPES`
    value: float  # the result, in nats
    error: float  # |value − exact|; inf if there is no finite value though there should be
    kind: str  # a verdict of `pages.stability.number_formats.judge`
    sentence: Case  # the verdict’s sentence


def log_sum(scores: Sequence[float], method: str, dtype: str) -> LogSum:
    """log Σ exp(q) by one method in one format, and the verdict on it.

    >>> log_sum([95.0, 90.0], "naive", "float32").sentence.name
    'sum-verdict.overflow'
    """
    value = METHODS[method](held(scores, dtype)).item()
    exact = float(exact_log_sum_exp(scores))
    kind, error = judge(value, exact, dtype), gap(value, exact)
    return LogSum(method, dtype, value, error, kind, _why(kind, scores, dtype, exact, error))


@lru_cache(maxsize=16)
def log_sums(scores: tuple[float, ...]) -> list[LogSum]:
    """Every method in every format: first all formats of the first method."""
    return [log_sum(scores, method, dtype) for method in METHODS for dtype in DTYPES]


def _why(kind: str, scores: Sequence[float], dtype: str, exact: float, error: float) -> Case:
    """Why it came out so."""
    bound, largest = limits(dtype), max(scores)
    too_large = next((q for q in scores if q > bound.overflow), None)
    facts = {"dtype": dtype}
    if kind == "nan":
        kind = "nan-large"
        if largest == -math.inf:
            kind, facts = "nan-forbidden", {}
    elif kind == "overflow" and largest > bound.largest:
        kind, facts["score"] = "score-large", written(largest)
    elif kind == "overflow" and too_large is None:
        kind = "sum-large"
    elif kind in ("overflow", "underflow"):
        score = largest if too_large is None else too_large
        facts |= {"score": written(score), "limit": format_score(getattr(bound, kind))}
    elif kind == "near":
        facts["apart"] = magnitude(spacing(exact, dtype))
    elif kind == "inexact":
        facts["off"] = magnitude(error)
    else:
        facts = {"off": f"{RIGHT:g}"} if kind == "right" else {}
    return case(f"sum-verdict.{kind}", **facts)


class PairSum(NamedTuple):
    """a ⊕ b = log(exp(a) + exp(b)) in one format, in three ways."""

    plain: float  # log(exp(a) + exp(b)), as it is written
    with_log: float  # max + log(1 + exp(min − max)): where exp is small, 1 + exp is rounded to 1
    with_log1p: float  # max + log1p(exp(min − max))
    exact: float  # to the digits of a float64


def pair_sum(a: float, b: float, dtype: str) -> PairSum:
    """Two scores added in log space.

    >>> two = pair_sum(0.0, -40.0, "float64")
    >>> two.with_log, two.with_log1p
    (0.0, 4.248354255291589e-18)
    """
    x, y = held((a, b), dtype)
    high, low = torch.maximum(x, y), torch.minimum(x, y)
    with_log = high if low == -math.inf else high + (1 + (low - high).exp()).log()
    plain, exact = (x.exp() + y.exp()).log(), float(exact_log_sum_exp((a, b)))
    return PairSum(plain.item(), with_log.item(), log_add(x, y).item(), exact)
