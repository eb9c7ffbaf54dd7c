"""The router: every page in its frame, in the order of the course. app.py starts it."""

from importlib import import_module

import streamlit as st

from pages.beats import LESSONS
from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course import start_options
from pages.shared.ui import frame, language, menu, preload, state, taggers
from pages.shared.ui.stage import reader
from pages.shared.ui.words import say


def draw() -> None:
    """Draw the page that the address asks for, in its frame."""
    language.bind()  # before any text is read
    page = menu.navigation(draw_page)
    entry = contents.entry(page.url_path)
    state.PAGE.set(page.url_path)
    st.set_page_config(f"{entry.title} · {say('site.title')}", frame.ICON, layout="wide")
    frame.open_app(menu.section(page.url_path))
    with st.container(key="page"):  # the style sheets go by it
        (menu.stage_head if entry.has_beats else menu.head)(page.url_path)
        preload.wait(front=entry is contents.FIRST)
        if start_options.given.room:
            from pages.teach.classroom import lead  # what nobody needs where there is no class

            lead.show()
        page.run()
        frame.show_sources(entry.name)
        menu.way_on(page.url_path)
        frame.close_app()


def draw_page(entry: Entry) -> None:
    """Draw a lesson on the stage, with what its more.py shows behind "⋯"; or a page of its own."""
    if not entry.has_beats:
        import_module(f"pages.{entry.folder}.page").show()
        return
    more = import_module(f"pages.{entry.folder}.more")
    if hasattr(more, "prepare"):
        more.prepare()
    chosen = taggers.TAGGER.value if entry is contents.FIRST else ""
    usual = {"tagger": chosen} if chosen.startswith(taggers.OWN) else {}
    beats = LESSONS[entry.folder]
    reader.show(entry.folder, beats, more.show, door=entry.beat, usual=usual)


if __name__ == "__main__":
    draw()
