"""Look closer: the menu behind "⋯", and the bench that an entry of it opens below the stage.

A lesson's more.py has one table: group → name of an entry → the function that draws its bench.

    SECTIONS: look.Sections = {"numbers": {"count": count}}    # def count(state, beat, text)

The lesson's text.md says what an entry is called and, after a colon, what one gets: a row of its
table `look`. What all lessons have is in words.md.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from pages.shared import contents
from pages.shared.course.right_to_left import escape
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import frame
from pages.shared.ui.component import component
from pages.shared.ui.stage import view as views
from pages.shared.ui.state import PAGE
from pages.shared.ui.words import say

Section = Callable[[State, Beat, LessonText], object]
Sections = Mapping[str, Mapping[str, Section]]
GROUPS = ("numbers", "why", "code", "keep")
MOST = 7  # entries of a group
_PRESENTING = component("presenting", "pages/shared/ui/scripts/presenting")
_COLON = re.compile(": |：")
_HEADING = '<div class="crf-bench"><h2>{}</h2> <p>{}</p></div>'


def sections(lesson: str, table: Sections) -> dict[str, dict[str, Section]]:
    """All entries of a lesson's menu by their groups: its own, and those of every lesson."""
    groups = {name: dict(table.get(name, {})) for name in GROUPS}
    groups["why"]["sources"] = _sources
    groups["keep"]["present"] = _present
    return {name: entries for name, entries in groups.items() if entries}


def menu(lesson: str, table: Sections) -> list[dict[str, Any]]:
    """The menu as data for the stage."""
    return [
        {
            "name": group,
            **_named(say(f"look.{group}")),
            "entries": [{"name": name, **_named(_line(lesson, name))} for name in entries],
        }
        for group, entries in sections(lesson, table).items()
    ]


def bench(
    lesson: str, table: Sections, name: str, state: State, beat: Beat, close: Callable[[], None]
) -> None:
    """Draw what an entry opens; nothing for a name that the menu does not have.

    Args:
        lesson: Its folder.
        table: The lesson's own entries.
        name: The entry.
        state: The one on screen.
        beat: The one on screen.
        close: Called when the reader closes the bench.
    """
    every = {key: draw for group in sections(lesson, table).values() for key, draw in group.items()}
    if name not in every:
        return
    with st.container(key=f"bench-{name}"):
        with st.container(horizontal=True, vertical_alignment="center", key="bench-head"):
            named = _named(_line(lesson, name))
            st.html(_HEADING.format(escape(named["label"]), escape(named["hint"])))
            icon = ":material/close:"
            st.button(
                say("look.close"), key="close-bench", icon=icon, type="tertiary", on_click=close
            )
        frame.show_complaints()
        every[name](state, beat, LessonText.of(lesson))


def _line(lesson: str, name: str) -> str:
    """What an entry is called, in the lesson's words or in those of all lessons."""
    text = LessonText.of(lesson)
    own = text.paragraphs.get("look")
    return text.line(f"look.{name}") if own and name in own.cases else say(f"look.{name}")


def _named(line: str) -> dict[str, str]:
    label, *hint = _COLON.split(line, maxsplit=1)
    return {"label": label, "hint": "".join(hint)}


def _sources(_state: State, _beat: Beat, _text: LessonText) -> None:
    frame.sources(contents.entry(PAGE.value).name)


def _present(_state: State, _beat: Beat, _text: LessonText) -> None:
    words = views.all_words()
    _PRESENTING(key="presenting", data={"words": words})
    st.caption(words["keys"])
