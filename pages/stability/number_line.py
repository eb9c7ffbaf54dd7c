"""The picture of the lesson: a chain's largest α̂ on a line, and the formats whose end it passes."""

import math
from typing import Any

from pages.shared.course.numbers import format_potential, power_of_ten
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.ui.component import component
from pages.stability.chains import Run
from pages.stability.number_formats import DTYPES, limits

_COMPONENT = component("numberline")
_AXIS = 800.0  # nats to each side of 1: float64 ends before; what is beyond stands at the end
_TICKS = (-300, -200, -100, 0, 100, 200, 300)  # powers of ten


def payload(problem: Problem, reference: Run, at: int) -> dict[str, Any]:
    """What is drawn.

    Args:
        problem: Whose tokens the chain repeats.
        reference: The chain in log space and float64, the longest on offer.
        at: The token that is marked at first, from 1.

    Returns:
        For each token the largest log α̂ of its column, as a number and as text; for each format
        the scores between which exp is neither 0 nor inf.
    """
    logs = [max(column) for column in reference.columns]
    held = [value if math.isfinite(value) else -_AXIS for value in logs]
    return {
        "label": "Four number formats as bars; a mark shows where the largest α̂ of a token stands.",
        "axis": "the largest α̂ of the column, as a power of ten",
        "says": "The largest α̂ is",
        "held": "Every format holds it.",
        "low": -_AXIS,
        "high": _AXIS,
        "ticks": [{"nats": k * math.log(10), "text": power_of_ten(k)} for k in _TICKS],
        "formats": [
            {
                "name": dtype,
                "low": limits(dtype).underflow,
                "high": limits(dtype).overflow,
                "colour": theme.FORMATS[dtype],
            }
            for dtype in DTYPES
        ],
        "logs": held,
        "numbers": [format_potential(value) for value in logs],
        "words": [theme.shorten(token, 12) for token in problem.tokens],
        "at": at,
    }


def number_line(problem: Problem, reference: Run, at: int, *, key: str) -> int:
    """Draw it.

    Args:
        problem: Whose tokens the chain repeats.
        reference: As above.
        at: The token that is marked at first, from 1.
        key: Of the component.

    Returns:
        The token that the reader has moved to, from 1; `at` where the browser has said nothing
        that could be true.
    """
    said = _COMPONENT(key=key, data=payload(problem, reference, at), on_token_change=lambda: None)
    token = said.get("token") if hasattr(said, "get") else None
    if isinstance(token, int) and not isinstance(token, bool):
        if 1 <= token <= len(reference.values):
            return token
    return at
