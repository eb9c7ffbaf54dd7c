"""A page for the tests: exercises with new numbers, as lessons have them behind "⋯"."""

import streamlit as st

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import frame, practice

KINDS = ("forward", "backward", "log-z", "viterbi", "marginal", "path-score")


def main():
    st.set_page_config(layout="wide")
    frame.open_app()

    def use(problem):
        st.session_state["on screen"] = problem

    on_screen = st.session_state.get("on screen", EXAMPLES["old-man"].problem)
    practice.practice(KINDS, key="practice", on_screen=on_screen, use=use)


if __name__ == "__main__":
    main()
