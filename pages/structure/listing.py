"""All paths as a table, fifty at a time."""

from collections.abc import Sequence

import streamlit as st

from pages.shared.course.brute_force import ScoredPath
from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.theme import count, log_probability
from pages.shared.ui import computed
from pages.shared.ui.frame import note
from pages.shared.ui.state import Kept
from pages.structure.facts import cumulative

AT_ONCE = 50
_MOST = Kept[tuple]("structure.most", (None, AT_ONCE))  # (problem, how many paths are listed)


def show(problem: Problem, allowed: Sequence[ScoredPath]) -> None:
    """The table of the allowed paths, best first, with a way to more of them."""
    about, most = _MOST.value
    most = most if about == problem else AT_ONCE
    log_z = computed.reading(problem).log_z
    listed = [
        tables.PathRow(
            f"{count(rank)}.",
            [problem.tags[s] for s in path.tags],
            [
                format_score(path.score),
                log_probability(path.score - log_z),  # exp of it may be less than any float
                cumulative(path.cumulative, last=rank == len(allowed)),
            ],
        )
        for rank, path in enumerate(allowed[:most], 1)
    ]
    best = [problem.tags[s] for s in allowed[0].tags]
    heads = ["score", "probability", "cumulative"]
    caption = "All allowed paths, best first"
    table = tables.path_table(problem.tokens, listed, best, heads, caption, tags=problem.tags)
    st.html(f'<div class="crf-long">{table}</div>')
    if most < len(allowed):
        more = min(AT_ONCE, len(allowed) - most)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                f"Show {more} more",
                on_click=_MOST.set,
                args=((problem, most + more),),
                key="structure.more",
            )
            note(f"{count(most)} of {count(len(allowed))} are listed.")
    if len(allowed) > 1:
        note("Framed and marked ≠: not the first path’s tag.")


def rows(problem: Problem) -> tables.Rows:
    """All paths for a file, the header first."""
    body = [[*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)]
    return [[*problem.tokens, "score", "probability", "cumulative"], *body]
