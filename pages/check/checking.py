"""What is checked on this page: pasted numbers against the problem's."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from crf.lab import checking, pasted
from crf.lab.cells import AnswerCell, AnswerForm, cells_of, right_cells, same
from crf.lab.ladder import Rung
from crf.lab.reference import Scores
from crf.lab.report import CheckResult
from pages.shared.course.problem import Problem


class Quantity(NamedTuple):
    """What a program may print."""

    function: str  # its name in `crf.lab`
    label: str  # what it is called
    shape: str  # "table", "number", or the gradient's shape


QUANTITIES = {
    "alpha": Quantity("forward", "Forward table", "table"),
    "beta": Quantity("backward", "Backward table", "table"),
    "delta": Quantity("deltas", "δ (Viterbi)", "table"),
    "marginals": Quantity("marginals", "Marginals", "table"),
    "log-z": Quantity("log_partition", "log Z", "number"),
    "score": Quantity("score", "Score", "number"),
    "loss": Quantity("nll", "Loss", "number"),
    "path": Quantity("viterbi", "Best path", "path"),
    "emission-gradient": Quantity("gradients", "Gradient: emissions", "emissions"),
    "transition-gradient": Quantity("gradients", "Gradient: transitions", "transitions"),
}


class PastedVerdict(NamedTuple):
    """What is to be said of pasted numbers."""

    check: CheckResult | None = None  # the comparison; None where there is none
    columns: Sequence[Sequence[float]] = ()  # what was pasted, for each column of a table S numbers
    wrong: frozenset[tuple[int, int]] = frozenset()  # which of them are wrong, as (column, tag)
    first: tuple[int, int] | None = None  # the first wrong one
    why: str = ""  # why there is no comparison


def scores_of(problem: Problem) -> Scores:
    """Return the problem as the row that `crf.lab` knows; its right tags are the best path."""
    chain = problem.chain()
    return Scores(
        [list(row) for row in problem.emissions],
        [list(row) for row in problem.matrix(1)],
        list(problem.start),
        list(problem.end),
        chain.viterbi().tags[0].tolist(),
        [True] * len(problem.tokens),
    )


def shape(problem: Problem, quantity: Quantity, form: AnswerForm) -> tuple[int, int]:
    """Return how many rows and columns the numbers have."""
    m, S = len(problem.tokens), len(problem.tags)
    table = form.form == "message" and quantity.function in ("forward", "backward")
    return {
        "table": (m - table, S), "number": (1, 1), "path": (1, m), "emissions": (m, S),
        "transitions": (S, S),
    }[quantity.shape]  # fmt: skip


def check(problem: Problem, key: str, text: str, form: AnswerForm) -> PastedVerdict:
    """Compare pasted numbers with the problem's.

    Args:
        problem: The problem, with one table of transitions and an allowed path.
        key: One of `QUANTITIES`.
        text: What was pasted.
        form: How its tables are written.
    """
    quantity = QUANTITIES[key]
    rows, columns = shape(problem, quantity, form)
    try:
        found = pasted.read(text)
        table = pasted.table(found, rows, columns)
    except pasted.PastedError as error:
        return PastedVerdict(why=str(error))
    if quantity.shape == "path" and not all(value.is_integer() for value in table[0]):
        return PastedVerdict(why="expected the tags’ numbers, counted from 0")
    rung = Rung(quantity.label, [scores_of(problem)], tolerance=max(found.tolerance, 1e-6))
    got = _cells(quantity, rung, table, form)
    check = checking.check_numbers(quantity.function, rung, got, form)
    if quantity.shape not in ("table", "emissions"):
        return PastedVerdict(check)
    shift = len(problem.tokens) - rows if quantity.function == "forward" else 0
    right = dict(right_cells(quantity.function, rung, form))
    wrong = [
        (int(cell.token or 0) - shift, int(cell.tag or 0))
        for cell, value in got
        if not same(right[cell], value, rung.tolerance)
    ]
    return PastedVerdict(check, table, frozenset(wrong), wrong[0] if wrong else None)


def _cells(
    quantity: Quantity, rung: Rung, table: list[list[float]], form: AnswerForm
) -> list[tuple[AnswerCell, Any]]:
    """The pasted numbers as cells, in the order of computation."""
    if quantity.function == "gradients":
        emissions = quantity.shape == "emissions"
        return [
            (
                AnswerCell(0, k, s, "emissions")
                if emissions
                else AnswerCell(k, None, s, "transitions"),
                x,
            )
            for k, row in enumerate(table)
            for s, x in enumerate(row)
        ]
    answer = {"number": table[0][0], "path": table[0]}.get(quantity.shape, table)
    return cells_of(quantity.function, rung, [answer], form.form)
