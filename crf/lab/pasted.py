"""Numbers as programs print them: tensors, arrays, lists, CSV."""

import re
from typing import NamedTuple

LONGEST = 200_000  # characters
_NUMBER = re.compile(
    r"(?<![\w.])[-+−]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+−]?\d+)?|inf(?:inity)?|∞|nan)(?![\w.])",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"\b(?:dtype|grad_fn|device|requires_grad|size|shape)\s*=\s*(?:<[^>]*>|\([^)]*\)|'[^']*'|[\w.]+)"
)
_SCALE = re.compile(r"(\d+(?:\.\d*)?[eE][-+]?\d+)\s*\*")  # torch factors out a power of ten


class PastedError(ValueError):
    """What was pasted holds no numbers of the shape that is asked for."""


class Pasted(NamedTuple):
    """Numbers that were printed."""

    values: list[float]  # in the order of printing
    width: int  # how many stand in a row; 0 where rows differ
    tolerance: float  # half a unit of the last digit of the longest number


def read(text: str) -> Pasted:
    r"""Return the numbers in a print.

    Args:
        text: A print of a tensor, an array, lists of numbers or CSV; −∞ as -inf.

    Raises:
        PastedError: There is none, the print leaves some out, or it is too long.

    Example:
        >>> read("tensor([[1.5, -inf],\n        [0.25, 2.0]], dtype=torch.float64)")
        Pasted(values=[1.5, -inf, 0.25, 2.0], width=2, tolerance=0.005)
    """
    if len(text) > LONGEST:
        raise PastedError(f"expected at most {LONGEST:,} characters, got {len(text):,}")
    if "..." in text or "…" in text:
        raise PastedError(
            "the print leaves numbers out (…): print all of it, in torch after "
            "torch.set_printoptions(threshold=10_000), in numpy after "
            "np.set_printoptions(threshold=10_000)"
        )
    text = _OPTIONS.sub("", text)
    scale = _SCALE.search(text)
    factor = float(scale[1]) if scale else 1.0
    text = text.replace(scale[0], "") if scale else text
    rows = [_NUMBER.findall(row) for row in re.split(r"[\]\n]", text) if _NUMBER.search(row)]
    if "]" in text:  # a row may run over several lines: it ends at its bracket
        rows = [_NUMBER.findall(row) for row in text.split("]") if _NUMBER.search(row)]
    words = [word.replace("−", "-").replace("∞", "inf") for row in rows for word in row]
    if not words:
        raise PastedError("expected numbers, found none: paste what print(...) shows")
    widths = {len(row) for row in rows}
    digits = [_last_digit(word) for word in words]
    return Pasted(
        [float(word) * factor for word in words],
        widths.pop() if len(widths) == 1 else 0,
        factor * min([0.5 * digit for digit in digits if digit] or [1e-9]),
    )


def _last_digit(word: str) -> float:
    """The unit of a number's last digit; 0 for whole numbers, nan and ∞."""
    mantissa, _, exponent = word.lower().partition("e")
    if "." not in mantissa:
        return 0.0
    decimals = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - decimals) if decimals else 0.0


def table(pasted: Pasted, rows: int, columns: int) -> list[list[float]]:
    """Return the numbers as a table.

    Args:
        pasted: What was printed.
        rows: How many rows are expected.
        columns: How many columns are.

    Raises:
        PastedError: They are of another shape; the message has both, and says if it is transposed.
    """
    values, width = pasted.values, pasted.width
    if len(values) != rows * columns:
        raise PastedError(
            f"expected {rows} × {columns} = {rows * columns} numbers, found {len(values)}"
        )
    if width == rows != columns and rows * columns > max(rows, columns):
        raise PastedError(
            f"expected {rows} rows of {columns}, found {columns} rows of {rows}: "
            "it looks transposed"
        )
    return [values[k * columns : (k + 1) * columns] for k in range(rows)]
