"""What is checked on this page: which problem, what a reader gives, and the verdict on it."""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from crf.lab import checking, mistakes, pasted
from crf.lab.cells import (
    FORMS,
    AnswerCell,
    AnswerForm,
    Cells,
    cells_of,
    convention_of,
    expressed,
    right_cells,
    same,
)
from crf.lab.ladder import Rung
from crf.lab.reference import Reference, Scores
from crf.lab.report import CheckResult
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.state import State, StatePart, one_of
from pages.shared.figures.beat_text import BeatText

TEXT = Path(__file__).with_name("beats.md")
LONGEST = 4_000  # characters of a pasted table
LARGE = 5_000  # words · tags²: known mistakes of a larger problem take seconds
GridPlace = tuple[int, int]


class Quantity(NamedTuple):
    """What a program may print."""

    function: str  # its name in `crf.lab`
    shape: str  # "table" of a recursion, "marginals", "number", "path", or of which gradient


QUANTITIES = {
    "alpha": Quantity("forward", "table"),
    "beta": Quantity("backward", "table"),
    "delta": Quantity("deltas", "table"),
    "marginals": Quantity("marginals", "marginals"),
    "log-z": Quantity("log_partition", "number"),
    "score": Quantity("score", "number"),
    "loss": Quantity("nll", "number"),
    "path": Quantity("viterbi", "path"),
    "emission-gradient": Quantity("gradients", "emissions"),
    "transition-gradient": Quantity("gradients", "transitions"),
}
GRIDS = [key for key, one in QUANTITIES.items() if one.shape != "number"]
CLAIMS = ("log-z", "score", "loss")  # numbers; all others are grids

# ---------------------------------------------------------------------- what a reader gives


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
    "form": one_of(*FORMS),
    "space": one_of("log", "probability"),
    "pasted": StatePart(("alpha", ""), _pasted),
    "claim": StatePart(("log-z", None), _claim_of),
    "ends": one_of("on", "off"),
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
    size = len(problem.tokens) * len(problem.tags) ** 2
    if problem.per_step or size > most or not problem.chain().feasible.item():
        return EXAMPLES["old-man"].problem
    return problem


def instead(state: State, most: int = LARGE) -> dict[str, int]:
    """Why another problem is checked: 1 one table per step, 2 no path or too large; 0 it is not."""
    if checked(state, most) == state.problem:
        return {"instead": 0}
    return {"instead": 1 if state.problem.per_step else 2}


# ---------------------------------------------------------------------- the verdict


class PastedVerdict(NamedTuple):
    """The verdict on pasted numbers.

    Attributes:
        check: The comparison; None where there is none.
        mine: GridPlace → pasted number; a place is (column, row) of the grid that shows them.
        right: GridPlace → the right number.
        wrong: The places where both differ.
        worst: Of the first wrong column, in the order of computation, the place furthest off.
        why: Why there is no comparison.
    """

    check: CheckResult | None = None
    mine: Mapping[GridPlace, float] = {}
    right: Mapping[GridPlace, float] = {}
    wrong: frozenset[GridPlace] = frozenset()
    worst: GridPlace | None = None
    why: str = ""


def scores_of(problem: Problem) -> Scores:
    """Return the problem as the row that `crf.lab` knows; its right tags are the best path."""
    best = problem.chain().viterbi().tags[0].tolist()
    return Scores(
        [list(row) for row in problem.emissions],
        [list(row) for row in problem.matrix(1)],
        list(problem.start),
        list(problem.end),
        best,
        [True] * len(problem.tokens),
    )


def shape(problem: Problem, quantity: Quantity, form: AnswerForm) -> tuple[int, int]:
    """Return how many rows and columns the numbers have."""
    m, S = len(problem.tokens), len(problem.tags)
    sizes = {"number": (1, 1), "path": (1, m), "transitions": (S, S)}
    if quantity.shape == "table":
        return len(range(m)[convention_of(quantity.function, form.form).tokens]), S
    return sizes.get(quantity.shape, (m, S))


@lru_cache(maxsize=64)
def check(problem: Problem, key: str, text: str, form: AnswerForm) -> PastedVerdict:
    """Compare pasted numbers, of one of `QUANTITIES`, with the problem's.

    The problem has one table of transitions and an allowed path.
    """
    quantity = QUANTITIES[key]
    rows, columns = shape(problem, quantity, form)
    try:
        table, tolerance = pasted.read(text, rows, columns)
    except pasted.PastedError as error:
        return PastedVerdict(why=str(error))
    if quantity.shape == "path" and not all(value.is_integer() for value in table[0]):
        return PastedVerdict(why="expected the tags’ numbers, counted from 0")
    rung = rung_of(problem, quantity, tolerance)
    got = _cells(quantity, rung, table, form)
    result = checking.check_numbers(quantity.function, rung, got, form)
    shift = 0 if quantity.function == "backward" else len(problem.tokens) - rows
    truth = dict(right_cells(quantity.function, rung, form))
    places = [
        (_place(quantity, cell, shift), float(value), float(truth[cell])) for cell, value in got
    ]
    off = [
        (place, value, right)
        for place, value, right in places
        if not same(right, value, rung.tolerance)
    ]
    column = [one for one in off if one[0][0] == off[0][0][0]]
    worst = max(column, key=lambda one: _distance(*one[1:]))[0] if off else None
    return PastedVerdict(
        result,
        {place: value for place, value, _ in places},
        {place: right for place, _, right in places},
        frozenset(one[0] for one in off),
        worst,
    )


def _distance(one: float, other: float) -> float:
    return math.inf if math.isnan(one - other) else abs(one - other)


def _place(quantity: Quantity, cell: AnswerCell, shift: int) -> GridPlace:
    """Column and row of the grid: words and tags; of transitions, to and from."""
    if quantity.shape == "transitions":
        return int(cell.tag or 0), cell.row
    return int(cell.token or 0) - (shift if quantity.shape == "table" else 0), int(cell.tag or 0)


def rung_of(problem: Problem, quantity: Quantity, tolerance: float = 1e-4) -> Rung:
    """The problem as one that `crf.lab` checks."""
    return Rung(quantity.function, [scores_of(problem)], tolerance=max(tolerance, 1e-6))


def made_by(
    problem: Problem, quantity: Quantity, form: AnswerForm, mistaken: type[Reference]
) -> list[list[float]] | None:
    """The rows that a program with a mistake prints; None where the mistake has no number."""
    scores = scores_of(problem)
    try:
        answer: Any = next(mistakes.answers(mistaken, quantity.function, scores))
        answer = expressed(quantity.function, mistaken(scores), answer, form)
    except (ArithmeticError, ValueError, IndexError):
        return None
    if quantity.function == "gradients":
        answer = answer[0 if quantity.shape == "emissions" else 1]
    if quantity.shape == "number":
        answer = [[answer]]
    return [answer] if quantity.shape == "path" else answer


def printed(quantity: Quantity, rows: list[list[float]]) -> str:
    """Rows as a program prints them, with two decimals."""
    if quantity.shape == "path":
        return str([int(value) for value in rows[0]])
    lines = ["[" + ", ".join(f"{value:.2f}" for value in row) + "]" for row in rows]
    return lines[0].strip("[]") if quantity.shape == "number" else f"[{', '.join(lines)}]"


@lru_cache(maxsize=64)
def sample(problem: Problem, key: str, form: AnswerForm) -> str:
    """A wrong print to begin with: of the first known mistake that shows; else the right one."""
    quantity = QUANTITIES[key]
    for _, mistaken in mistakes.CATALOGUE:
        rows = made_by(problem, quantity, form, mistaken)
        if rows is None or any(map(math.isnan, chain.from_iterable(rows))):
            continue
        text = printed(quantity, rows)
        if check(problem, key, text, form).wrong:
            return text
    return printed(quantity, made_by(problem, quantity, form, Reference) or [])


@lru_cache(maxsize=64)
def hidden(problem: Problem, key: str) -> tuple[list[str], list[str]]:
    """The known mistakes that one quantity shows somewhere, and those of them hidden here."""
    quantity = QUANTITIES[key]
    rung, form = rung_of(problem, quantity), AnswerForm()
    cells = right_cells(quantity.function, rung, form)
    if quantity.function == "gradients":
        cells = [one for one in cells if one[0].table == quantity.shape]
    names = checking.hidden_mistakes(quantity.function, rung, form, cells)
    return checking.shown_mistakes(quantity.function, form), names


def _cells(quantity: Quantity, rung: Rung, table: list[list[float]], form: AnswerForm) -> Cells:
    """The pasted numbers as cells, in the order of computation."""
    numbers = [(k, s, x) for k, row in enumerate(table) for s, x in enumerate(row)]
    if quantity.shape == "emissions":
        return [(AnswerCell(0, t, s, "emissions"), x) for t, s, x in numbers]
    if quantity.shape == "transitions":
        return [(AnswerCell(i, None, j, "transitions"), x) for i, j, x in numbers]
    answer = {"number": table[0][0], "path": table[0]}.get(quantity.shape, table)
    return cells_of(quantity.function, rung, [answer], form.form)
