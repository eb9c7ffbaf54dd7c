"""At the foot of a lesson: its recursion as a function to write, and how to check it."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from crf.lab.report import APP
from crf.lab.starter import starter
from pages.shared import contents
from pages.shared.course.exercise_sheet import ProgrammingTask
from pages.shared.figures.text import LessonText
from pages.shared.ui import menu
from pages.shared.ui.words import say

FUNCTIONS = {  # of each lesson that has some, and of each mode of the trellis
    "path": ("score",),
    "add": ("forward", "nll"),
    "both": ("backward", "marginals"),
    "best": ("viterbi",),
    "learning": ("nll", "gradients"),
}
_FILE = "homework.py"


def _words() -> LessonText:
    return LessonText.load(Path(__file__).with_name("implement.md"))


def commands(names: Sequence[str]) -> tuple[str, str]:
    """Return the commands that write a file with these functions, and check it."""
    new = f"python -m crf lab new {_FILE} --only {','.join(names)}"
    origin = "://".join(urlsplit(st.context.url or "")[:2])  # where its links are to lead
    app = "" if origin in ("", "://", APP) else f" --app {origin}"
    return new, f"python -m crf lab check {_FILE}{app}"


def task(names: Sequence[str]) -> ProgrammingTask | None:
    """Return the task of writing these functions, for a sheet; None if there are none."""
    if not names:
        return None
    words, functions = _words(), ", ".join(names)
    return ProgrammingTask(
        words.title("task", functions=functions),
        words.plain("task"),
        commands(names),
        starter("plain", only=tuple(names)),
    )


@st.fragment
def show(lesson: str) -> None:
    """Offer the functions of a lesson, if it has any, in a part to unfold."""
    if lesson not in FUNCTIONS:
        return
    part = st.expander(
        say("export.implement"),
        icon=":material/terminal:",
        key=f"{lesson}.implement",
        on_change="rerun",
    )
    if not part.open:
        return
    with part:
        body(FUNCTIONS[lesson], lesson)


def body(names: tuple[str, ...], key: str) -> None:
    """The file to fill in, and the commands that write and check it."""
    text = starter("plain", only=names)
    st.html(_words().html("how"))
    st.code("\n".join(commands(names)), language="sh")
    st.code(text, language="python", height=300)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            say("export.starter", file=_FILE), text, _FILE, "text/x-python", key=f"{key}.starter"
        )
        menu.link("check", f"{contents.entry('check').title} →")
