"""Teacher's view: a link that opens a lesson exactly as it is on screen, less what is to be hidden.

teacher.link_builder("forward", (step, len(trace.steps)), switches)

The same can be added to the lecture that is being prepared (`pages.shared.ui.lectures`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from pages.shared import contents
from pages.shared.course import lecture as lecture_files
from pages.shared.course.lecture import Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.problem_files import to_json
from pages.shared.figures import theme
from pages.shared.ui import frame, lectures, problem_state, state
from pages.shared.ui import view as views
from pages.shared.ui.frame import note, show_complaints
from pages.shared.ui.state import SessionValue
from pages.shared.ui.stepper import go_to
from pages.shared.ui.view import FIRST_PICTURE, PARTS, SIZES, View

TITLE = "For teachers: a link to exactly this, or a stop in your lecture"
PRESET = "Projector: large, without text and controls"
_HIDE, _GUESS = SessionValue("teacher.hide.{}", False), SessionValue("teacher.guess", False)
_SIZE = SessionValue("teacher.size", "1")
_ADDED = SessionValue[tuple[bool, str] | None](
    "teacher.added", None, kind=tuple
)  # whether; in words
_STOP: dict[str, SessionValue[Any]] = {  # what is said of a new stop
    "title": SessionValue("teacher.title.{}", ""),
    "minutes": SessionValue("teacher.minutes.{}", 0.0),
    "note": SessionValue("teacher.note.{}", ""),
    "picture": SessionValue("teacher.picture.{}", FIRST_PICTURE),
}


def link_builder(
    page: str,
    at: tuple[int, int] | None,
    switches: Mapping[str, str],
    *,
    parts: Collection[str] = PARTS,
    pictures: Sequence[str] = (),
) -> None:
    """Draw a button that opens the builder; a dialog, so that nothing behind it moves on.

    Args:
        page: The page's part of the address: "forward".
        at: The step where the reader is, from 0, and how many there are; None in a lesson without
            steps.
        switches: What the page puts into its address beside problem and view.
        parts: What the page has that can be hidden.
        pictures: The names of its pictures; a stop of a lecture shows one.
    """
    if _opens(page):
        _dialog(page, at, switches, problem_state.address(), tuple(parts), tuple(pictures))


def of_address(page: str) -> None:
    """The same on a page whose address says everything but the view."""
    if _opens(page):
        query = {k: v for k, v in state.all_asked().items() if k not in views.KEYS}
        _dialog(page, None, query, {}, ("controls", "prose"), ())


def _opens(page: str) -> bool:
    return st.button(
        TITLE,
        icon=":material/link:",
        key=f"teacher.{page}.open",
        on_click=_begin,
    )


def _begin() -> None:
    _ADDED.reset()
    lectures.current()  # from now on the head keeps it in the browser


@st.dialog(TITLE, width="medium")
def _dialog(
    page: str,
    at: tuple[int, int] | None,
    switches: Mapping[str, str],
    problem: Mapping[str, str] | None,
    parts: tuple[str, ...],
    pictures: tuple[str, ...],
) -> None:
    show_complaints()
    view = _view(page, at, parts)
    _too_large(problem)
    query = dict(problem or {}) | dict(switches) | view.query()
    address = contents.ALIASES.get(page, contents.entry(page)).address
    address = "" if contents.entry(page) is contents.FIRST else address
    st.code(link(st.context.url, address, query), language=None, wrap_lines=True)
    say_who_can_open(st.context.url)
    if st.button("Show me", help="This session shows the lesson as the link does."):
        views.show(view)
        frame.to_the_top()
        if at:
            go_to(f"{page}.stepper", view.step or 0)
        st.rerun()
    _add("" if not address else page, query, pictures)


def _view(page: str, at: tuple[int, int] | None, parts: tuple[str, ...]) -> View:
    """What is to be hidden, how large it is, and where it starts."""
    shown = views.current()
    for part in PARTS:
        _HIDE.at(part).begin(lambda part=part: part in shown.hide)
    _SIZE.begin(lambda: shown.size)
    _GUESS.begin(lambda: shown.guess)
    note(
        "Whoever opens the link sees this problem, these switches, and not what is ticked here. "
        "That is a courtesy, not protection: each reader has a button that shows everything."
    )
    st.button(
        PRESET,
        icon=":material/present_to_all:",
        on_click=_preset,
        args=(at is None and views.OPEN.value == page,),
        help="Sets what follows: controls and text hidden, all else as large as can be.",
    )
    st.markdown("**Hide**")
    with st.container(horizontal=True, gap="small"):
        hide = frozenset(
            part
            for part, about in PARTS.items()
            if part in parts and st.checkbox(about, key=_HIDE.at(part).key, width=300)
        )
    sizes = list(SIZES)
    size = st.segmented_control(
        "Size", sizes, format_func=SIZES.__getitem__, required=True, key=_SIZE.key
    )
    first = None
    if at and st.checkbox(
        f"Start at the step on screen ({at[0] + 1} of {at[1]})", True, key="teacher.step"
    ):
        first = None if at[0] == views.BEGINNING.at(page).value else at[0]
    guess = st.checkbox(
        "Guess first: each cell is asked for before it is shown"
        if at
        else "Guess first: a question comes before the picture, where the page has one",
        key=_GUESS.key,
    )
    if guess and hide >= {"values", "terms"}:
        st.warning("With both the numbers and the terms hidden there is nothing to guess from.")
    return View(first, hide, size or sizes[0], guess)


def _add(page: str, query: Mapping[str, str], pictures: tuple[str, ...]) -> None:
    """Add what the link shows to the lecture that is being prepared."""
    st.markdown("**Add this to my lecture**")
    fresh = f"{page}.{len(lectures.current().stops)}"  # the next one has fields of its own
    fields = {name: field.at(fresh) for name, field in _STOP.items()}

    def keep() -> None:
        said = {name: field.value for name, field in fields.items()}
        chosen = {} if said["picture"] == FIRST_PICTURE else {"picture": said["picture"]}
        try:
            stop = Stop(
                page, encoded(dict(query) | chosen), said["title"].strip(), said["note"],
                said["minutes"],
            )  # fmt: skip
            _ADDED.set((True, lectures.add(stop)))
        except ProblemError as error:
            _ADDED.set((False, lectures.say("add.failed", why=f"{error}.")))

    with st.form("teacher.add", border=False):
        if len(pictures) > 1:
            st.selectbox("Picture", pictures, format_func=_picture_name, key=fields["picture"].key)
        with st.container(horizontal=True):
            st.text_input(
                "Title", contents.entry(page).title, max_chars=lecture_files.LONGEST_TITLE,
                key=fields["title"].key, width=380,
            )  # fmt: skip
            st.number_input(
                "Minutes", 0.0, lecture_files.MOST_MINUTES, 5.0, 1.0, format="%g",
                key=fields["minutes"].key, width=130,
            )  # fmt: skip
        st.text_input(
            "Note, for you alone", max_chars=lecture_files.LONGEST_NOTE, key=fields["note"].key
        )
        st.form_submit_button("Add", icon=":material/playlist_add:", on_click=keep)
    if added := _ADDED.value:
        went, message = added
        (st.success if went else st.warning)(theme.markdown(message))
    if lectures.current().stops:
        st.page_link(contents.entry("lecture").script, label="Open my lecture")


def _picture_name(name: str) -> str:
    return "the first" if name == FIRST_PICTURE else name.replace("-", " ")


def _preset(asks: bool) -> None:
    """Hide controls and text, in the size for the last row.

    Args:
        asks: Whether the page's question is still open: so it is behind the link.
    """
    for part in PARTS:
        _HIDE.at(part).set(part in ("controls", "prose"))
    _SIZE.set(max(SIZES, key=float))
    if asks:
        _GUESS.set(True)


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


def encoded(query: Mapping[str, str]) -> str:
    """Values by key as the query of an address.

    >>> encoded({"ex": "old-man", "hide": "terms~prose", "t": "a b"})
    'ex=old-man&hide=terms~prose&t=a%20b'
    """
    return urlencode(query, quote_via=quote, safe="~*")


def say_who_can_open(url: str | None) -> None:
    """Where a link leads to this computer alone, how others can follow it."""
    if urlsplit(url or "").hostname in ("localhost", "127.0.0.1", "::1"):
        note(
            "This address is that of your own computer: nobody else can open the link. Start with "
            "--server.address 0.0.0.0, and open it by this computer’s name in the network."
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
    return f"{base}/{page}{'?' if query else ''}{encoded(query)}"
