"""The weather of five days, judged by the ice cream that was eaten: a chain with two tags.

The factors are the probabilities of an HMM, so that each can be read: ψ(y_t, x_t) is how often so
many cones are eaten on such a day, ψ(y_t, y_t+1) how often one day follows the other.

Source: Eisner (2002), "An interactive spreadsheet for teaching the forward-backward algorithm".
"""

import math
from functools import lru_cache
from typing import NamedTuple

from pages.shared.course.problem import Problem

TAGS = ("hot", "cold")
EATEN = {"1": (0.1, 0.7), "2": (0.2, 0.2), "3": (0.7, 0.1)}  # p(cones | hot), p(cones | cold)
STAY, SWITCH, BEGIN, STOP = 0.8, 0.1, 0.5, 0.1  # of the next day, the first and the last
DAYS = 5


class Square(NamedTuple):
    """A square of the graph."""

    kind: str  # "start", "emission", "transition" or "end"
    day: int  # that it touches, from 0; the earlier one of a transition


SQUARES = (
    Square("start", 0),
    *(Square(kind, t) for t in range(DAYS - 1) for kind in ("emission", "transition")),
    Square("emission", DAYS - 1),
    Square("end", DAYS - 1),
)


@lru_cache(maxsize=64)
def problem(cones: str) -> Problem:
    """The chain for a diary, as "32221"; log ψ are its scores."""
    stay, switch = math.log(STAY), math.log(SWITCH)
    return Problem.of(
        TAGS, tuple(cones), [tuple(map(math.log, EATEN[eaten])) for eaten in cones],
        [(stay, switch), (switch, stay)], (math.log(BEGIN),) * 2, (math.log(STOP),) * 2,
    )  # fmt: skip


class TableColumn(NamedTuple):
    """A number of cones in the table p(x, y) of one day."""

    cones: str
    joint: tuple[float, float]  # p(x, hot), p(x, cold)

    @property
    def width(self) -> float:
        """p(x): how often so many cones are eaten."""
        return math.fsum(self.joint)

    @property
    def cut(self) -> float:
        """p(hot | x): Bayes' rule."""
        return self.joint[0] / self.width


def table(hot: float) -> tuple[TableColumn, ...]:
    """The table of one day, a column for each number of cones.

    Args:
        hot: p(hot), how many days are hot.
    """
    return tuple(
        TableColumn(cones, (hot * eaten[0], (1 - hot) * eaten[1])) for cones, eaten in EATEN.items()
    )
