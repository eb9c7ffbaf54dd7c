"""The beat in which the reader fills a cell: its question, known slips, and a class's task."""

import math

from crf.figures.flow.payload import Payload
from pages.shared.course.marginals import log_sum
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.course.typed_numbers import parse_number
from pages.shared.figures.beat import SHOWN, Bet, Task
from pages.shared.figures.beat_text import Segment
from pages.shared.figures.theme import number
from pages.trellis import equations, facts, picture, spans
from pages.trellis.notation import scored, written

CLASS = SHOWN  # the bet of a question that a class has answered: readers type, or ask to be told


def bet(state: State, cell: int) -> Bet:
    """The cell's number, to be typed."""
    return Bet(
        (),
        number(slips(state, cell)["right"]),
        numbers=slips(state, cell),
        verdict=lambda typed: _typed_verdict(state, cell, typed),
    )


def follows(state: State) -> bool:
    """Whether a column is in the reader's form: not a class's, nor that after START."""
    cell = opens(state.given.problem) if state.step is None else state.step
    return state.bet != CLASS and cell >= len(state.problem.tags)


def opens(problem: Problem) -> int:
    """The first cell of the fourth column, or of the last one, that has a row."""
    return picture.row_step(problem, len(problem.tags) * min(spans.ASKED, len(problem.tokens) - 1))


def _typed_verdict(state: State, cell: int, typed: str) -> str:
    """What a typed number is, or "unreadable"."""
    try:
        return verdict(state, cell, parse_number(typed))
    except ValueError:
        return "unreadable"


def verdict(state: State, cell: int, value: float) -> str:
    """What a number is: right, or a known slip, or something else."""
    for name, slip in slips(state, cell).items():
        if value == slip or abs(value - slip) <= 0.0501:  # one may round to a decimal
            return name
    return "other"


def slips(state: State, cell: int) -> dict[str, float]:
    """The cell's value in state form, and what known slips give instead, the right one first."""
    state, cell = picture.ours(state), picture.row_step(state.problem, cell)
    t, tag = divmod(cell, len(state.problem.tags))
    step, emission = picture.step_at(state, "add", cell), state.problem.emissions[t][tag]
    scores = [sum(p.value for p in term.parts if p.role != "previous") for term in step.terms]
    return {
        "right": step.log_value,
        "max": step.maximum + emission,
        "no-emission": step.log_sum,
        "no-previous": log_sum(scores) + emission,
        "only-max": step.maximum,
        "viterbi": picture.numbers(state.problem).viterbi.table[t][tag],
    }


def task(state: State, cell: int) -> Task | None:
    """Each phone of a class types the number of one cell of the column; None behind that."""
    if spans.behind_column(state, cell):
        return None
    return Task(
        "number",
        *cells_of(state, cell),
        (),
        lambda step, value: verdict(state, step, value),
        lambda step: slips(state, step)["right"],
    )


def cells_of(state: State, cell: int) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Steps and cells of a column: what can be reached; of many tags, those in rows."""
    S, chain = len(state.problem.tags), picture.numbers(state.problem)
    t, rows = cell // S, chain.kept
    reached = [s for s in rows if chain.forward.table[t][s] > -math.inf] or rows
    return tuple(t * S + s for s in reached), tuple((t, s) for s in reached)


def at(state: State, cell: int, *, asks: bool) -> Payload:
    """The picture up to the cell; up to the column before while the question is open."""
    step = picture.row_step(state.problem, cell)
    if asks:
        step = picture.last_before(state, cell)
    return picture.at_step(state, "add", step) | {"step": cell, "folded": None}


def veil(whole: Payload, now: Payload) -> tuple[Payload, Payload]:
    """Both without the column that is asked about, and all that follow."""
    if not whole:
        return whole, now
    t = now["step"] // len(whole["tags"])
    hidden = {
        "values": [*whole["values"][:t], *([None] * len(c) for c in whole["values"][t:])],
        "shares": [*whole["shares"][:t], *([0.0] * len(c) for c in whole["shares"][t:])],
        "left": [],
        "left_shares": [],
        "left_other": None,
        "best": [],
        "back": [],
        "total": whole["total"] | {"value": None},
    }
    return whole | hidden, now


def facts_of(state: State, cell: int) -> facts.BeatFacts:
    """The cell that the reader fills, and what it holds in the reader's form."""
    problem, cell = state.problem, picture.row_step(state.problem, cell)
    t, tag = divmod(cell, len(problem.tags))
    values = {
        "form": state.form,
        "scale": state.scale,
        "word": problem.word(t),
        "tag": problem.tags[tag],
        "first": int(t == 0),
        "value": number(slips(state, cell)["right"]),
        "held": written(picture.step_at(state, "add", cell).log_value, 2, state.scale),
        "own": scored(problem.emissions[t][tag], state.scale),
    }
    return values | {"value": facts.text().plain("column-value", values)}


def equation(state: State, cell: int) -> list[Segment]:
    """The cell in the reader's own form; in ours the answer tells how."""
    if picture.ours(state) == state:
        return []
    step = picture.step_at(state, "add", picture.row_step(state.problem, cell))
    return equations.step_equation(state, step, "add")


def symbols(state: State, cell: int) -> list[Segment]:
    """The recursion of the cell in symbols."""
    step = picture.step_at(state, "add", picture.row_step(state.problem, cell))
    return equations.symbols(state, step, "add")
