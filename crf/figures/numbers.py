"""Numbers as people read them: the one place where a number becomes text.

Scores are log-potentials with fixed decimals and a real minus sign; probabilities have significant
digits. The marks are those of the reader's language.
"""

import math
import re

from .languages import language

_BARE_POINT = re.compile(r"(?<!\d)\.(?=\d)")
_GERMAN = str.maketrans({".": ",", ",": "\u202f"})
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def decimal(text: str) -> str:
    """Return a number's text as the reader's language writes it.

    Only English leaves out the 0 before the decimal mark. In German the mark is a comma, and narrow
    blanks part groups of digits.

    >>> decimal("1,000.5"), decimal("<.01")
    ('1,000.5', '<.01')
    """
    if language() == "en":
        return text
    text = _BARE_POINT.sub("0.", text)
    return text.translate(_GERMAN) if language() == "de" else text


def bare(text: str) -> str:
    """Return a number below 1 without the 0 before its decimal mark, where the language allows it.

    >>> bare("0.95"), bare("0"), bare("1.95")
    ('.95', '0', '1.95')
    """
    return (text.removeprefix("0") or "0") if language() == "en" else text


def format_score(value: float, digits: int = 2) -> str:
    """A log-score: fixed decimals, a real minus sign, −∞ as such.

    >>> format_score(-1.005, 1), format_score(-0.0001), format_score(float("-inf"))
    ('−1.0', '0.00', '−∞')
    """
    if value == -math.inf:
        return "−∞"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return decimal(text.replace("-", "−"))


def format_probability(p: float) -> str:
    """A probability with three significant digits; near 1, with two of what is missing to it.

    >>> format_probability(0.92345), format_probability(0.9998977), format_probability(3.14e-7)
    ('0.923', '0.9999', '3.14 × 10⁻⁷')
    >>> format_probability(0.0)
    '0'
    """
    if p <= 0:
        return "0"
    if p >= 1:
        return "1"
    if p > 0.9995:
        digits = min(1 + math.ceil(-math.log10(1 - p)), 9)
        return decimal(f"{p:.{digits}f}".rstrip("0")) if 1 - p > 1e-9 else "≥ 1 − 10⁻⁹"
    if p >= 0.001:
        return decimal(f"{p:.3f}" if p >= 0.1 else f"{p:#.3g}")
    return format_power(p)


def format_power(value: float, digits: int = 3) -> str:
    """A positive number as a power of ten, with three significant digits or as many as asked for.

    >>> format_power(3.14e-7), format_power(math.inf), format_power(math.nan)
    ('3.14 × 10⁻⁷', '∞', 'nan')
    """
    if not math.isfinite(value):
        return "∞" if value == math.inf else "nan"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return decimal(f"{mantissa} × 10{superscript(int(exponent))}")


def subscript(n: int | str) -> str:
    """Return a number, or the digits of a text, below the line.

    >>> subscript(10)
    '₁₀'
    """
    return str(n).translate(_SUBSCRIPTS)


def superscript(n: int) -> str:
    """An exponent.

    >>> superscript(-12)
    '⁻¹²'
    """
    return str(n).translate(_SUPERSCRIPT)


def power_of_ten(exponent: int) -> str:
    """Ten to a whole power, as it is written.

    >>> power_of_ten(-20), power_of_ten(0)
    ('10⁻²⁰', '1')
    """
    return f"10{superscript(exponent)}" if exponent else "1"


def format_magnitude(value: float | None, digits: int = 3) -> str:
    """A number from 0 up, of any size: three digits, or all those before the point.

    Args:
        value: The number; None stands for one that no float holds.
        digits: How many significant digits it has.

    Example:
        >>> [format_magnitude(x) for x in (-0.0, 0.02856, 0.5, 4913.0, 3e47, None)]
        ['0', '0.0286', '0.5', '4,913', '3.00 × 10⁴⁷', '> 10³⁰⁸']
        >>> format_magnitude(326.4, 2), format_magnitude(99.6, 2), format_magnitude(999.5)
        ('326', '100', '1,000')
    """
    if value is None:
        return "> 10³⁰⁸"
    if value == 0:
        return "0"
    if 1e-3 <= value < 1e6:
        if value >= 10**digits - 0.5:
            return decimal(f"{round(value):,}")
        return decimal(f"{value:.{digits}g}")
    return format_power(value, digits)


def format_potential(log_value: float, digits: int = 3) -> str:
    """exp(log_value), which may exceed 1, and any float; with that many significant digits.

    >>> [format_potential(x) for x in (-math.inf, -2000.0, 0.0, 5.0, 2000.0)]
    ['0', '2.58 × 10⁻⁸⁶⁹', '1', '148', '3.88 × 10⁸⁶⁸']
    >>> format_potential(-0.5, 5), format_potential(-2000.0, 5)
    ('0.60653', '2.5765 × 10⁻⁸⁶⁹')
    >>> [format_potential(x) for x in (-1e150, math.inf, math.nan)]
    ['exp(−1.00 × 10¹⁵⁰)', '∞', 'nan']
    """
    if not math.isfinite(log_value):
        return "0" if log_value == -math.inf else format_power(log_value)
    if abs(log_value) > 1e6:
        return f"exp({'−' if log_value < 0 else ''}{format_power(abs(log_value), digits)})"
    if abs(log_value) < 690:
        return format_magnitude(math.exp(log_value), digits)
    return _exp(log_value, digits)


def format_table_probability(p: float) -> str:
    """A probability in a cell of a heat map: two decimals; 0 and 1 only where they are exact.

    >>> [format_table_probability(p) for p in (0.934, 0.002, 0.9981)]
    ['.93', '<.01', '>.99']
    """
    if p in (0, 1):
        return f"{p:.0f}"
    if p < 0.005:
        return decimal("<.01")
    return decimal(">.99" if p >= 0.995 else f"{p:.2f}"[1:])


def format_log_probability(log_p: float) -> str:
    """exp(log_p) of a probability, formatted; also where exp underflows.

    >>> format_log_probability(-2000.0)
    '2.58 × 10⁻⁸⁶⁹'
    """
    if log_p == -math.inf:
        return "0"
    return format_probability(math.exp(min(log_p, 0.0))) if log_p > -690 else _exp(log_p)


def _exp(log_value: float, digits: int = 3) -> str:
    exponent, fraction = divmod(log_value / math.log(10), 1)
    mantissa = f"{10**fraction:.{digits - 1}f}"
    if float(mantissa) == 10:
        mantissa, exponent = f"{1:.{digits - 1}f}", exponent + 1
    return decimal(f"{mantissa} × 10{superscript(int(exponent))}")


def format_percent(share: float, digits: int = 1) -> str:
    """A share as a percentage.

    >>> format_percent(0.9588)
    '95.9 %'
    """
    return with_percent(decimal(f"{100 * share:.{digits}f}"))


def with_percent(number: str) -> str:
    """A number with its percent sign, which Chinese sets without a blank.

    >>> with_percent("76")
    '76 %'
    """
    return f"{number}%" if language() == "zh" else f"{number} %"


def format_count(n: int) -> str:
    """A whole number: digits in groups, or a power of ten when there are many.

    >>> format_count(1419857), format_count(17**12)
    ('1,419,857', '5.8 × 10¹⁴')
    """
    if n < 10**9:
        return decimal(f"{n:,}")
    exponent = len(str(n)) - 1
    return decimal(f"{n / 10**exponent:.1f} × 10{superscript(exponent)}")


def exact(value: float) -> str:
    """The shortest decimal that reads back as the same score; "-inf" for −∞.

    >>> exact(0.1), exact(-3.0), exact(float("-inf"))
    ('0.1', '-3', '-inf')
    """
    if value == -math.inf:
        return "-inf"
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def counted(n: int, what: str) -> str:
    """A number of things.

    >>> counted(1, "step"), counted(3, "step")
    ('1 step', '3 steps')
    """
    return f"{n} {what}{'' if n == 1 else 's'}"
