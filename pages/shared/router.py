"""The router: every page in its frame, in the order of the course. app.py starts it."""

import streamlit as st

from pages import beats
from pages.shared import contents
from pages.shared.course.start_options import given
from pages.shared.ui import frame, language, menu, preload, state
from pages.shared.ui.words import say


def draw() -> None:
    """Draw the page that the address asks for, in its frame."""
    language.bind()  # before any text is read
    page = menu.navigation()
    entry = contents.entry(page.url_path)
    state.PAGE.set(page.url_path)
    st.set_page_config(f"{entry.title} · {say('site.title')}", frame.ICON, layout="wide")
    frame.open_app(menu.section(page.url_path))
    with st.container(key="page"):  # the style sheets go by it
        is_stage = entry.folder in beats.LESSONS
        (menu.stage_head if is_stage else menu.head)(page.url_path)
        preload.wait(front=entry is contents.FIRST)
        if given().room:
            from pages.teach.classroom import lead  # what nobody needs where there is no class

            lead.show()
        page.run()
        frame.show_sources(entry.name)
        menu.way_on(page.url_path)
        frame.close_app()


draw()
