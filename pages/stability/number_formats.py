"""Four number formats: what each can hold, how far its numbers are apart, and what "right" means.

A log-score is **right** if it is off by at most `RIGHT` nats: whatever is computed from it, a Z or
a probability, is then right to a tenth of a percent, in any format. A format with few digits may
have no such number where the score is large. Then the score is **near** if it is within rounding,
half the distance of two neighbouring numbers: no other way to compute could give a better one.
Anything farther off has lost digits that the format has, and is **inexact**.

Source: Goldberg (1991), "What every computer scientist should know about floating-point".
"""

import math
from decimal import Decimal
from typing import NamedTuple

import torch

from crf.figures.numbers import format_magnitude, power_of_ten

DTYPES = ("float16", "bfloat16", "float32", "float64")
RIGHT = 0.001  # nats
GOOD = ("right", "near", "forbidden")  # verdicts on what cannot be computed any better


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


# ---------------------------------------------------------------------- as the page writes them


def written(value: float, digits: int = 7) -> str:
    r"""A result; where it is no number, the word for it.

    >>> [written(x) for x in (1.5, -0.0, math.inf, -math.inf, math.nan)]
    ['1.5', '0', 'inf', '−inf', 'nan']
    >>> written(-6.7e-6).replace("\xa0", " ")
    '−6.7 × 10⁻⁶'
    """
    return _in_one_line(f"{value + 0.0:.{digits}g}")  # −0.0 + 0.0 is 0.0


def exactly(value: Decimal) -> str:
    r"""Every digit of an exact log-score.

    >>> exactly(Decimal("-1.5195E-17")).replace("\xa0", " "), exactly(Decimal("-Infinity"))
    ('−1.5195 × 10⁻¹⁷', '−∞')
    """
    return "−∞" if value == -math.inf else _in_one_line(str(value))


def score_text(q: float) -> str:
    """A log-score; −∞ is one."""
    return "−∞" if q == -math.inf else written(q)


def magnitude(value: float, digits: int = 2) -> str:
    """A positive number."""
    return format_magnitude(value, digits).replace(" ", "\xa0")


def _in_one_line(number: str) -> str:
    """A number as Python writes it, "-1.5e-17", with a real minus sign and a power of ten."""
    mantissa, _, power = number.lower().partition("e")
    mantissa = mantissa.replace("-", "−")
    return f"{mantissa}\xa0×\xa0{power_of_ten(int(power))}" if power else mantissa
