"""A small lesson for the tests: `?algorithm=…`, the switches of the lessons, what is practised."""

from functools import partial

import streamlit as st

from pages.shared.ui import computed, frame, options, practice
from pages.shared.ui.controls import Choice
from pages.shared.ui.fill_column import fill_column
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.stepper import TraceOptions, go_to, step_through

KINDS = ("forward", "backward", "log-z", "viterbi", "marginal", "path-score")
ALGORITHM = Choice(
    "test.algorithm",
    "forward",
    address="algorithm",
    labels={name: name for name in ("forward", "backward", "viterbi")},
)
SWITCHES = (options.CONVENTION, options.SPACE, options.SEMIRING["forward"])


def main():
    st.set_page_config(layout="wide")
    frame.open_app()
    lesson = Lesson.open("forward", controls=(ALGORITHM, *SWITCHES), own=lambda _: practice.query())
    lesson.bar()
    if lesson.asks:
        for switch in SWITCHES:
            options.switch(switch)
    convention, space, ways = (switch.value for switch in SWITCHES)
    told = TraceOptions(space="log" if space == "log" else "probability")
    semiring = "max" if ALGORITHM.value == "viterbi" else ways
    trace = computed.trace(lesson.problem, ALGORITHM.value, convention, semiring)
    step = step_through(lesson, trace, key="stepper", options=told)
    waits = st.session_state.setdefault("waits", "waits" in st.query_params)
    wait = partial(go_to, "stepper") if waits else None
    fill_column(lesson.problem, trace, space, key="fill", view=lesson.view, wait=wait)
    practice.practice(KINDS, key="practice", view=lesson.view)
    lesson.teacher((step, len(trace.steps)))
    lesson.close()


if __name__ == "__main__":
    main()
