"""From sum to max: all scores divided by τ, as flow. Towards τ = 0 one ribbon is left."""

import math

import streamlit as st

from crf.figures.flow.payload import of_chain
from pages.shared.course.numbers import format_probability, format_score
from pages.shared.ui.controls import Number
from pages.shared.ui.flow import flow
from pages.shared.ui.lesson import Lesson

TAU = Number("viterbi.tau", 1.0, low=0.05, high=20, address="tau")
_STOPS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.3, 1.6, 2.0, 3.0, 5.0, 10.0, 20.0)


@st.fragment
def section(lesson: Lesson) -> None:
    """The slider and the flow that follows it; some path must be allowed."""
    problem, chain = lesson.problem, lesson.summary.chain
    lesson.say("temperature-tied" if lesson.summary.has_rivals else "temperature")
    tau = TAU.widget("τ", options=_STOPS) if lesson.asks else TAU.value
    heated = lesson.summary.at_temperature(tau)
    best = chain.viterbi()
    with lesson.picture("tau"):
        flow(
            of_chain(
                heated,
                problem.tags,
                problem.tokens,
                path=best.tags[0].tolist(),
                choices=(),
                label=lesson.text.line("labels.at-tau", tau=f"{tau:g}"),
                hint=lesson.text.line("labels.outlined"),
            ),
            key="viterbi.heat",
            height=220,
            numbers="answers" not in lesson.view.hide,
        )
    if "answers" not in lesson.view.hide:
        lesson.say(
            "temperature-now",
            tau=f"{tau:g}",
            p=format_probability(min(math.exp(heated.log_prob(best.tags).item()), 1.0)),
            soft=format_score(tau * heated.log_partition.item()),
            hard=format_score(best.scores.item()),
        )
