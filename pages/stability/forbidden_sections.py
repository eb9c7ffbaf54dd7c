"""The section of the lesson "Numerical stability" about −10000 and −∞."""

import math
from functools import lru_cache

import streamlit as st

from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui.controls import Choice
from pages.shared.ui.lesson import Lesson
from pages.stability import forbidden_figures as shown
from pages.stability.forbidden import Forbidding, compare, empty_row, every_other_forbidden
from pages.stability.number_formats import DTYPES
from pages.stability.step import number_format

_SHORT, _LONG = 3, 16
FORMAT = number_format("format3")
WHICH = Choice(
    "stability.which",
    "short",
    labels={
        "short": f"{_SHORT} tokens, no path left",
        "long": f"{_LONG} tokens, no path left",
        "screen": "The problem on screen",
    },
)


@lru_cache(maxsize=32)
def compared(problem: Problem) -> tuple[Forbidding, ...]:
    """Each way to forbid, in each format."""
    return tuple(compare(problem))


def forbids(problem: Problem) -> bool:
    """Whether some score of it is −∞."""
    rows = [*problem.emissions, problem.start, problem.end]
    rows += [row for t in range(1, len(problem.tokens)) for row in problem.matrix(t)]
    return any(score == -math.inf for row in rows for score in row)


def chosen(problem: Problem) -> Problem:
    """What the section is about."""
    which = WHICH.value
    return (
        problem
        if which == "screen"
        else every_other_forbidden(_LONG if which == "long" else _SHORT)
    )


@st.fragment
def stand_in(lesson: Lesson) -> None:
    """−10000 against −∞: log Z, and by how much its gradient is off."""
    lesson.say("never")
    if lesson.asks:
        WHICH.widget("In")
    on_screen = chosen(lesson.problem)
    if not forbids(on_screen):
        st.info("The problem on screen forbids nothing, so there is nothing to write −10000 for.")
    found = compared(on_screen)
    with lesson.results("Show log Z"):
        grid, told = st.columns([3, 2], gap="large")
        grid.html(shown.forbidden_verdicts(found))
        if lesson.tells:
            told.html(prose(*shown.forbidden_words(found), shown.spacing()))


@st.fragment
def gradients(lesson: Lesson) -> None:
    """Entry by entry, in one format."""
    lesson.say("gradient")
    if lesson.asks:
        FORMAT.widget("Number format")
    on_screen = chosen(lesson.problem)
    drawn = [x for x in compared(on_screen) if x.dtype == FORMAT.value]
    with lesson.results("Show the gradient"):
        st.html(shown.gradients(drawn, on_screen, words=lesson.tells))


def nothing_but_forbidden(lesson: Lesson) -> None:
    """A row of −∞ only."""
    lesson.say("empty")
    rows = [empty_row(dtype) for dtype in DTYPES]
    with lesson.results("Show value and gradient"):
        header = ["logsumexp(−∞, −∞, −∞)", "value", "gradient"]
        st.html(tables.text_table(header, shown.empty_rows(rows[2]), "A row of −∞ only"))
        same = all(repr(row[1:]) == repr(rows[0][1:]) for row in rows)
        lesson.say("handled", same="It is the same in all four formats. " if same else "")
