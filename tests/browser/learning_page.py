"""A small lesson for the tests: `?algorithm=…`, the switches of the lessons, what is practised."""

import streamlit as st

from pages.shared.ui import computed, frame, lesson, options, practice, problem_bar, teacher
from pages.shared.ui.fill_column import fill_column

DEFAULTS = {"algorithm": "forward", "convention": "state", "space": "log", "semiring": "sum"}
KINDS = ("forward", "backward", "log-z", "viterbi", "marginal", "path-score")


def main():
    st.set_page_config(layout="wide")
    frame.open_app()
    view = lesson.begin()
    problem = problem_bar.show(view)
    algorithm = st.query_params.get("algorithm", "forward")
    switches = {"algorithm": algorithm}
    for option in (options.CONVENTION, options.SPACE, options.SEMIRING):
        switches[option.key] = options.adopt(option, DEFAULTS[option.key])
        if "controls" not in view.hide:
            options.switch(option, DEFAULTS[option.key])
    semiring = "max" if algorithm == "viterbi" else switches["semiring"]
    trace = computed.trace(problem, algorithm, switches["convention"], semiring)
    at = lesson.step_through(trace, key="stepper", view=view, space=switches["space"])
    fill_column(problem, trace, switches["space"], key="fill", view=view)
    practice.practice(KINDS, key="practice", view=view)
    switches |= practice.query()
    teacher.link_builder("", (at.step, len(trace.steps)), switches, DEFAULTS)
    lesson.publish(switches, DEFAULTS)


if __name__ == "__main__":
    main()
