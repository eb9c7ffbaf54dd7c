"""Teacher's view: a link that opens a lesson exactly as it is on screen, less what is to be hidden.

teacher.link_builder("forward", (step, len(trace.steps)), switches)
"""

from collections.abc import Mapping
from urllib.parse import quote, urlencode

import streamlit as st

from pages.shared.course.problem_files import to_json
from pages.shared.ui import problem_state
from pages.shared.ui import view as views
from pages.shared.ui.frame import note
from pages.shared.ui.view import PARTS, SIZES, View

TITLE = "For teachers: a link to exactly this"
PRESET = "Projector: large, without text and controls"
_SIZE, _GUESS = "teacher.size", "teacher.guess"


def link_builder(
    page: str,
    at: tuple[int, int] | None,
    switches: Mapping[str, str],
) -> None:
    """Draw a button that opens the builder; a dialog, so that nothing behind it moves on.

    Args:
        page: The page's part of the address: "forward".
        at: The step where the reader is, from 0, and how many there are; None in a lesson without
            steps.
        switches: What the page puts into its address beside problem and view.
    """
    if st.button(TITLE, icon=":material/link:", key=f"teacher.{page}.open"):
        _dialog(page, at, switches)


@st.dialog(TITLE, width="medium")
def _dialog(page: str, at: tuple[int, int] | None, switches: Mapping[str, str]) -> None:
    shown = views.current()
    for part in PARTS:
        st.session_state.setdefault(_box(part), part in shown.hide)
    st.session_state.setdefault(_SIZE, shown.size)
    st.session_state.setdefault(_GUESS, shown.guess)
    note(
        "Whoever opens the link sees this problem, these switches, and not what is ticked here. "
        "That is a courtesy, not protection: each reader has a button that shows everything."
    )
    st.button(
        PRESET,
        icon=":material/present_to_all:",
        on_click=_preset,
        help="Sets what follows: controls and text hidden, all else as large as can be.",
    )
    st.markdown("**Hide**")
    with st.container(horizontal=True, gap="small"):
        hide = frozenset(
            part for part, about in PARTS.items() if st.checkbox(about, key=_box(part), width=300)
        )
    size = st.segmented_control(
        "Size", list(SIZES), format_func=SIZES.get, required=True, key=_SIZE
    )
    first = 0
    if at and st.checkbox(
        f"Start at the step on screen ({at[0] + 1} of {at[1]})", True, key="teacher.step"
    ):
        first = at[0]
    guess = at is not None and st.checkbox(
        "Guess first: each cell is asked for before it is shown", key=_GUESS
    )
    if guess and hide >= {"values", "terms"}:
        st.warning("With both the numbers and the terms hidden there is nothing to guess from.")
    view = View(first, hide, size, guess)
    problem = problem_state.address()
    _too_large(problem)
    st.code(
        link(st.context.url, page, (problem or {}) | dict(switches) | view.query()),
        language=None,
        wrap_lines=True,
    )
    if st.button("Show me", help="This session shows the lesson as the link does."):
        views.show(view)
        st.rerun()


def _preset() -> None:
    """Hide controls and text, in the size for the last row."""
    for part in PARTS:
        st.session_state[_box(part)] = part in ("controls", "prose")
    st.session_state[_SIZE] = max(SIZES, key=float)


def _box(part: str) -> str:
    return f"teacher.hide.{part}"


def _too_large(problem: Mapping[str, str] | None) -> None:
    """Where a link cannot carry the problem, the file that can."""
    if problem is not None:
        return
    st.warning(
        "This problem is too large for a link. Send it as a file beside the link, to be loaded on "
        "the page under “File”; the link carries everything else."
    )
    st.download_button(
        "Save the problem as JSON",
        to_json(problem_state.current()),
        "problem.json",
        "application/json",
        on_click="ignore",
        key="teacher.json",
    )


def link(url: str | None, page: str, query: Mapping[str, str]) -> str:
    """The address of a page with these values.

    Args:
        url: The address of any view of this page, as the browser has it; None if it is unknown.
        page: The page's part of it; "" if the app has one page only.
        query: Values by key, not yet encoded.

    Example:
        >>> link("https://a.org/crf/viterbi", "viterbi", {"ex": "old-man", "hide": "terms~prose"})
        'https://a.org/crf/viterbi?ex=old-man&hide=terms~prose'
        >>> link(None, "viterbi", {})
        '/viterbi'
    """
    base = (url or "").rstrip("/").removesuffix(f"/{page}")
    encoded = urlencode(query, quote_via=quote, safe="~*")
    return f"{base}/{page}{'?' if encoded else ''}{encoded}"
