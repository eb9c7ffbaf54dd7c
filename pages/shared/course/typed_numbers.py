"""Numbers as people type them; how they are written is in `crf.figures.numbers`.

They may be a decimal, a fraction or a logarithm; nothing is evaluated as code. In German a comma
is the decimal mark.
"""

import math
import re
from collections.abc import Callable

from crf.figures.languages import language
from pages.shared.course.problem_checks import MAX_SCORE, checked_score, refuse, short
from pages.shared.course.words import say

LINK_DIGITS = 6  # significant digits that a link keeps
_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"({_DECIMAL})(?: ?/ ?({_DECIMAL}))?")
_LOGARITHM = re.compile(r"(?:log|ln)(?: ?\( ?(.*?) ?\)| (.*))")
_LONGEST = 60  # characters


def parse_score(text: str, field: str = "score") -> float:
    """A score as somebody typed it: "-inf" or "−∞", a decimal, a fraction, or a log of these two.

    Raises:
        ProblemError: It is none of these, or too large.

    Example:
        >>> parse_score("-1.5"), parse_score("1e3"), parse_score("−∞"), parse_score("log 1")
        (-1.5, 1000.0, -inf, 0.0)
        >>> parse_score("ln(2/3)") == math.log(2 / 3)
        True
    """
    value = parse_number(text, field)
    if not (value == -math.inf or abs(value) <= MAX_SCORE):
        limits = f"a number from -{MAX_SCORE:g} to {MAX_SCORE:g}"
        raise refuse(field, limits, short(text), say(f"score.{'large' if value > 0 else 'small'}"))
    return checked_score(field, value)


def parse_number(text: str, field: str = "number") -> float:
    """Like `parse_score`, for numbers of any size: a probability, or a product of potentials.

    Raises:
        ProblemError: It is not a number, or none that a float can hold.

    Example:
        >>> parse_number("1/0")
        Traceback (most recent call last):
        ...
        pages.shared.course.problem_checks.ProblemError: number: expected a number, got '1/0'; \
nothing can be divided by 0
    """
    if len(text) > _LONGEST:
        raise refuse(field, f"at most {_LONGEST} characters", short(text), "write a shorter number")
    plain = " ".join(text.replace("−", "-").split()).lower()
    if language() == "de":
        plain = plain.replace(",", ".")
    if plain in ("-inf", "-∞", "-infinity"):
        return -math.inf
    logarithm = _LOGARITHM.fullmatch(plain)
    value = _value((logarithm[1] or logarithm[2] or "") if logarithm else plain)
    if logarithm and isinstance(value, float):
        value = "negative" if value < 0 else math.log(value) if value else -math.inf
    if isinstance(value, str):
        raise refuse(field, "a number", short(text), say(f"number.{value}"))
    return value


def parse_finite(text: str, field: str = "number") -> float:
    """Like `parse_number`, without −∞.

    Raises:
        ProblemError: It is not a number, or not finite.
    """
    value = parse_number(text, field)
    if value == -math.inf:
        raise refuse(field, "a finite number", short(text), "write it like -1.5, 1e3 or 2/3")
    return value


def _value(text: str) -> float | str:
    """The value of a decimal or fraction; otherwise raise an error that says what is wrong."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return next((name for name, fault in _FAULTS.items() if fault(text)), "form")
    numerator, denominator = float(match[1]), float(match[2] or 1)
    if denominator == 0:
        return "zero"
    value = numerator / denominator
    if not abs(value) < math.inf:  # a nan, too: both parts may be too large
        return "huge"
    if value == 0 and re.search("[1-9]", match[1].partition("e")[0]):
        return "tiny"
    return value + 0.0  # −0 becomes 0


_FAULTS: dict[str, Callable[[str], object]] = {  # the advice for a text that is no number
    "empty": lambda text: not text.strip(),
    "infinite": lambda text: "inf" in text or "∞" in text,
    "sum": re.compile(r"[0-9.)] ?[+-] ?[0-9.(]").search,
    "comma": re.compile(r"[+-]?[0-9]+,[0-9]+").fullmatch,
    "percent": lambda text: text.endswith("%"),
    "digits": lambda text: any(c.isnumeric() and not c.isascii() for c in text),
}
