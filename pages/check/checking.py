"""What is checked on this page: pasted numbers against the problem's."""

from collections.abc import Sequence
from typing import NamedTuple

from crf.lab import checking, pasted
from crf.lab.cells import AnswerCell, AnswerForm, Cells, cells_of, right_cells, same
from crf.lab.ladder import Rung
from crf.lab.reference import Scores
from crf.lab.report import CheckResult
from pages.shared.course.problem import Problem


class Quantity(NamedTuple):
    """What a program may print."""

    function: str  # its name in `crf.lab`
    label: str  # what it is called
    shape: str  # "table" of a recursion, "marginals", "number", "path", or of which gradient


QUANTITIES = {
    "alpha": Quantity("forward", "Forward table", "table"),
    "beta": Quantity("backward", "Backward table", "table"),
    "delta": Quantity("deltas", "δ (Viterbi)", "table"),
    "marginals": Quantity("marginals", "Marginals", "marginals"),
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
    hidden: Sequence[str] = ()  # where all is right: mistakes that this problem cannot show


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
    sizes = {"number": (1, 1), "path": (1, m), "transitions": (S, S)}
    if quantity.shape == "table" and form.form == "message":
        return m - 1, S
    return sizes.get(quantity.shape, (m, S))


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
    rung = Rung(quantity.label, [scores_of(problem)], tolerance=max(tolerance, 1e-6))
    got = _cells(quantity, rung, table, form)
    check = checking.check_numbers(quantity.function, rung, got, form)
    hidden: list[str] = []
    if check.passed:
        hidden = checking.hidden_mistakes(quantity.function, rung, form, got)
    if quantity.shape not in ("table", "marginals", "emissions"):
        return PastedVerdict(check, hidden=hidden)
    shift = 0 if quantity.function == "backward" else len(problem.tokens) - rows
    right = dict(right_cells(quantity.function, rung, form))
    wrong = [
        (int(cell.token or 0) - shift, int(cell.tag or 0))
        for cell, value in got
        if not same(right[cell], value, rung.tolerance)
    ]
    first = wrong[0] if wrong else None
    return PastedVerdict(check, table, frozenset(wrong), first, hidden=hidden)


def _cells(quantity: Quantity, rung: Rung, table: list[list[float]], form: AnswerForm) -> Cells:
    """The pasted numbers as cells, in the order of computation."""
    numbers = [(k, s, x) for k, row in enumerate(table) for s, x in enumerate(row)]
    if quantity.shape == "emissions":
        return [(AnswerCell(0, t, s, "emissions"), x) for t, s, x in numbers]
    if quantity.shape == "transitions":
        return [(AnswerCell(i, None, j, "transitions"), x) for i, j, x in numbers]
    answer = {"number": table[0][0], "path": table[0]}.get(quantity.shape, table)
    return cells_of(quantity.function, rung, [answer], form.form)
