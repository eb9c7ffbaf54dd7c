"""Whether a calculator gets what an equation shows, from the numbers that it shows.

    part = f"{left} − {right} {equals(shown(left) - shown(right), result)} {result}"

Numbers are rounded before they are shown. Where the rounded ones do not give the shown result, the
equation has ≈ in place of =.
"""

import math
import re

from crf.figures.languages import language

_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_NUMBER = re.compile(
    r"(?P<sign>[+−-]?)\s*(?P<digits>[0-9]*(?:[.][0-9]+)?)(?:\s*×\s*10(?P<power>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?"
)


def shown(text: str) -> float:
    """The number that a text shows, in the reader's language.

    >>> shown("−2.50"), shown("+.67"), shown("3.14 × 10²"), shown("1,024"), shown("−∞")
    (-2.5, 0.67, 314.0, 1024.0, -inf)
    >>> shown("1.5 × 10⁴⁰⁰")
    inf
    """
    return _read(text)[0]


def equals(value: float, result: str) -> str:
    """Return "=" if a value, rounded as a result is shown, is that result; else "≈".

    Args:
        value: What the shown numbers give.
        result: The shown result.

    >>> equals(-0.66, "−.66"), equals(-0.65, "−.67"), equals(0.1249, ".12")
    ('=', '≈', '=')
    """
    number, last = _read(result)
    return "=" if value == number or abs(value - number) <= last / 2 + 1e-9 * abs(value) else "≈"


def minus(text: str) -> str:
    """A shown number as it is subtracted.

    >>> minus("5.64"), minus("−5.64")
    ('− 5.64', '+ 5.64')
    """
    return f"+ {text[1:]}" if text.startswith("−") else f"− {text}"


def _read(text: str) -> tuple[float, float]:
    """A shown number, and one unit in its last place."""
    text = text.strip()
    if text.endswith("∞"):
        return (-math.inf if text[0] in "−-" else math.inf), 0.0
    if language() == "de":
        text = text.replace("\u202f", "").replace(",", ".")
    match = _NUMBER.fullmatch(text.replace(",", ""))
    if not match or not match["digits"]:
        raise ValueError(f"equation: expected a number, got {text!r}")
    power = int((match["power"] or "⁰").translate(_SUPERSCRIPT))
    sign = -1.0 if match["sign"] in ("−", "-") else 1.0
    last = float(f"1e{power - len(match['digits'].partition('.')[2])}")  # ∞ beyond the floats
    return sign * float(f"{match['digits']}e{power}"), last
