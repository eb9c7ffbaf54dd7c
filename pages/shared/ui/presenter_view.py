"""One picture as large as the window allows, and a presenter's keys: the component `screen`."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import streamlit as st

from pages.shared.ui import view as views
from pages.shared.ui.component import component
from pages.shared.ui.frame import style
from pages.shared.ui.view import View

_COMPONENT = component("screen", "pages/shared/ui/scripts/screen")


def fit(view: View) -> None:
    """Fit the page to its window, where the view is one picture on a screen; else do nothing."""
    if view.screen:
        _COMPONENT(key="screen", data={})


def turn(name: str, label: str, on_click: Callable[[], None], *, key: str) -> None:
    """A button, "next" or "back", that a presenter's key presses where no figure has a step."""
    with st.container(key=f"turn-{name}-{key}", width="content"):
        st.button(label, key=f"{key}·{name}", on_click=on_click)


def answers(view: View, key: str) -> bool:
    """Whether an exercise's answer is shown to a class; a presenter's keys show and hide it."""
    if not view.screen or "answers" in view.hide:
        return False
    told = views.current().told  # now: a fragment may have begun with another view
    name, label = ("back", "Hide the answer") if told else ("next", "Show the answer")
    turn(name, label, lambda: views.tell(not told), key=key)
    return told


def room(view: View, key: str, lines: int) -> AbstractContextManager[Any]:
    """Where the fields stand whose place an answer takes: before a class as high as its lines.

    So the answer comes without a change of size.
    """
    if not view.screen:
        return nullcontext()
    height = 1.5 + 1.84 * lines  # rem, of a block of code on a screen
    style(f"[class*='st-key-room-'] {{ min-height: {height:.2f}rem; }}")
    return st.container(key=f"room-{key}")
