"""The menu, the head of each page, and the way from each page to the next."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st
from markupsafe import Markup

from crf.figures.languages import LANGUAGES, language
from pages.shared import contents
from pages.shared.contents import COURSE, STORY, TEACHING, Entry
from pages.shared.ui import frame
from pages.shared.ui.frame import note
from pages.shared.ui.server_path import root
from pages.shared.ui.stage.view import kept_from, opening
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_PAGES = SessionValue[dict]("menu.pages", {})  # of this run, by their addresses
_STAGE_STYLE = """
:root { --crf-header: none; --crf-menu: 0rem; --crf-more: 88px; --crf-stage-height: 100dvh; }
:has(> .st-key-page) { padding: 0; }
.st-key-page.st-key-page.st-key-page { gap: 0; }
:is(.st-key-more, .st-key-way-on, .crf-footer) { padding-inline: clamp(1rem, 40px, 4vw); }
.st-key-page > :has(> details) { padding-inline: clamp(1rem, 40px, 4vw); }
"""
_COURSE = Markup(
    '<nav class="crf-course"><details><summary>{}</summary><div><p>{}</p><ol>{}</ol></div>'
    "</details></nav>"
)
_LANGUAGE = Markup(
    '<a href="?lang={0}" target="_self" lang="{0}" hreflang="{0}" data-keeps="*"{2}>{1}</a>'
)
_LESSON = Markup('<li><a href="{}" target="_self" data-keeps="{}">{}</a> <span>{}</span></li>')
_SECTIONS = list(dict.fromkeys(entry.section for entry in (*COURSE, *TEACHING)))


def navigation(draw: Callable[[Entry], None]) -> "StreamlitPage":
    """The menu on top, with every page's address; the page that the address asks for.

    Args:
        draw: Draws a page of the course.
    """
    sections: dict[str, list[StreamlitPage]] = {}
    pages: dict[str, StreamlitPage] = {}
    for entry in (*COURSE, *TEACHING):
        is_first = entry is COURSE[0]
        address = "front" if is_first else entry.address  # not its own: it is "/"
        page = st.Page(partial(draw, entry), title=entry.title, url_path=address, default=is_first)
        sections.setdefault(entry.part, []).append(page)
        pages[entry.address] = page
    for address, entry in (contents.ALIASES | {STORY.address: STORY}).items():
        page = st.Page(
            partial(draw, entry), title=entry.title, url_path=address, visibility="hidden"
        )
        sections[""].append(page)
        pages.setdefault(address, page)
    _PAGES.set(pages)
    return st.navigation(sections, position="top")


def section(address: str) -> int:
    """Which of the menu's sections a page stands in, from 1; 0: none."""
    return _SECTIONS.index(contents.entry(address).section)


def head(address: str) -> None:
    """The title of a page, and the question that it answers; both need no heavy module."""
    entry = contents.entry(address)
    st.html(_course(entry))
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="title")
    row.title(entry.title, anchor=False, width="content")
    row.markdown(entry.question, width="content")


def stage_head(address: str) -> None:
    """The head of a page whose picture fills the window: a hidden title, and the course menu."""
    st.html(_course(contents.entry(address)))
    frame.style(_STAGE_STYLE)
    with st.container(key="hidden-title"):
        st.title(contents.entry(address).title, anchor=False)


def _course(here: contents.Entry) -> Markup:
    """All languages and lessons, as a list that opens; scripts/history/links.js keeps the state."""
    current = Markup(' aria-current="true"')
    languages = Markup(" · ").join(
        _LANGUAGE.format(key, name, current if key == language() else "")
        for key, name in LANGUAGES.items()
    )
    lessons = Markup("").join(
        _LESSON.format(
            root() + ("" if entry is contents.FIRST else entry.address),
            kept_from(here.folder, entry.folder),
            entry.title,
            entry.question,
        )
        for entry in COURSE
    )
    return _COURSE.format(say("stage.course"), languages, lessons)


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
            a = Markup('<p class="crf-prose"><a href="{}read#{}">{}</a></p>')
            st.html(a.format(root(), section, say("menu.read")), width="content")
        if after:
            with st.container(width="content", gap=None):
                note(after.question)
                link(after.address, say("menu.next", title=after.title), opening(after))
