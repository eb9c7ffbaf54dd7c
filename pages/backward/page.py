"""Lesson: the backward recursion; with forward it gives the probability of each tag."""

import streamlit as st

from crf import chain, information, recursions, sampling
from crf import trace as traces
from pages.backward import clamping, draws, fronts, marginal_tables, marginals, prose
from pages.shared.course.marginals import Marginals
from pages.shared.ui import fixed_tags, practice, recursion
from pages.shared.ui.fill_column import fill_column
from pages.shared.ui.lesson import show_code

shown = recursion.open_lesson(
    "backward",
    idea=prose.lead,
    backward=True,
    own=lambda problem: (
        fixed_tags.query("backward", problem)
        | draws.query()
        | practice.query()
        | fronts.MEET.query()
    ),
)
recursion.step_by_step(
    shown,
    marginals.follower(shown),
    below=marginals.column,
    tables=marginal_tables.export_tables(shown),
)
marginals.sums(shown)
fill_column(shown.problem, shown.trace, shown.space, key="backward.fill", view=shown.view)
if shown.reading.feasible:
    fronts.section(shown)
    marginals.unary(shown)
    marginals.pairwise(shown)
    marginals.uncertainty(shown)
    clamping.section(shown)
    draws.posterior(shown)
    draws.sampled(shown)
else:
    st.info("No path is allowed here, so no tag has a probability.")
show_code(
    shown.name,
    (
        ("The recursion on batches", recursions.backward),
        ("Every step of it written down, for the trellis above", traces.trace),
        ("What forward and backward say together", Marginals),
        ("The same in batches", recursions.state_marginals),
        ("The entropy of the chain", information.expected),
        ("Fixed tags", chain.LinearChain.clamp),
        ("Samples", sampling.sample),
    ),
)
practice.practice(["backward", "marginal"], key="backward.practice", view=shown.view)
shown.close()
