"""Check yourself, on the page "Scores of a path": commit to an answer, then see."""

import math
import secrets

import streamlit as st

from pages.scores.path_picker import Path
from pages.scores.path_sections import two_paths
from pages.shared.course import brute_force
from pages.shared.course.exercises import Exercise
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import path_score
from pages.shared.ui import question
from pages.shared.ui.question import Verdict

_SEED = "scores.seed"  # of the two paths and of the exercise
_COMMITTED = "scores.committed"  # (problem, seed, which path was said to score more)
_SEEDS = 10**6


def check_yourself(problem: Problem) -> None:
    """A guess on the problem on screen, and an exercise with numbers of its own."""
    st.header("Check yourself", anchor=False)
    seed = st.session_state.setdefault(_SEED, 2 * secrets.randbelow(_SEEDS))  # even: see two_paths
    _which_scores_more(problem, seed)
    _path_score(seed)
    st.button("New paths and numbers", on_click=_new_seed)


def _new_seed() -> None:
    st.session_state[_SEED] = secrets.randbelow(_SEEDS)


def _which_scores_more(problem: Problem, seed: int) -> None:
    pair = two_paths(problem, seed)
    if pair is None:
        return
    names = [path_score.named(problem, path) for path in pair]
    scores = [brute_force.score(problem, path) for path in pair]
    more, less = sorted((0, 1), key=lambda k: -scores[k])
    by = "" if scores[less] == -math.inf else f", by {format_score(scores[more] - scores[less])}"
    forbidden = "; the other is forbidden" if not by else ""
    sums = " ".join(
        f"{name}: {_sum(problem, path)} = {format_score(total)}."
        for path, name, total in zip(pair, names, scores, strict=True)
    )
    why = f"{names[more]} scores more{by}{forbidden}. {sums}"

    def judge(said: int) -> Verdict:
        if said == more:
            return Verdict(True, why)
        return Verdict(False, "Add up the scores of both, transitions included.", why)

    question.choice(
        "Which of these two paths of the problem on screen scores more?",
        names,
        judge,
        key=f"scores.guess.{seed}.{hash(problem)}",
    )


def _sum(problem: Problem, path: Path) -> str:
    return " + ".join(path_score.summand(term.value) for term in path_score.terms(problem, path))


def _path_score(seed: int) -> None:
    exercise = Exercise(seed, "path-score", "medium")
    asked, answer = exercise.question(), exercise.answer()
    st.markdown(asked.text)
    st.html(path_score.exercise_tables(asked.tables))
    lines = " ".join(answer.lines)

    def judge(given: float) -> Verdict:
        if abs(given - answer.numbers[0]) < path_score.TOLERANCE:
            return Verdict(True, lines)
        return Verdict(False, path_score.diagnose(exercise.problem, exercise.path, given), lines)

    question.number("Its score", judge, key=f"scores.exercise.{seed}", name="Its score")
