"""Colours and number formats, in one place. Every number that a page shows is formatted here.

Signed scores: blue (#0072B2) below 0, orange (#D55E00) above, laid over the page's background, so
that they work in light and dark. Probabilities: cividis from 0 to 1. Never colour alone: the number
is there.
"""

import math
import re
from functools import cache

from plotly.colors import get_colorscale, sample_colorscale

NEGATIVE, POSITIVE = (0, 114, 178), (213, 94, 0)
_STRONGEST = 0.6  # more opaque, and the text on it falls under a contrast of 4.5

# Related universal POS tags share a hue; the label tells them apart.
_HUES = {
    "noun": (0, 114, 178),
    "verb": (213, 94, 0),
    "modifier": (0, 158, 115),
    "pronoun": (160, 90, 180),
    "link": (190, 140, 0),
    "other": (120, 128, 136),
}
_FAMILY = {
    "NOUN": "noun", "PROPN": "noun", "VERB": "verb", "AUX": "verb", "ADJ": "modifier",
    "ADV": "modifier", "PRON": "pronoun", "DET": "pronoun", "ADP": "link", "CCONJ": "link",
    "SCONJ": "link", "PART": "link",
}  # fmt: skip


def tag_colour(tag: str) -> str:
    """A tag's hue as "r, g, b" for CSS; tags that are not universal POS tags are grey."""
    return ", ".join(map(str, _HUES[_FAMILY.get(tag, "other")]))


def score_background(value: float, largest: float) -> str:
    """CSS colour of a signed score: opacity |value| / largest; transparent at 0."""
    red, green, blue = POSITIVE if value > 0 else NEGATIVE
    share = min(abs(value) / largest, 1.0) if largest > 0 else 0.0
    return f"rgba({red},{green},{blue},{_STRONGEST * share:.2f})"


@cache
def _cividis() -> tuple[tuple[str, str], ...]:
    """101 pairs (background, text) for the probabilities 0, 0.01 … 1."""
    pairs = []
    for colour in sample_colorscale(get_colorscale("Cividis"), [i / 100 for i in range(101)]):
        red, green, blue = (int(float(c)) for c in colour[4:-1].split(","))
        light = 0.299 * red + 0.587 * green + 0.114 * blue > 117
        pairs.append((f"#{red:02x}{green:02x}{blue:02x}", "#000" if light else "#fff"))
    return tuple(pairs)


def probability_colours(p: float) -> tuple[str, str]:
    """CSS colours (background, text) of a probability: cividis, from 0 to 1."""
    return _cividis()[round(100 * min(max(p, 0.0), 1.0))]


def number(value: float, digits: int = 2) -> str:
    """A log-score: fixed decimals, a real minus sign, −∞ as such.

    >>> number(-1.005, 1), number(-0.0001), number(float("-inf"))
    ('−1.0', '0.00', '−∞')
    """
    if value == -math.inf:
        return "−∞"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def probability(p: float) -> str:
    """A probability with three significant digits; never "1.000" when it is less than 1.

    >>> probability(0.92345), probability(0.99996), probability(3.14e-7), probability(0.0)
    ('0.923', '0.99996', '3.14 × 10⁻⁷', '0')
    """
    if p <= 0:
        return "0"
    if p >= 1:
        return "1"
    if p > 0.9995:
        digits = min(3 + math.ceil(-math.log10(1 - p)), 9)
        return f"{p:.{digits}f}".rstrip("0") if 1 - p > 1e-9 else "1 − 10⁻⁹ or more"
    if p >= 0.001:
        return f"{p:.3f}" if p >= 0.1 else f"{p:.3g}"
    mantissa, exponent = f"{p:.2e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def table_probability(p: float) -> str:
    """A probability in a cell of a heat map: two decimals; 0 and 1 only where they are exact.

    >>> table_probability(0.934), table_probability(0.002), table_probability(0.9981)
    ('.93', '<.01', '>.99')
    """
    if p in (0, 1):
        return f"{p:.0f}"
    if p < 0.005:
        return "<.01"
    return ">.99" if p >= 0.995 else f"{p:.2f}"[1:]


def log_probability(log_p: float) -> str:
    """exp(log_p), formatted; also where exp underflows.

    >>> log_probability(-2000.0)
    '2.58 × 10⁻⁸⁶⁹'
    """
    if log_p == -math.inf:
        return "0"
    if log_p > -690:
        return probability(math.exp(min(log_p, 0.0)))
    exponent, fraction = divmod(log_p / math.log(10), 1)
    return f"{10**fraction:.2f} × 10{str(int(exponent)).translate(_SUPERSCRIPT)}"


def exp(log_value: float) -> float:
    """exp, and the largest float where it overflows.

    >>> exp(0.0), exp(1000.0) > 1e308
    (1.0, True)
    """
    return math.exp(min(log_value, 709.7))


def percent(share: float, digits: int = 1) -> str:
    """A share as a percentage.

    >>> percent(0.9588)
    '95.9 %'
    """
    return f"{100 * share:.{digits}f} %"


def count(n: int) -> str:
    """A whole number: digits in groups, or a power of ten when there are many.

    >>> count(1419857), count(17**12)
    ('1,419,857', '5.8 × 10¹⁴')
    """
    if n < 10**9:
        return f"{n:,}"
    exponent = len(str(n)) - 1
    return f"{n / 10**exponent:.1f} × 10{str(exponent).translate(_SUPERSCRIPT)}"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~:$&])")


def markdown(text: str) -> str:
    r"""Text from the outside, made inert for st.markdown and its kin: shown letter by letter.

    >>> print(markdown("<b> :red[x]"))
    \<b\> \:red\[x\]
    """
    return _MARKDOWN.sub(r"\\\1", text)
