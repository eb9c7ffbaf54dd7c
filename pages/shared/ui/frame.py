"""Parts of every page: the style sheet, messages, notes and the footer."""

from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.shared.contents import ROOT
from pages.shared.course import bibliography
from pages.shared.course.right_to_left import escape
from pages.shared.figures import theme
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.state import take_complaints
from pages.shared.ui.words import say

_LINK = '<a href="https://{}" target="_blank" rel="noopener noreferrer">{}</a>'
_SOURCES = {
    "treebank": _LINK.format(
        "universaldependencies.org/treebanks/en_ewt/", "Universal Dependencies English EWT"
    ),
    "licence": _LINK.format("creativecommons.org/licenses/by-sa/4.0/", "CC BY-SA 4.0"),
}
_ICON = ROOT / "assets" / "icon.png"  # a Material icon would be an external request
ICON = f"data:image/png;base64,{b64encode(_ICON.read_bytes()).decode()}"  # as a file, read each run
_HISTORY = component("history", "pages/shared/ui/scripts/history", triggers=("go",))
_PIECES: ContextVar[list[str] | None] = ContextVar("pieces", default=None)


def open_app(
    ways: Mapping[str, Any] | None = None,
    on_go: Callable[[], None] | None = None,
    language: str = "en",
) -> None:
    """Before the page: styles, also of what floats; one entry in the history; a clipboard.

    Args:
        ways: Paths of the app's pages, and what the stage draws there: a link to one of these
            loads no document.
        on_go: Called when the reader has followed such a link; `gone` is which one.
        language: Which one the page is in; the document says so to a screen reader.
    """
    style(_styles())
    data = {"ways": dict(ways or {}), "language": language}
    _HISTORY(key="history", data=data, on_go_change=on_go or (lambda: None))


def gone() -> object:
    """The link that the reader has followed: any JSON."""
    return client_values.state("history", "go")


@cache
def _styles() -> str:
    sheets = (ROOT / "assets" / name for name in ("styles.css", "streamlit.css"))
    return "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


def html(markup: str) -> None:
    """Draw HTML; within `passage`, add it to that element."""
    pieces = _PIECES.get()
    if pieces is None:
        st.html(markup)
    else:
        pieces.append(f"<div>{markup}</div>")


@contextmanager
def passage() -> Iterator[None]:
    """Collect all calls of `html` within the block into one element.

    An element costs a server and a browser some time at each run, and a class has many phones.
    """
    before = _PIECES.set([])
    try:
        yield
    finally:
        pieces = _PIECES.get()
        _PIECES.reset(before)
    if pieces:
        html(f'<div class="crf-passage">{"".join(pieces)}</div>')


def style(rules: str) -> None:
    """Apply style rules to the page.

    An empty mark keeps them in the page: Streamlit sends HTML that has only styles to its event
    container, where the next toast of a fragment takes their place.
    """
    st.html(f'<style>{rules}</style><i class="crf-style"></i>')


def show_complaints() -> None:
    """Say what was wrong with the last input, or with the address."""
    for message in take_complaints():
        st.warning(theme.markdown(message))


def note(text: str) -> None:
    """A small remark, as plain text."""
    st.html(f'<p class="crf-note">{escape(text)}</p>')


def sources(name: str) -> None:
    """Show the sources of a page, if it has some."""
    item = Markup("<li>{}: <cite>{}</cite>. {}.</li>").format
    listed = bibliography.of_lesson(name)
    items = Markup("").join(item(one.authors, one.title, one.where) for one in listed)
    if items:
        st.html(Markup('<ul class="crf-prose" data-sources="{}">{}</ul>').format(name, items))


def close_app() -> None:
    """After the page: where the data come from."""
    st.html(f'<footer class="crf-footer">{say("footer.all", **_SOURCES)}</footer>')
