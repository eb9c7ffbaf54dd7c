"""At the foot of a lesson: its recursion as a function to write, and how to check it."""

from pathlib import Path

import streamlit as st

from crf.lab.starter import starter
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu

FUNCTIONS = {  # of each lesson that has some
    "scores": ("score",),
    "forward": ("forward", "nll"),
    "backward": ("backward", "marginals"),
    "viterbi": ("viterbi",),
    "learning": ("nll", "gradients"),
}
_FILE = "homework.py"


def show(lesson: str) -> None:
    """Offer the functions of a lesson, if it has any, in a part to unfold.

    Args:
        lesson: Its folder.
    """
    if lesson not in FUNCTIONS:
        return
    part = st.expander(
        "Implement it", icon=":material/terminal:", key=f"{lesson}.implement", on_change="rerun"
    )
    if not part.open:
        return
    names = FUNCTIONS[lesson]
    text = starter("plain", only=names)
    with part:
        st.html(LessonText.load(Path(__file__).with_name("implement.md")).html("how"))
        new = f"python -m crf lab new {_FILE} --only {','.join(names)}"
        st.code(f"{new}\npython -m crf lab check {_FILE}", language="sh")
        st.code(text, language="python", height=300)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.download_button(
                f"Save {_FILE}", text, _FILE, "text/x-python", key=f"{lesson}.starter"
            )
            menu.link("check", "Check your code →")
