"""Four number formats: what each can hold, how far its numbers are apart, and log Σ exp in each.

    naive       log Σ exp(q)                         exp overflows, or every exp is 0
    shifted     c + log Σ exp(q − c), c = max q      the largest exp is 1: nothing can overflow
    pairwise    ((q1 ⊕ q2) ⊕ q3) ⊕ …                 a ⊕ b = max + log1p(exp(min − max))

A log-score is **right** if it is off by at most `RIGHT` nats: whatever is computed from it, a Z or
a probability, is then right to a tenth of a percent, in any format. A format with few digits may
have no such number where the score is large. Then the score is **near** if it is within rounding,
half the distance of two neighbouring numbers: no other way to compute could give a better one.
Anything farther off has lost digits that the format has, and is **inexact**.

Sums are computed with PyTorch on the CPU in the format named; for the two 16-bit formats PyTorch
adds up in float32 and rounds the sum once. What is exact is decimal arithmetic.

Sources: Goldberg (1991), "What every computer scientist should know about floating-point";
Blanchard, Higham and Higham (2021), "Accurately computing the log-sum-exp and softmax functions".
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from functools import reduce
from typing import NamedTuple

import torch
from torch import Tensor

from crf.figures.numbers import decimal, format_magnitude, format_score, power_of_ten
from pages.shared.figures.text import Case, case

DTYPES = ("float16", "bfloat16", "float32", "float64")
RIGHT = 0.001  # nats


class Limits(NamedTuple):
    """What a number format holds, as arguments of exp."""

    dtype: str  # the format's name
    overflow: float  # exp of more than this is inf (nats)
    fades: float  # exp of less than this loses digits, it is subnormal (nats)
    underflow: float  # exp of less than this is 0 (nats)
    epsilon: float  # the distance from 1 to the next number
    largest: float  # the largest finite number; a score may not exceed it either


def torch_dtype(name: str) -> torch.dtype:
    """The format of that name, one of `DTYPES`."""
    return getattr(torch, name)


def limits(dtype: str) -> Limits:
    """The arguments at which exp over- and underflows, from the format itself.

    >>> [round(limits(dtype).overflow, 2) for dtype in ("float16", "float32", "float64")]
    [11.09, 88.72, 709.78]
    """
    info = torch.finfo(torch_dtype(dtype))
    fades = math.log(info.tiny)
    to_zero = fades + math.log(info.eps) - math.log(2)  # half of the smallest subnormal
    return Limits(dtype, math.log(info.max), fades, to_zero, info.eps, info.max)


def spacing(value: float, dtype: str) -> float:
    """How far apart two neighbouring numbers of a format are at that size; never 0.

    >>> spacing(-100.0, "bfloat16"), spacing(64.0, "float16"), spacing(0.0, "float16") == 2**-24
    (0.5, 0.0625, True)
    """
    info = torch.finfo(torch_dtype(dtype))
    _, exponent = math.frexp(max(abs(value), info.tiny))
    return math.ldexp(info.eps, exponent - 1)


def gap(value: float, exact: float) -> float:
    """|value − exact|; 0 if both are the same infinity, inf if only one is finite or nan came out.

    >>> gap(-math.inf, -math.inf), gap(math.nan, 1.0), gap(1.5, 1.0)
    (0.0, inf, 0.5)
    """
    return 0.0 if value == exact else math.inf if math.isnan(value) else abs(value - exact)


def judge(value: float, exact: float, dtype: str) -> str:
    """The verdict on a log-score that was computed in a format; `exact` is finite or −∞.

    "right", "near" or "inexact", see above; "forbidden" where both are −∞; "nan", "overflow"
    (inf), "underflow" (−∞ and should not be), "invented" (a number and should be −∞).

    >>> judge(800.0, 800.3, "bfloat16"), judge(800.0, 800.3, "float16")
    ('near', 'inexact')
    >>> judge(800.0, 800.0004, "float32"), judge(math.inf, 800.3, "float16")
    ('right', 'overflow')
    """
    if math.isnan(value):
        return "nan"
    if value == exact == -math.inf:
        return "forbidden"
    if math.isinf(value):
        return "overflow" if value > 0 else "underflow"
    if exact == -math.inf:
        return "invented"
    error = gap(value, exact)
    if error <= RIGHT:
        return "right"
    return "near" if error <= spacing(exact, dtype) / 2 else "inexact"


# ---------------------------------------------------------------------- log Σ exp(q)


def exact_log_sum_exp(scores: Sequence[float], digits: int = 50) -> Decimal:
    """log Σ exp(q) of the scores as they are, to as many digits as asked for; no float is involved.

    >>> exact_log_sum_exp([1000.0, 1000.0], digits=30)
    Decimal('1000.69314718055994530941723212')
    """
    with localcontext(prec=digits, Emin=-(10**9), Emax=10**9):
        return sum((Decimal(q).exp() for q in scores), Decimal(0)).ln()


def held(scores: Sequence[float], dtype: str) -> Tensor:
    """The scores as a format holds them."""
    return torch.tensor(scores, dtype=torch.float64).to(torch_dtype(dtype))


class OffsetSum(NamedTuple):
    """c + log Σ exp(q − c), computed in one format."""

    total: float  # Σ exp(q − c)
    value: float  # c + log of the sum


def with_offset(scores: Sequence[float], offset: float, dtype: str) -> OffsetSum:
    """log Σ exp(q) by way of any c.

    >>> with_offset((95.0, 90.0), 0.0, "float32").value
    inf
    """
    q, (c,) = held(scores, dtype), held((offset,), dtype)
    total = (q - c).exp().sum()
    return OffsetSum(total.item(), (c + total.log()).item())


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

    value: float  # the result, in nats
    kind: str  # a verdict of `judge`
    sentence: Case  # the verdict’s sentence


def log_sum(scores: Sequence[float], method: str, dtype: str) -> LogSum:
    """log Σ exp(q) by one method in one format, and the verdict on it.

    >>> log_sum([95.0, 90.0], "naive", "float32").sentence.name
    'sum-verdict.overflow'
    """
    value = METHODS[method](held(scores, dtype)).item()
    exact = float(exact_log_sum_exp(scores))
    kind = judge(value, exact, dtype)
    return LogSum(value, kind, _why(kind, scores, dtype, exact, gap(value, exact)))


def _why(kind: str, scores: Sequence[float], dtype: str, exact: float, error: float) -> Case:
    """Why the result is what it is."""
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
        facts = {}
    return case(f"sum-verdict.{kind}", **facts)


# ---------------------------------------------------------------------- as the page writes them


def written(value: float, digits: int = 7) -> str:
    r"""A result as text; inf and nan as words.

    >>> [written(x) for x in (1.5, -0.0, math.inf, -math.inf, math.nan)]
    ['1.5', '0', 'inf', '−inf', 'nan']
    >>> written(-6.7e-6).replace("\xa0", " ")
    '−6.7 × 10⁻⁶'
    """
    return _in_one_line(decimal(f"{value + 0.0:.{digits}g}"))  # −0.0 + 0.0 is 0.0


def exactly(value: Decimal) -> str:
    r"""Every digit of an exact log-score.

    >>> exactly(Decimal("-1.5195E-17")).replace("\xa0", " "), exactly(Decimal("-Infinity"))
    ('−1.5195 × 10⁻¹⁷', '−∞')
    """
    return "−∞" if value == -math.inf else _in_one_line(str(value))


def magnitude(value: float, digits: int = 2) -> str:
    """A positive number."""
    return format_magnitude(value, digits).replace(" ", "\xa0")


def _in_one_line(number: str) -> str:
    """A number as Python writes it, "-1.5e-17", with a real minus sign and a power of ten."""
    mantissa, _, power = number.lower().partition("e")
    mantissa = mantissa.replace("-", "−")
    return f"{mantissa}\xa0×\xa0{power_of_ten(int(power))}" if power else mantissa
