"""Lesson: Viterbi, the best path, by the same recursion with max in the place of the sum."""

import streamlit as st

from crf import decoding
from crf import trace as traces
from pages.shared.figures.leads import lead
from pages.shared.figures.recursion_prose import follow
from pages.shared.ui import practice, recursion
from pages.shared.ui.fill_column import fill_column
from pages.shared.ui.lesson import show_code
from pages.viterbi import sections, temperature

shown = recursion.open_lesson(
    "viterbi",
    idea=lead,
    own=lambda _: practice.query() | temperature.TAU.query(),
)
recursion.step_by_step(
    shown,
    follow,
    paths=sections.overlays(shown),
    below=sections.pointers,
    tables=sections.export_tables(shown),
)
if shown.reading.feasible:
    sections.flips(shown)
    sections.k_best(shown)
    sections.side_by_side(shown)
    sections.score_and_probability(shown)
    temperature.section(shown)
    sections.without_pointers(shown)
else:
    st.info("No path is allowed here, so there is nothing to decode.")
fill_column(shown.problem, shown.trace, shown.space, key="viterbi.fill", view=shown.view)
show_code(
    shown.name,
    (
        ("The max recursion, left to right", decoding.viterbi_forward),
        ("The way back, with stored backpointers or without", decoding.backtrace),
        ("The k best paths", decoding.topk),
        ("Left to right, greedily", decoding.greedy_left_to_right),
        ("Every step of it written down, for the trellis above", traces.trace),
    ),
)
practice.practice(["viterbi", "path-score"], key="viterbi.practice", view=shown.view, size="medium")
shown.close()
