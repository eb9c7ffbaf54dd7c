"""The section of the lesson "Numerical stability" on a path that scaling loses."""

from functools import lru_cache

import streamlit as st

from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.path_score import prose
from pages.shared.ui import problem_state
from pages.shared.ui.view import View
from pages.stability import run_figures as shown
from pages.stability.chains import Run, grow, repeated, two_tracks
from pages.stability.number_formats import limits
from pages.stability.sections import formats, results, tells
from pages.stability.step import find
from pages.stability.verdicts import said

LAG, FORMAT = "stability.lag", "stability.lagformat"
_USUAL = 120  # nats


@lru_cache(maxsize=32)
def _runs(problem: Problem) -> tuple[Run, ...]:
    return tuple(grow(repeated(problem, len(problem.tokens))))


@st.fragment
def two_paths(view: View) -> None:
    """Scaling forgets a path that log space keeps."""
    st.header("Where scaling loses the winner", anchor=False)
    if tells(view):
        st.html(
            prose(
                "Scaling keeps a column’s sum at 1. It does not keep its cells alike. Here are two "
                "tags, A and B, that never follow each other, so there are two paths. B falls "
                "behind at first; later A loses more, and B wins. By how far may B fall behind?"
            )
        )
    if not isinstance(st.session_state.get(LAG), int):
        st.session_state[LAG] = _USUAL
    lag = st.session_state[LAG]
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        if "controls" not in view.hide:
            lag = st.slider("B falls behind by, in nats", 6, 1200, step=6, key=LAG, width=380,
                            persist_state="session")  # fmt: skip
        dtype = formats(view, "Number format", FORMAT)
    problem = two_tracks(float(lag))
    found = _runs(problem)
    by_scale, by_log = (find(found, method, dtype) for method in ("scaled", "log"))
    with results(view, "Show what is kept"):
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
        if tells(view):
            st.html(prose(*_lost(by_scale, by_log, dtype, lag)))
    if "controls" not in view.hide and st.button("Put this problem on screen"):
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
