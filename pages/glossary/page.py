"""The terms of the course on one page, a sentence or two each; lessons explain them in place."""

from unicodedata import normalize

import streamlit as st
from markupsafe import Markup

from pages.shared.figures.beat_text import shown_at
from pages.shared.figures.text import LessonText
from pages.shared.ui.component import component
from pages.shared.ui.server_path import root

_ANCHOR = component("anchor", "pages/glossary/anchor")

# 校 is read jiào here, and 熵 is not among the characters that stand by their sounds
_SOUNDS = str.maketrans("校熵", "教商")


def _place(title: str) -> bytes:
    """Where a title stands: Ü beside U; gb18030 has most Chinese characters by their sounds."""
    return normalize("NFD", title.lower()).translate(_SOUNDS).encode("gb18030")


def _link(term: str) -> Markup:
    """The way to the beat that shows a term."""
    if not (place := shown_at(term)):
        return Markup("")
    href = f"{root()}{place.lesson.address}?beat={place.beat}"
    link = Markup('<p><a href="{}" target="_self" data-keeps="lang">{} →</a></p>')
    return link.format(href, place.title)


def show() -> None:
    """Draw all terms, in the order of the reader's language."""
    text = LessonText.of("glossary")
    terms = sorted(text.paragraphs.items(), key=lambda one: _place(one[1].title))
    entry = Markup('<div id="{}"><dt>{}</dt><dd>{}{}</dd></div>').format
    entries = Markup("").join(
        entry(name, one.title, text.body(name), _link(name)) for name, one in terms
    )
    st.html(Markup('<dl class="crf-glossary">{}</dl>').format(entries))
    _ANCHOR(key="glossary.anchor", data={})  # the address is left alone: it names the term
