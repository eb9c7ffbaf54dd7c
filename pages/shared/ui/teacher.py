"""Teacher's view: a link that opens a lesson exactly as it is on screen, less what is to be hidden.

teacher.link_builder("forward", (step, len(trace.steps)), switches)
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from urllib.parse import quote, urlencode, urlsplit

import streamlit as st

from pages.shared import contents
from pages.shared.course.problem_files import to_json
from pages.shared.ui import frame, problem_state, state
from pages.shared.ui import view as views
from pages.shared.ui.frame import note, show_complaints
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import PARTS, SIZES, View
from pages.shared.ui.words import say

_HIDE, _GUESS = SessionValue("teacher.hide.{}", False), SessionValue("teacher.guess", False)
_SIZE = SessionValue("teacher.size", "1")


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
        at: The step where the reader is, from 0, and how many there are; None: the page has none.
        switches: What the page puts into its address beside problem and view.
        parts: What the page has that can be hidden.
        pictures: The names of its pictures; a stop of a lecture shows one.
    """
    _button(page, lambda: _build(page, at, switches, problem_state.address(), parts, pictures))


def of_address(page: str) -> None:
    """The same on a page whose address says everything but the view."""

    def build() -> None:
        query = {k: v for k, v in state.all_asked().items() if k not in views.KEYS}
        _build(page, None, query, {}, ("controls", "prose"), ())

    _button(page, build)


def _button(page: str, build: Callable[[], None]) -> None:
    title, icon = say("teacher.title"), ":material/link:"
    if st.button(title, icon=icon, key=f"teacher.{page}.open"):
        st.dialog(title, width="medium")(build)()


def _build(
    page: str,
    at: tuple[int, int] | None,
    switches: Mapping[str, str],
    problem: Mapping[str, str] | None,
    parts: Collection[str],
    pictures: Sequence[str],
) -> None:
    show_complaints()
    view = _view(page, at, parts)
    if problem is None:
        st.warning(say("teacher.too-large"))
        st.download_button(
            say("teacher.save"), to_json(problem_state.current()), "problem.json",
            "application/json", on_click="ignore", key="teacher.json",
        )  # fmt: skip
    query = dict(problem or {}) | dict(switches) | view.query()
    entry = contents.ALIASES.get(page, contents.entry(page))
    address = "" if entry is contents.FIRST else entry.address
    st.code(link(st.context.url, address, query), language=None, wrap_lines=True)
    say_who_can_open(st.context.url)
    if st.button(say("teacher.show"), key="teacher.show", help=say("teacher.show-help")):
        views.VIEW.set(view)
        frame.to_the_top()
        st.rerun()


def _view(page: str, at: tuple[int, int] | None, parts: Collection[str]) -> View:
    """What is to be hidden, how large it is, and where it starts."""
    shown = views.current()
    for part in PARTS:
        _HIDE.at(part).begin(lambda part=part: part in shown.hide)
    _SIZE.begin(lambda: shown.size)
    _GUESS.begin(lambda: shown.guess)
    is_open = at is None and views.OPEN.value == page  # so is its question behind the link

    def preset() -> None:
        for part in PARTS:
            _HIDE.at(part).set(part in views.ON_SCREEN)
        _SIZE.set(max(SIZES, key=float))
        _GUESS.set(_GUESS.value or is_open)

    note(say("teacher.courtesy"))
    st.button(
        say("teacher.preset"), key="teacher.preset", icon=":material/present_to_all:",
        on_click=preset, help=say("teacher.preset-help"),
    )  # fmt: skip
    st.markdown(f"**{say('teacher.hide')}**")
    with st.container(horizontal=True, gap="small"):
        hide = frozenset(
            part
            for part in PARTS
            if part in parts and st.checkbox(say(f"hide.{part}"), key=_HIDE.at(part).key, width=300)
        )
    _SIZE.set(_SIZE.value)  # sent with each run: the dialog may run again before it is drawn
    size = st.segmented_control(
        say("teacher.size"), list(SIZES), key=_SIZE.key, required=True,
        format_func=lambda size: say(f"teacher.{SIZES[size]}"),
    )  # fmt: skip
    first = None
    if at:
        here = say("teacher.step", n=at[0] + 1, of=at[1])
        if st.checkbox(here, True, key="teacher.step") and at[0] != views.BEGINNING.at(page).value:
            first = at[0]
    guess = st.checkbox(say(f"teacher.guess-{'step' if at else 'page'}"), key=_GUESS.key)
    if guess and hide >= {"values", "terms"}:
        st.warning(say("teacher.nothing-to-guess-from"))
    return View(first, hide, size or "1", guess)


def encoded(query: Mapping[str, str]) -> str:
    """Values by key as the query of an address.

    >>> encoded({"ex": "old-man", "hide": "terms~prose", "t": "a b"})
    'ex=old-man&hide=terms~prose&t=a%20b'
    """
    return urlencode(query, quote_via=quote, safe="~*")


def say_who_can_open(url: str | None) -> None:
    """Where a link leads to this computer alone, how others can follow it."""
    if urlsplit(url or "").hostname in ("localhost", "127.0.0.1", "::1"):
        note(say("teacher.own-computer"))


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
