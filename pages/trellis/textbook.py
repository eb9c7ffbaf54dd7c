"""The beat on textbooks: one cell of α in three forms, a step each."""

from dataclasses import replace

from crf.figures.flow.payload import Payload
from crf.steps.conventions import FORMS
from pages.shared.course.problem import Problem
from pages.shared.course.state import State
from pages.shared.figures.beat_text import Segment
from pages.trellis import equations, facts, picture
from pages.trellis.notation import written


def steps(problem: Problem) -> range:
    """One for each form; a word alone has no message."""
    return range(len(FORMS) if len(problem.tokens) > 1 else 1)


def in_one_form(state: State) -> State:
    """The state in the form that the step is about."""
    step = state.step or 0
    form = FORMS[step if step in steps(state.problem) else 0]
    return replace(picture.ours(picture.clamped(state)), form=form)


def _cell(state: State) -> int:
    """The best path's cell in the third column, or in the last one: a step as in state form."""
    chain, t = picture.numbers(state.problem), min(3, len(state.problem.tokens)) - 1
    return t * len(state.problem.tags) + (chain.best_path or chain.greedy)[t]


def facts_of(state: State, _number: int) -> facts.BeatFacts:
    """The same cell in one form."""
    values = facts.of_step(state, picture.step_at(state, "add", _cell(state)), "add")
    ours = picture.step_at(picture.ours(state), "add", _cell(state))
    return values | {"ours": written(ours.log_value, 2, state.scale)}


def whole(state: State) -> Payload:
    """The tables in that form, drawn as sums from the left."""
    return picture.whole(state, "add") | {"mode": "add", "notation": None, "forms": True}


def at(state: State, number: int) -> Payload:
    """One cell in one textbook's form, with the tables that change with the form."""
    cell = _cell(state)
    now = picture.at_step(state, "add", cell) | {"step": number}
    return now | {
        "symbols": equations.symbols(state, picture.step_at(state, "add", cell), "add"),
        "picture": whole(state),
    }


def equation(state: State, _number: int) -> list[Segment]:
    """What stands in the cell, with the numbers in that form."""
    step = picture.step_at(state, "add", _cell(state))
    return equations.step_equation(state, step, "add")
