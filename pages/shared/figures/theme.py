"""Colours and number formats of `crf.figures` under short names, and a few more."""

import math
import re
from collections.abc import Iterable

from crf.figures.numbers import format_count as count
from crf.figures.numbers import format_log_probability as log_probability
from crf.figures.numbers import format_percent as percent
from crf.figures.numbers import format_probability as probability
from crf.figures.numbers import format_score as number
from crf.figures.numbers import format_table_probability as table_probability
from pages.shared.course.right_to_left import isolate


def shorten(text: str, most: int = 24) -> str:
    """A token for the middle of a sentence: long ones are cut.

    >>> shorten("short"), shorten("x" * 500, 5)
    ('short', 'xxxx…')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def decimals(scores: Iterable[float], low: int = 1, high: int = 2) -> int:
    """The fewest decimals that show all of some scores, or the most.

    >>> decimals([0.5, -math.inf]), decimals([0.25]), decimals([0.125, 1 / 3], 1, 3)
    (1, 2, 3)
    """
    finite = [x for x in scores if x != -math.inf]
    enough = (d for d in range(low, high) if all(abs(round(x, d) - x) < 1e-9 for x in finite))
    return next(enough, high)


def exp(log_value: float) -> float:
    """exp, and the largest float where it overflows.

    >>> exp(0.0), exp(1000.0) > 1e308
    (1.0, True)
    """
    return math.exp(min(log_value, 709.7))


_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~:$&])")


def markdown(text: str) -> str:
    r"""Text from the outside, made inert for st.markdown and its kin: shown letter by letter.

    >>> print(markdown("<b> :red[x]"))
    \<b\> \:red\[x\]
    """
    return _MARKDOWN.sub(r"\\\1", isolate(text))
