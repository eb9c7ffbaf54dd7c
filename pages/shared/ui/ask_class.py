"""A lesson and the class: a button that asks the class a question, its answers in the picture.

Who is asked is led to the lesson as well, which has what one needs for the answer.
"""

from collections.abc import Callable, Collection
from types import ModuleType
from typing import TYPE_CHECKING, Any

import streamlit as st

from crf.steps import Trace
from pages.shared.course.problem import Problem
from pages.shared.course.start_options import given
from pages.shared.ui import view as views
from pages.shared.ui.words import say_in_class as say

if TYPE_CHECKING:
    from pages.shared.course.classroom.ballot import Ballot


def _session() -> ModuleType | None:
    """The module `class_session`, which takes long to import; None where there is no class."""
    if not given().room:
        return None
    from pages.shared.ui import class_session

    return class_session


def leads() -> bool:
    """Whether this session leads a class."""
    session = _session()
    return session is not None and session.lecturing() is not None


def is_open(key: str) -> bool:
    """Return whether the class still answers the question of this widget: then nothing tells."""
    session = _session()
    return session is not None and session.OPEN_KEY.value == key


def button(make: Callable[[], "Ballot"], *, key: str, tells: Collection[str] = ()) -> None:
    """Draw it.

    Args:
        make: The question for the class; made when it is asked.
        key: Of the question's widget.
        tells: Values of the lesson's address, beside the step, that would tell the answer.
    """
    if leads():
        st.button(say("ask.button"), key=f"{key}·class", on_click=_ask, args=(make, tells))


def votes(problem: Problem, trace: Trace) -> dict[str, Any] | None:
    """How many of the class had each cell of a column of this trace right; None until revealed."""
    session = _session()
    found = session.revealed_column() if session else None
    if found is None or not found[0].is_of(problem, trace):
        return None
    ballot, tally = found
    column = ballot.column
    cells = zip(column.rows, tally.cells, strict=True)
    return {"column": column.column, "cells": [[row, n, tally.total] for row, n in cells]}


def _ask(make: Callable[[], "Ballot"], tells: Collection[str]) -> None:
    from pages.shared.ui import class_session

    class_session.show_page({"step", *tells})
    if class_session.ask(make) and not views.current().screen:
        st.toast(say("ask.asked"))
