"""A small lesson for the tests: switches in its address, exercises, a teacher's link."""

import streamlit as st

from pages.shared.ui import frame, options, practice
from pages.shared.ui.lesson import Lesson

KINDS = ("forward", "backward", "log-z", "viterbi", "marginal", "path-score")
SWITCHES = (options.CONVENTION, options.SPACE)


def main():
    st.set_page_config(layout="wide")
    frame.open_app()
    lesson = Lesson.open("learning", controls=SWITCHES, own=lambda _: practice.query())
    lesson.bar()
    if lesson.asks:
        for switch in SWITCHES:
            options.switch(switch)
    practice.practice(KINDS, key="practice", view=lesson.view)
    lesson.teacher()
    lesson.close()


if __name__ == "__main__":
    main()
