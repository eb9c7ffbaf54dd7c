"""Whose scores?: a sentence and the tagger that reads it, a worked example, or a file.

One chooser in every lesson; what is chosen stays through the course.
"""

from collections.abc import Callable

import streamlit as st

from pages.shared.course import problem_links
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import ProblemError
from pages.shared.course.state import State, changed
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import taggers
from pages.shared.ui.files import loader
from pages.shared.ui.own_tagger import ADDED, your_own
from pages.shared.ui.stage import reader, score_section
from pages.shared.ui.state import complain
from pages.shared.ui.words import say

_TAGGER = taggers.TaggerChoice("whose.tagger", "bilstm")
_BLANK = ("ex", "sentence", "tagger", "spaces", "edit", "fix", "path", "bet", "step")


def show(lesson: str, state: State, *, trains: bool = True) -> None:
    """Draw the chooser.

    Args:
        lesson: Its folder.
        state: The one on screen.
        trains: Whether there is a way to where a tagger is trained.
    """
    tagger(lesson, state, trains=trains)
    left, right = st.columns([3, 2], gap="large")
    with left:
        examples(lesson)
    with right:
        _file(lesson, state)


def section(lesson: str) -> Callable[[State, Beat, LessonText], None]:
    """The chooser as an entry of a lesson's menu."""
    return lambda state, _beat, _text: show(lesson, state)


def tagger(lesson: str, state: State, *, trains: bool = True) -> None:
    """Draw the sentence, which tagger reads it, and a place for the reader's own tagger."""
    key = state.given.source
    usual = state.base.sentence or " ".join(state.problem.tokens)

    def read(sentence: str, tagger: str, **parts: str) -> None:
        taggers.TAGGER.set(tagger)
        order = {"ex": "", "sentence": sentence, "tagger": tagger, "fix": "", "edit": ""}
        reader.order(lesson, **order, **parts)

    def choose() -> None:
        read(usual, _TAGGER.value)

    def split() -> None:
        read(usual, _TAGGER.value, spaces="1" if taggers.SPACES.value else "0")

    with st.container(horizontal=True, vertical_alignment="bottom"):
        if key in taggers.choices():
            _TAGGER.set(key)
        _TAGGER.widget(say("whose.tagger"), on_change=choose, width=320)
        taggers.SPACES.widget(say("whose.spaces"), on_change=split)
        with st.popover(say("whose.own"), icon=":material/upload:"):
            your_own(f"{lesson}.own", trains=trains)
    if added := ADDED.take():
        read(usual, added)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.text_input(say("whose.sentence"), usual, max_chars=400, width=560)
        if st.button(say("whose.read"), disabled=not typed.strip()):
            read(typed, _TAGGER.value)
            st.rerun()


def examples(lesson: str) -> None:
    """Every worked example: a button that opens it here, and what it shows."""
    for name, example in EXAMPLES.items():
        st.button(
            example.title,
            key=f"{lesson}.example.{name}",
            on_click=reader.order,
            args=(lesson,),
            kwargs=example_parts(name),
        )
        st.text(example.why)


def example_parts(name: str) -> dict[str, str]:
    """The parts of a state that an example changes."""
    return dict.fromkeys((*_BLANK, *problem_links.KEYS), "") | {"ex": name}


def _file(lesson: str, state: State) -> None:
    """A problem or a table in a file."""

    def load(content: bytes, _name: str) -> None:
        problem = score_section.read(state.problem, content.decode("utf-8", "replace"))
        try:
            reader.order(lesson, **changed(state, problem))
        except ProblemError as error:
            complain(f"{error}.")

    loader(say("bar.load"), say("bar.expected"), f"{lesson}.whose", load)
