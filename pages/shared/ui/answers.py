"""A learner's answer to an exercise, checked; what is wrong is named where the numbers tell."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from pages.shared.course import brute_force, diagnosis
from pages.shared.course.diagnosis import TOLERANCE, diagnose
from pages.shared.course.direction import escape
from pages.shared.course.exercises import Exercise
from pages.shared.course.numbers import format_score, parse_number
from pages.shared.course.problem import ProblemError
from pages.shared.figures import path_score


class Checked(NamedTuple):
    """What to say of an answer; never what the right one is."""

    right: bool  # whether it is right
    message: str  # what to say
    tried: bool = True  # whether there is an answer at all; with a field left empty there is none
    # of a column, what is to be said of each cell and of the whole, as `diagnose` has it
    cells: tuple[diagnosis.Diagnosis, ...] = ()


def how_to_write(exercise: Exercise) -> str:
    """What the fields take, and how close is right."""
    if exercise.kind == "viterbi":
        return "Choose a tag for each token."
    within, keep = f"{TOLERANCE:g} nats", "three decimals"
    if exercise.kind == "marginal":  # which may be small
        within, keep = f"{100 * TOLERANCE:g} % of the probability", "three significant digits"
    return (
        f"Decimals with a point, fractions or logarithms: −1.5, 2/3, log 0.4. Within {within} "
        f"counts as right: keep {keep}."
    )


def check(exercise: Exercise, typed: Sequence[str]) -> Checked:
    """Check what was typed.

    Args:
        exercise: The exercise.
        typed: A text for each of the question's `wanted`.
    """
    if not all(text.strip() for text in typed):
        return Checked(False, "Something is still empty.", tried=False)
    if exercise.kind in ("forward", "backward"):
        run = exercise.problem.trace(exercise.kind)
        *cells, whole = diagnose(exercise.problem, run, exercise.column, typed)
        return Checked(whole.right, whole.message, cells=(*cells, whole))
    if exercise.kind == "viterbi":
        return _path(exercise, typed)
    try:
        given = parse_number(typed[0], exercise.question().wanted[0])
    except ProblemError as error:
        return Checked(False, str(error))
    (right,) = exercise.answer().numbers
    if exercise.kind == "path-score":
        return _path_score(exercise, given, right)
    return (_log_z if exercise.kind == "log-z" else _marginal)(exercise, given, right)


def unreadable(exercise: Exercise, typed: Sequence[str]) -> list[str]:
    """For each of the texts why it is no number; "" for one that is, an empty one, and a tag."""
    return [
        "" if exercise.kind == "viterbi" else _why_unreadable(name, text)
        for name, text in zip(exercise.question().wanted, typed, strict=True)
    ]


def _why_unreadable(name: str, text: str) -> str:
    try:
        if text.strip():
            parse_number(text, name)
    except ProblemError as error:
        return str(error)
    return ""


def mark(verdicts: Sequence[diagnosis.Diagnosis] | None, row: int) -> str:
    """Right or wrong under a column's field; what is said of the whole is not said twice.

    Args:
        verdicts: Of `diagnose`; None if nothing has been checked.
        row: Which field.
    """
    if not verdicts:
        return '<p class="crf-mark"></p>'
    verdict, whole = verdicts[row], verdicts[-1]
    if verdict.right:
        return f'<p class="crf-mark crf-right">✓ {escape(verdict.message)}</p>'
    same = verdict.kind == whole.kind and verdict.kind not in ("unknown", "unreadable", "empty")
    message = "Not right." if same else verdict.message
    return f'<p class="crf-mark crf-wrong">✗ {escape(message)}</p>'


def _near(given: float, right: float) -> bool:
    return abs(given - right) <= TOLERANCE * 1.0001


def _path(exercise: Exercise, typed: Sequence[str]) -> Checked:
    problem = exercise.problem
    path = tuple(problem.tags.index(tag) for tag in typed)
    if path == tuple(map(int, exercise.answer().numbers)):
        return Checked(True, "Right: no path scores more.")
    own = f"Your path scores {format_score(brute_force.score(problem, path), 1)}"
    greedy = tuple(row.index(max(row)) for row in problem.emissions)
    if path == greedy:
        return Checked(False, f"That is each token’s best emission. {own}; another scores more.")
    return Checked(False, f"{own}; another path scores more.")


def _path_score(exercise: Exercise, given: float, right: float) -> Checked:
    if _near(given, right):
        return Checked(True, "Right.")
    return Checked(False, path_score.diagnose(exercise.problem, exercise.path, given))


def _log_z(exercise: Exercise, given: float, right: float) -> Checked:
    if _near(given, right):
        return Checked(True, "Right.")
    if given > 0 and _near(math.log(given), right):
        return Checked(False, "That is Z; its logarithm is wanted.")
    if _near(given, exercise.problem.trace("viterbi").log_total):
        return Checked(False, "That is the best path’s score. log Z takes in all paths.")
    return Checked(False, f"Off by {format_score(abs(given - right))}.")


def _marginal(exercise: Exercise, given: float, right: float) -> Checked:
    if abs(given - right) <= TOLERANCE * 1.0001 * right:
        return Checked(True, "Right.")
    if not 0 <= given <= 1:
        return Checked(False, "A probability is from 0 to 1.")
    if _near(given, 1 - right):
        return Checked(False, "That is the probability that it has another tag.")
    return Checked(False, "Not right. It is exp(log α̂ + log β − log Z).")
