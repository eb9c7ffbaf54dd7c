"""A learner's answer to an exercise, checked; what is wrong is named where the numbers tell."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from crf.figures.numbers import format_score
from pages.shared.course import brute_force, diagnosis
from pages.shared.course.diagnosis import TOLERANCE, diagnose
from pages.shared.course.exercises import Exercise
from pages.shared.course.problem import ProblemError
from pages.shared.course.right_to_left import escape
from pages.shared.course.typed_numbers import parse_number
from pages.shared.figures import path_score, theme
from pages.shared.ui.words import say

_NEAR = TOLERANCE * 1.0001


class Checked(NamedTuple):
    """The verdict on an answer, which never gives the right one away."""

    right: bool  # whether it is right
    message: str  # what to say
    tried: bool = True  # whether there is an answer at all; with a field left empty there is none
    # of a column, what is to be said of each cell and of the whole, as `diagnose` has it
    cells: tuple[diagnosis.Diagnosis, ...] = ()


def how_to_write(exercise: Exercise) -> str:
    """The hint on what the fields accept, and how close an answer must be."""
    kind = exercise.kind if exercise.kind in ("viterbi", "marginal") else "number"
    within = 100 * TOLERANCE if kind == "marginal" else TOLERANCE  # a marginal may be small
    return say(f"answer.write-{kind}", **({} if kind == "viterbi" else {"within": f"{within:g}"}))


def check(exercise: Exercise, typed: Sequence[str]) -> Checked:
    """Check a typed answer."""
    if not all(text.strip() for text in typed):
        return Checked(False, say("answer.empty"), tried=False)
    if exercise.kind in ("forward", "backward"):
        run = exercise.problem.trace(exercise.kind)
        *cells, whole = diagnose(exercise.problem, run, exercise.column, typed)
        return Checked(whole.right, whole.message, cells=(*cells, whole))
    if exercise.kind == "viterbi":
        return _path(exercise, typed)
    try:
        value = parse_number(typed[0], exercise.question().wanted[0])
    except ProblemError as error:
        return Checked(False, str(error))
    (right,) = exercise.answer().numbers
    if abs(value - right) <= _NEAR * (right if exercise.kind == "marginal" else 1):
        return Checked(True, say("answer.right"))
    if exercise.kind == "path-score":
        return Checked(False, path_score.diagnose(exercise.problem, exercise.path, value))
    if exercise.kind == "marginal":
        case = "other" if _near(value, 1 - right) else "wrong"
        return Checked(False, say(f"answer.marginal-{case if 0 <= value <= 1 else 'outside'}"))
    if value > 0 and _near(math.log(value), right):
        return Checked(False, say("answer.is-z"))
    if _near(value, exercise.problem.trace("viterbi").log_total):
        return Checked(False, say("answer.is-best"))
    return Checked(False, say("answer.off", by=format_score(abs(value - right))))


def mark(verdicts: Sequence[diagnosis.Diagnosis] | None, row: int) -> str:
    """Mark a column's field as right or wrong, without repeating the verdict on the whole."""
    if not verdicts:
        return '<p class="crf-mark"></p>'
    (_, right, kind, message, _), whole = verdicts[row], verdicts[-1]
    if not right and kind == whole.kind and kind not in ("unknown", "unreadable", "empty"):
        message = say("answer.not-right")
    kind, sign = ("right", "✓") if right else ("wrong", "✗")
    return f'<p class="crf-mark crf-{kind}">{sign} {escape(message)}</p>'


def show(right: bool, message: str) -> None:
    """Draw a verdict in a sign and words."""
    box, icon = (st.success, "check") if right else (st.error, "close")
    box(theme.markdown(message), icon=f":material/{icon}:")


def _near(value: float, right: float) -> bool:
    return abs(value - right) <= _NEAR


def _path(exercise: Exercise, typed: Sequence[str]) -> Checked:
    problem = exercise.problem
    path = tuple(problem.tags.index(tag) for tag in typed)
    if path == tuple(map(int, exercise.answer().numbers)):
        return Checked(True, say("answer.best-path"))
    greedy = tuple(row.index(max(row)) for row in problem.emissions)
    own = format_score(brute_force.score(problem, path), 1)
    return Checked(False, say(f"answer.{'greedy' if path == greedy else 'lower'}", score=own))
