"""Lesson: Viterbi, the best path, by the same recursion with max in the place of the sum."""

import streamlit as st

from crf import decoding
from crf import trace as traces
from pages.figures.leads import lead
from pages.figures.recursion_prose import follow
from pages.ui import lesson, practice, recursion, viterbi_sections
from pages.ui.fill_column import fill_column

view = lesson.begin("viterbi")
shown = recursion.open_lesson(
    view,
    page="viterbi",
    semiring="max",
    idea=lead,
)
recursion.step_by_step(
    shown,
    follow,
    paths=viterbi_sections.overlays(shown),
    below=viterbi_sections.pointers,
    tables=viterbi_sections.export_tables(shown),
)
if shown.reading.feasible:
    viterbi_sections.flips(shown)
    viterbi_sections.k_best(shown)
    viterbi_sections.side_by_side(shown)
    viterbi_sections.score_and_probability(shown)
    viterbi_sections.without_pointers(shown)
else:
    st.info("No path is allowed here, so there is nothing to decode.")
fill_column(shown.problem, shown.trace, shown.space, key="viterbi.fill", view=view)
recursion.code(
    (
        ("The max recursion, left to right", decoding.viterbi_forward),
        ("The way back, with stored backpointers or without", decoding.backtrace),
        ("The k best paths", decoding.topk),
        ("Left to right, greedily", decoding.greedy_left_to_right),
        ("Every step of it written down, for the trellis above", traces.trace),
    )
)
practice.practice(["viterbi", "path-score"], key="viterbi.practice", view=view, size="medium")
recursion.close(shown, practice.query())
