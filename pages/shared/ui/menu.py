"""The pages, the head of each, and the way from each page to the next."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st
from markupsafe import Markup

from crf.figures.languages import language
from pages.shared import contents
from pages.shared.contents import COURSE, STORY, TEACHING, Entry
from pages.shared.ui import course, frame
from pages.shared.ui.frame import note
from pages.shared.ui.server_path import root
from pages.shared.ui.stage.view import opening
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_PAGES = SessionValue[dict]("menu.pages", {})  # of this run, by their addresses
_SKIP = Markup('<a class="crf-skip" href="#{0}" data-reach="{0}">{1}</a>')
_STAGE_STYLE = """
:root { --crf-more: 88px; --crf-stage-height: 100dvh; }
:has(> .st-key-page) { padding: 0; }
.st-key-page.st-key-page.st-key-page { gap: 0; }
:is(.st-key-more, .st-key-way-on, .crf-footer) { padding-inline: clamp(1rem, 40px, 4vw); }
.st-key-page > :has(> details) { padding-inline: clamp(1rem, 40px, 4vw); }
"""


def navigation(draw: Callable[[Entry], None]) -> "StreamlitPage":
    """Every page's address; the page that the address asks for.

    Args:
        draw: Draws a page of the course.
    """
    pages: dict[str, StreamlitPage] = {}
    for entry in (*COURSE, *TEACHING):
        is_first = entry is COURSE[0]
        address = "front" if is_first else entry.address  # not its own: it is "/"
        pages[entry.address] = _page(draw, entry, address, is_first)
    hidden = contents.ALIASES | {STORY.address: STORY}
    others = [_page(draw, entry, address) for address, entry in hidden.items()]
    _PAGES.set(dict(zip(hidden, others, strict=True)) | pages)
    return st.navigation([*pages.values(), *others], position="hidden")


def _page(
    draw: Callable[[Entry], None], entry: Entry, address: str, is_first: bool = False
) -> "StreamlitPage":
    return st.Page(partial(draw, entry), title=entry.title, url_path=address, default=is_first)


def head(address: str) -> None:
    """The bar of a page without a stage, its title, and the question that it answers."""
    entry = contents.entry(address)
    st.html(course.bar(entry))
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="title")
    row.title(entry.title, anchor=False, width="content")
    row.markdown(entry.question, width="content")


def stage_head(address: str) -> None:
    """The head of a page whose picture fills the window: a hidden title, and the course."""
    entry = contents.entry(address)
    parts = ("picture", "sentence" if entry is contents.FIRST else "question")
    skips = Markup("").join(_SKIP.format(part, say(f"skip.{part}")) for part in parts)
    st.html(skips + course.panel(entry))
    frame.style(_STAGE_STYLE)
    with st.container(key="hidden-title"):
        st.title(contents.entry(address).title, anchor=False)


def paths() -> dict[str, str]:
    """Where the pages are on the server, and their addresses."""
    return {root() + page.url_path: address for address, page in _PAGES.value.items()}


def link(address: str, label: str, query: Mapping[str, str] | None = None) -> None:
    """A link to a lesson of the course."""
    st.page_link(_PAGES.value[address], label=label, query_params=query)


def go(address: str, query: Mapping[str, str] | None = None) -> None:
    """Leave for a lesson of the course, with these values in its address.

    Without values the stage stays: Streamlit would first write them onto the path that is left.
    """
    st.switch_page(_PAGES.value[address], query_params=dict(query) if query else None)


def way_on(address: str) -> None:
    """At the foot of a page: the page before it, and the next page with its question."""
    before, after = contents.neighbours(contents.entry(address).folder)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="way-on"):
        if before:
            link(before.address, say("menu.before", title=before.title))
        if section := contents.ARTICLE.get(contents.entry(address).name):
            a = Markup('<p class="crf-prose"><a href="{}read?lang={}#{}">{}</a></p>')
            st.html(a.format(root(), language(), section, say("menu.read")), width="content")
        if after:
            with st.container(width="content", gap=None):
                note(after.question)
                link(after.address, say("menu.next", title=after.title), opening(after))
