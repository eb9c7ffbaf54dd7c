"""Check yourself, in the lesson "Scores": commit to an answer, then see."""

import math
import secrets
from collections.abc import Sequence
from itertools import compress

import streamlit as st

from crf.figures.numbers import format_score
from pages.scores.facts import two_paths
from pages.shared.course import brute_force
from pages.shared.course.exercises import Exercise
from pages.shared.course.problem import Problem
from pages.shared.figures import path_score
from pages.shared.figures.path_score import Summand
from pages.shared.figures.paths import Path, digits
from pages.shared.figures.text import LessonText
from pages.shared.ui import question
from pages.shared.ui.controls import Integer
from pages.shared.ui.question import Verdict

_SEEDS = 10**6
# Of the two paths and of the exercise: who opens a link is asked what its maker was asked.
SEED = Integer("scores.seed", 0, low=0, high=_SEEDS, address="ask")


def which_scores_more(problem: Problem, best: Path, *, edited: bool) -> None:
    """Two paths of a problem as it came; `edited`: whether other scores are on screen by now."""
    seed = SEED.value
    pair = two_paths(problem, seed, best)
    if pair is None:
        return
    names = [problem.named(path) for path in pair]
    scores = [brute_force.score(problem, path) for path in pair]
    more, less = sorted((0, 1), key=lambda k: -scores[k])
    forbidden = scores[less] == -math.inf
    decimals = digits(problem)
    here, there = (path_score.terms(problem, path) for path in pair)
    differ = [one.what != other.what for one, other in zip(here, there, strict=True)]
    apart = [list(compress(terms, differ)) for terms in (here, there)]
    high, low = (_sum(apart[k], decimals) for k in (more, less))
    by = {} if forbidden else {"by": format_score(scores[more] - scores[less], decimals)}
    text = LessonText.of("scores")
    why = text.line(
        "ask.forbidden" if forbidden else "ask.more", path=names[more], high=high, low=low, **by
    )

    def judge(said: int) -> Verdict:
        return Verdict(True, why) if said == more else Verdict(False, text.line("ask.hint"), why)

    question.choice(
        text.line("ask.edited" if edited else "ask.which"),
        [_listed(name, terms, decimals) for name, terms in zip(names, apart, strict=True)],
        judge,
        key=f"scores.guess.{seed}.{hash(problem)}",
    )


def exercise() -> None:
    """The score of a path of a problem of its own."""
    seed = SEED.value
    made = Exercise(seed, "path-score", "medium")
    asked, answer = made.question(), made.answer()
    st.markdown(asked.text)
    say = LessonText.of("scores").line
    st.html(path_score.given_tables(asked.tables, say("ask.given")))
    lines = " ".join(answer.lines)

    def judge(given: float) -> Verdict:
        if abs(given - answer.numbers[0]) < path_score.TOLERANCE:
            return Verdict(True, lines)
        return Verdict(False, path_score.diagnose(made.problem, made.path, given), lines)

    question.number(say("ask.its"), judge, key=f"scores.exercise.{seed}", name=say("ask.its"))
    st.button(
        say("ask.new"), key="scores.new", on_click=lambda: SEED.set(secrets.randbelow(_SEEDS))
    )


def _listed(name: str, terms: Sequence[Summand], decimals: int) -> str:
    values = (f"{term.what} = {format_score(term.value, decimals)}" for term in terms)
    return f"{name}: {', '.join(values)}"


def _sum(terms: Sequence[Summand], decimals: int) -> str:
    parts = " + ".join(path_score.summand(term.value, decimals) for term in terms)
    return f"{parts} = {format_score(math.fsum(term.value for term in terms), decimals)}"
