"""A button at a question that asks the whole class; for the lecturer alone."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.ui.state import complain

if TYPE_CHECKING:
    from pages.shared.course.classroom.ballot import Ballot


def leads() -> bool:
    """Whether this session leads a class."""
    if not given().room:
        return False
    from pages.shared.ui import room  # what nobody needs where there is no class

    return room.lecturing() is not None


def button(make: Callable[[], "Ballot"], *, key: str) -> None:
    """Draw it.

    Args:
        make: The question for the class; made when it is asked.
        key: Of the question's widget.
    """
    if leads():
        st.button("Ask the class", key=f"{key}·class", on_click=_ask, args=(make,))


def _ask(make: Callable[[], "Ballot"]) -> None:
    from pages.shared.ui import room

    try:
        room.ask(make())
    except ProblemError as error:
        complain(f"The class was not asked. {error}")
