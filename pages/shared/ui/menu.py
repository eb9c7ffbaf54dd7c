"""The menu, the head of each page, and the way from each page to the next."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import streamlit as st
from markupsafe import Markup

from crf.figures.languages import LANGUAGES, language
from pages.shared import contents
from pages.shared.contents import COURSE, STORY, TEACHING
from pages.shared.ui import frame
from pages.shared.ui.frame import note
from pages.shared.ui.server_path import root
from pages.shared.ui.stage.view import kept_from
from pages.shared.ui.words import say

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

_Path: Any = type(Path())


class _Script(_Path):
    """A page's script that is known to exist, so that Streamlit need not look for it in each run.

    It looks at every folder above each, and each look gives the interpreter's lock away.
    """

    def __rtruediv__(self, folder: Path) -> Self:
        return self  # whatever the folder is that Streamlit looks from

    def resolve(self, strict: bool = False) -> Self:
        """Return this path unchanged."""
        return self

    def is_file(self) -> bool:
        """Return True without looking at the disk."""
        return True


@cache
def _script(entry: contents.Entry) -> _Script:
    return _Script(entry.script)


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


def navigation() -> "StreamlitPage":
    """The menu on top, with every page's address; the page that the address asks for."""
    sections: dict[str, list[StreamlitPage]] = {}
    for entry in (*COURSE, *TEACHING):
        is_first = entry is COURSE[0]
        address = "front" if is_first else entry.address  # not its own: it is "/"
        page = st.Page(_script(entry), title=entry.title, url_path=address, default=is_first)
        sections.setdefault(entry.part, []).append(page)
    others = {entry.address: entry for entry in (STORY,)}
    for address, entry in (contents.ALIASES | others).items():
        hidden = st.Page(_script(entry), title=entry.title, url_path=address, visibility="hidden")
        sections[""].append(hidden)
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
            kept_from(here.folder, entry.folder), entry.title, entry.question,
        )
        for entry in COURSE
    )  # fmt: skip
    return _COURSE.format(say("stage.course"), languages, lessons)


def link(address: str, label: str) -> None:
    """A link to a lesson of the course."""
    st.page_link(contents.entry(address).script, label=label)


def go(address: str, query: Mapping[str, str] | None = None) -> None:
    """Leave for a lesson of the course, with these values in its address."""
    st.switch_page(contents.entry(address).script, query_params=dict(query or {}))


def way_on(address: str) -> None:
    """At the foot of a page: the page before it, and the next page with its question."""
    before, after = contents.neighbours(address)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="way-on"):
        if before:
            st.page_link(before.script, label=say("menu.before", title=before.title))
        if after:
            with st.container(width="content", gap=None):
                note(after.question)
                st.page_link(after.script, label=say("menu.next", title=after.title))
