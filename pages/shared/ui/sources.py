"""At the end of a lesson: what it refers to."""

import streamlit as st
from markupsafe import Markup

from pages.shared.course import bibliography
from pages.shared.ui.words import say


def show(lesson: str) -> None:
    """List the sources of a lesson, if it has some, in a part to unfold."""
    sources = bibliography.of_lesson(lesson)
    if not sources:
        return
    item = Markup("<li>{}: <cite>{}</cite>. {}.</li>").format
    items = Markup("").join(item(source.authors, source.title, source.where) for source in sources)
    with st.expander(say("menu.sources"), icon=":material/menu_book:"):
        st.html(Markup('<ul class="crf-prose" data-sources="{}">{}</ul>').format(lesson, items))
