"""Numbers as programs print them: tensors, arrays, lists, CSV."""

import math
import re
from typing import NamedTuple

LONGEST = 200_000  # characters
# Each goes over the text once, whatever it is: what a part has taken it never gives back (`++`).
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:(?:\d++\.?+\d*+|\.\d++)(?:[eE][-+]?\d++)?+|inf(?:inity)?+|nan)(?![\w.])",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"\b(?:dtype|grad_fn|device|requires_grad|size|shape)\s*+=\s*+"
    r"(?:<[^<>]*+>|\([^()]*+\)|'[^']{0,40}+'|[\w.]++)"
)
# torch factors out a power of ten
_SCALE = re.compile(r"(?<![\d.])(\d++(?:\.\d*+)?+[eE][-+]?\d++)\s*+\*")


class PastedError(ValueError):
    """The pasted text contains no numbers of the expected shape."""


class Pasted(NamedTuple):
    """Numbers that were printed."""

    rows: list[list[float]]
    tolerance: float  # half a unit of the last digit of the longest number


def read(text: str, rows: int, columns: int) -> Pasted:
    r"""Return the numbers in a print of a tensor, an array, lists of numbers or CSV.

    Raises:
        PastedError: There are none, or those of another shape: the message has both, and says if
            it is transposed. Or the print leaves some out, or is too long.

    Example:
        >>> read("tensor([[1.5, -inf],\n        [0.25, 2.0]], dtype=torch.float64)", 2, 2)
        Pasted(rows=[[1.5, -inf], [0.25, 2.0]], tolerance=0.005)
    """
    if len(text) > LONGEST:
        raise PastedError(f"expected at most {LONGEST:,} characters, got {len(text):,}")
    if "..." in text or "…" in text:
        raise PastedError(
            "the print leaves numbers out (…): print all of it, in torch after "
            "torch.set_printoptions(threshold=10_000), in numpy after "
            "np.set_printoptions(threshold=10_000)"
        )
    text = _OPTIONS.sub("", text).replace("−", "-").replace("∞", "inf")
    scale = _SCALE.search(text)
    factor = float(scale[1]) if scale else 1.0
    if math.isinf(factor):
        raise PastedError("the factor before * is larger than any number: print without it")
    text = _SCALE.sub("", text)
    ends = "]" if "]" in text else "\n"  # a row in brackets may run over several lines
    lines = [numbers for row in text.split(ends) if (numbers := _NUMBER.findall(row))]
    if not lines:
        raise PastedError("expected numbers, found none: paste what print(...) shows")
    words = [word for row in lines for word in row]
    if len(words) != rows * columns:
        raise PastedError(
            f"expected {rows} × {columns} = {rows * columns} numbers, found {len(words)}"
        )
    if {len(row) for row in lines} == {rows} != {columns} and min(rows, columns) > 1:
        raise PastedError(
            f"expected {rows} rows of {columns}, found {columns} rows of {rows}: "
            "it looks transposed"
        )
    values = [float(word) * factor for word in words]
    digits = [0.5 * digit for digit in map(_last_digit, words) if digit]
    table = [values[k * columns : (k + 1) * columns] for k in range(rows)]
    return Pasted(table, factor * min(digits, default=1e-9))


def _last_digit(word: str) -> float:
    """The unit of a number's last digit; 0 for whole numbers, nan and ∞."""
    mantissa, _, exponent = word.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = float(f"1e{exponent or 0}") * 10.0**-decimals
    return unit if decimals and math.isfinite(unit) else 0.0
