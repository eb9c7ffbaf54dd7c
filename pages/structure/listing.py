"""The best paths as a table."""

from collections.abc import Sequence

import streamlit as st

from crf.figures.numbers import format_score
from pages.shared.course.brute_force import ScoredPath
from pages.shared.course.problem import Problem
from pages.shared.figures import tables
from pages.shared.figures.text import LessonText
from pages.shared.figures.theme import count, log_probability
from pages.shared.ui import computed
from pages.shared.ui.frame import note
from pages.structure.facts import cumulative

MOST = 8  # paths that are listed; a file has all of them


def show(problem: Problem, allowed: Sequence[ScoredPath]) -> None:
    """The table of the best allowed paths."""
    log_z, line = computed.summary(problem).log_z, LessonText.of("structure").line
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
        for rank, path in enumerate(allowed[:MOST], 1)
    ]
    best = [problem.tags[s] for s in allowed[0].tags]
    heads = [line(f"labels.{name}") for name in ("score", "probability", "cumulative")]
    caption = line("labels.listed")
    table = tables.path_table(problem.tokens, listed, best, heads, caption, tags=problem.tags)
    st.html(table)
    if MOST < len(allowed):
        note(line("labels.more", n=len(allowed) - MOST))
    if len(allowed) > 1:
        note(line("labels.framed"))


def rows(problem: Problem) -> tables.Rows:
    """All paths for a file, the header first."""
    body = [[*(problem.tags[s] for s in path.tags), *path[1:]] for path in computed.paths(problem)]
    return [[*problem.tokens, "score", "probability", "cumulative"], *body]
