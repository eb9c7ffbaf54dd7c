"""The section of the lesson "Numerical stability" on a path that scaling loses."""

from functools import lru_cache

import streamlit as st

from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui import problem_state
from pages.shared.ui.controls import Integer
from pages.shared.ui.lesson import Lesson
from pages.stability import run_figures as shown
from pages.stability.chains import Run, grow, repeated, two_tracks
from pages.stability.number_formats import limits
from pages.stability.step import find, number_format
from pages.stability.verdicts import said

LAG = Integer("stability.lag", 120, low=6, high=1200)  # nats
FORMAT = number_format("lagformat")


@lru_cache(maxsize=32)
def _runs(problem: Problem) -> tuple[Run, ...]:
    return tuple(grow(repeated(problem, len(problem.tokens))))


@st.fragment
def two_paths(lesson: Lesson) -> None:
    """Scaling forgets a path that log space keeps."""
    lesson.say("lost")
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            LAG.widget("B falls behind by, in nats", shape="slider", step=6, width=380)
            FORMAT.widget("Number format")
    lag, dtype = LAG.value, FORMAT.value
    problem = two_tracks(float(lag))
    found = _runs(problem)
    by_scale, by_log = (find(found, method, dtype) for method in ("scaled", "log"))
    with lesson.results("Show what is kept"):
        header = ["token", "scaled: A", "scaled: B", "log α̂: A", "log α̂: B"]
        rows = [
            [
                problem.tokens[t],
                *(said(x, 4) for x in (*by_scale.columns[t], *by_log.columns[t])),
            ]
            for t in range(len(problem.tokens))
        ]
        tracks = tables.text_table(header, rows, f"Both paths, token by token, in {dtype}")
        st.html(tables.beside(shown.chain_verdicts(found, "the two paths"), tracks))
        if lesson.tells:
            st.html(prose(*_lost(by_scale, by_log, dtype, lag)))
    if lesson.asks and st.button("Put this problem on screen"):
        problem_state.use_other(problem, f"two paths, {lag} nats apart")
        st.rerun()


def _lost(by_scale: Run, by_log: Run, dtype: str, lag: int) -> list[str]:
    bound = limits(dtype)
    told = [
        f"The winner’s score is {format_score(-float(lag))}, the other’s "
        f"{format_score(-4 * lag / 3)}. In log space {dtype} gives log Z = "
        f"{said(by_log.values[-1])}; scaled, it gives {said(by_scale.values[-1])}."
    ]
    if by_scale.broke:
        told.append(
            f"{by_scale.broke.words} B’s share was exp(−{lag}) of A’s, and {dtype} ends at "
            f"exp({format_score(bound.underflow)}). What is 0 stays 0, however well it does later."
        )
    else:
        told.append(
            f"B’s share, exp(−{lag}) of A’s, is still more than {dtype} can hold at the least, "
            f"exp({format_score(bound.underflow)}), so B is kept."
        )
    return told
