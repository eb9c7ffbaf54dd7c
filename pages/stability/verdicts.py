"""Verdicts of the lesson on numerical stability: a number, a sign and a word, the error.

✓ right (in green), ✓ as near as the format gets, ≈ digits lost, ✗ wrong: the verdicts of
`pages.stability.number_formats.judge`. A row is a way to compute, a column a number format.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from html import escape
from typing import NamedTuple

from pages.shared.course.numbers import format_magnitude, format_power
from pages.stability.number_formats import DTYPES

Rows = Sequence[Sequence[str | float]]  # of a file, the header first

_SIGNS = {"right": "✓", "forbidden": "✓", "near": "✓", "inexact": "≈"}
_NAMES = {"inexact": "digits lost", "forbidden": "right: −∞", "lost": "paths lost"}


class Mark(NamedTuple):
    """What stands in a cell of a table of verdicts.

    Attributes:
        value: The number.
        kind: "right", "inexact", "overflow", "nan" …
        about: A remark under it.
    """

    value: str
    kind: str
    about: str = ""


def said(value: float, digits: int = 7) -> str:
    r"""A result; where it is no number, the word for it.

    >>> [said(x) for x in (1.5, -0.0, math.inf, -math.inf, math.nan)]
    ['1.5', '0', 'inf', '−inf', 'nan']
    >>> said(-6.7e-6).replace("\xa0", " ")
    '−6.7 × 10⁻⁶'
    """
    if not math.isfinite(value):
        return f"{value}".replace("-", "−")
    if value != 0 and not 1e-4 <= abs(value) < 10**digits:
        mantissa, power = format_power(abs(value), digits).split(" × ")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return unbroken(f"{'−' if value < 0 else ''}{mantissa} × {power}")
    return f"{value:.{digits}g}".replace("-", "−") if value else "0"


def exactly(value: Decimal) -> str:
    r"""Every digit of an exact value, in the style of the others.

    >>> exactly(Decimal("-1.5195E-17")).replace("\xa0", " "), exactly(Decimal("-Infinity"))
    ('−1.5195 × 10⁻¹⁷', '−∞')
    """
    if value == -math.inf:
        return "−∞"
    mantissa, _, power = f"{value}".replace("-", "−").partition("E")
    raised = power.lstrip("+").translate(str.maketrans("−0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return unbroken(f"{mantissa} × 10{raised}") if power else mantissa


def unbroken(number: str) -> str:
    """A number that stays on one line."""
    return number.replace(" ", "\xa0")


def off_by(error: float) -> str:
    """An error in words.

    >>> [off_by(e) for e in (0.0, 0.5, math.inf)]
    ['off by 0', 'off by 0.5', '']
    """
    return "" if math.isinf(error) else f"off by {unbroken(format_magnitude(error, 2))}"


def verdicts(rows: Sequence[tuple[str, Sequence[Mark]]], caption: str, corner: str = "") -> str:
    """A row for each way to compute, a column for each number format."""
    head = "".join(f'<th scope="col">{dtype}</th>' for dtype in DTYPES)
    body = []
    for name, marks in rows:
        cells = "".join(map(_cell, marks, DTYPES))
        body.append(f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>')
    return (
        f'<div class="crf-scroll" role="region" tabindex="0" aria-label="{escape(caption)}">'
        f'<table class="crf-grid crf-verdicts"><caption class="crf-hidden">{escape(caption)}'
        f"</caption><thead><tr><td>{escape(corner)}</td>{head}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _cell(mark: Mark, dtype: str) -> str:
    sign = _SIGNS.get(mark.kind, "✗")
    colour = {"✓": " crf-right", "✗": " crf-wrong"}.get(sign, "") if mark.kind != "near" else ""
    word = f"as near as {dtype} gets" if mark.kind == "near" else _NAMES.get(mark.kind, mark.kind)
    about = f'<span class="crf-about">{escape(mark.about)}</span>' if mark.about else ""
    return (
        f'<td class="crf-cell"><b>{escape(mark.value)}</b>'
        f'<span class="crf-about{colour}">{sign} {escape(word)}</span>{about}</td>'
    )


def together(told: Sequence[tuple[str, str, str]]) -> list[str]:
    """Sentences of (words, way, format); each once, with all the places where it holds.

    >>> together([("Bad.", "Log", "float16"), ("Bad.", "Log", "float32")])
    ['Log, float16 and float32. Bad.']
    """
    places: dict[str, dict[str, list[str]]] = {}
    for words, way, dtype in told:
        places.setdefault(words, {}).setdefault(way, []).append(dtype)
    return [
        f"{'; '.join(f'{way}, {_formats(dtypes)}' for way, dtypes in by_way.items())}. {words}"
        for words, by_way in places.items()
    ]


def _formats(dtypes: list[str]) -> str:
    return "every format" if len(dtypes) == len(DTYPES) else listed(dtypes)


def listed(texts: Sequence[str]) -> str:
    """Texts in one phrase.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))
