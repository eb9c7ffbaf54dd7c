"""The button in a page's head that adds exactly what is on screen to the lecture."""

import streamlit as st

from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course.lecture import PAGES, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.figures import theme
from pages.shared.ui import ask_class, lectures, state
from pages.shared.ui import view as views
from pages.shared.ui.lectures import say

MINUTES = 5.0  # of a new stop
SHORTCUT = "alt+a"


def button(entry: Entry) -> None:
    """Draw it where a lecture is prepared or a class is led, on a page that can be a stop."""
    page = "" if entry is contents.FIRST else entry.name
    view = views.current()
    is_begun = lectures.MINE.is_set or ask_class.leads()
    if not is_begun or page not in PAGES or view.screen or "controls" in view.hide:
        return
    st.button(
        "", icon=":material/playlist_add:", help=say("add.button"), shortcut=SHORTCUT,
        type="tertiary", key="head.add", on_click=_add, args=(page, entry.title),
    )  # fmt: skip
    lectures.keep()


def _add(page: str, title: str) -> None:
    from pages.shared.ui import problem_state, teacher  # the head waits for no heavy module

    if problem_state.SHARED.is_set and problem_state.address() is None:
        state.complain(say("add.too-large"))
        return
    query = {k: v for k, v in state.all_asked().items() if k not in ("step", "screen", "told")}
    step = views.step_in_address(page or contents.FIRST.folder)
    if step is not None:
        query["step"] = str(step)
    try:
        added = lectures.add(Stop(page, teacher.encoded(query), title, minutes=MINUTES))
    except ProblemError as error:
        state.complain(say("add.failed", why=error))
    else:
        st.toast(theme.markdown(added))
