"""The controls of Implement it, and the problem that it checks."""

import re
from pathlib import Path
from typing import Any

from crf.lab.cells import FORMS
from pages.implement.checking import QUANTITIES
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart
from pages.shared.figures.beat_text import BeatText

TEXT = Path(__file__).with_name("beats.md")
LONGEST = 4_000  # characters of a pasted table
LARGE = 5_000  # words · tags²: known mistakes of a larger problem take seconds
CLAIMS = ("log-z", "score", "loss")  # numbers; all others are grids
GRIDS = {key: one for key, one in QUANTITIES.items() if one.shape != "number"}


def _one_of(*names: str) -> Any:
    def read(text: str) -> str:
        if text not in names:
            raise ValueError
        return text

    return read


def _pasted(text: str) -> tuple[str, str]:
    """What a program prints after what it is: "alpha [[6.00, …"; alone, a sample is meant."""
    key, _, numbers = text.partition(" ")
    if len(text) > LONGEST or key not in GRIDS:
        raise ValueError
    return key, numbers.strip()


def _claim_of(text: str) -> tuple[str, float | None]:
    """What a program says of the whole, "log-z 18.94"; without a number a sample is meant."""
    key, _, number = text.partition(" ")
    if key not in CLAIMS:
        raise ValueError
    if number and not re.fullmatch(r"-?\d{1,6}(\.\d{0,9})?", number, re.ASCII):
        raise ValueError
    return key, float(number) if number else None


CONTROLS = {
    "form": StatePart("state", _one_of(*FORMS)),
    "space": StatePart("log", _one_of("log", "probability")),
    "pasted": StatePart(("alpha", ""), _pasted),
    "claim": StatePart(("log-z", None), _claim_of),
    "ends": StatePart("on", _one_of("on", "off")),
}


def called(key: str) -> str:
    """What a quantity is called."""
    return BeatText.load(TEXT).plain(f"quantity-{key}", {})


def words(*names: str) -> dict[str, str]:
    """Words within the picture."""
    text = BeatText.load(TEXT)
    return {name: text.plain(f"word-{name}", {}) for name in names}


def checked(state: State, most: int = LARGE) -> Problem:
    """The problem that is checked: the state's, or the usual one where it has no such checks."""
    problem = state.problem
    if problem.per_step or size(problem) > most or not problem.chain().feasible.item():
        return EXAMPLES["old-man"].problem
    return problem


def size(problem: Problem) -> int:
    """The quantity with which the time to make each known mistake grows."""
    return len(problem.tokens) * len(problem.tags) ** 2


def instead(state: State, most: int = LARGE) -> dict[str, int]:
    """Why another problem is checked: 1 one table per step, 2 no path or too large; 0 it is not."""
    if checked(state, most) == state.problem:
        return {"instead": 0}
    return {"instead": 1 if state.problem.per_step else 2}
