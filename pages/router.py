"""The router: every page in its frame, in the order of the course. app.py starts it."""

from importlib import import_module
from typing import Any

import streamlit as st

from pages.beats import LESSONS
from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course import start_options
from pages.shared.ui import client_values, frame, language, menu, preload, state, taggers
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import reader
from pages.shared.ui.stage.draw import LONGEST
from pages.shared.ui.words import say


def draw() -> None:
    """Draw the page that the address asks for, in its frame."""
    language.bind()  # before any text is read
    page = menu.navigation(draw_page)
    if goes := reader.GOES.take():
        menu.go(goes)
    entry = contents.entry(page.url_path)
    state.PAGE.set(page.url_path)
    st.set_page_config(f"{entry.title} · {say('site.title')}", frame.ICON, layout="wide")
    frame.open_app(ways(), follow, language.current())
    with st.container(key="page"):  # the style sheets go by it
        (menu.stage_head if entry.has_beats else menu.head)(page.url_path)
        preload.wait(front=entry is contents.FIRST)
        if start_options.given.room:
            from pages.teach.classroom import lead  # what nobody needs where there is no class

            lead.show()
        if entry.has_beats:
            draw_stage(entry)  # not within `page.run()`, where another page would take it down
        else:
            page.run()
            frame.sources(entry.name)
        menu.way_on(page.url_path)
        frame.close_app()


def draw_page(entry: Entry) -> None:
    """Draw a page of its own."""
    import_module(f"pages.{entry.folder}.page").show()


def draw_stage(entry: Entry) -> None:
    """Draw a lesson on the stage, with what its more.py has behind "⋯"."""
    more = import_module(f"pages.{entry.folder}.more")
    if hasattr(more, "prepare"):
        more.prepare()
    path, beats = root() + state.PAGE.value, LESSONS[entry.folder]
    reader.show(entry.folder, beats, more.SECTIONS, path=path, door=entry.beat, usual=usual(entry))


def usual(entry: Entry) -> dict[str, str]:
    """The state of a page whose address names none: the first shows a reader's own tagger."""
    chosen = taggers.TAGGER.value if entry is contents.FIRST else ""
    return {"tagger": chosen} if chosen.startswith(taggers.OWN) else {}


def ways() -> dict[str, dict[str, Any]]:
    """The pages by their paths; of a lesson's, what the stage asks /draw for."""
    return {path: _way(contents.entry(address)) for path, address in menu.paths().items()}


def _way(entry: Entry) -> dict[str, Any]:
    if not entry.has_beats:
        return {}
    beat = entry.beat or LESSONS[entry.folder][0].name
    return {"lesson": entry.folder, "beat": beat, "usual": usual(entry)}


def follow() -> None:
    """Go where a link leads, in the state that it names; the next run does so."""
    paths = menu.paths()
    way = client_values.record(path=client_values.one_of(paths), query=client_values.text(LONGEST))
    if told := client_values.genuine(frame.gone(), way):
        entry = contents.entry(paths[told["path"]])
        reader.arrive(entry.folder, entry.beat, told["query"])
        reader.GOES.set(paths[told["path"]])


if __name__ == "__main__":
    draw()
