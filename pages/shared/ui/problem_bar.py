"""The bar on top of each lesson: which problem is on screen, how to get another, and the way back.

    Problem: The old man the boat ▾    Edit scores    ↶

Whatever gets another problem on screen is behind the first button.
"""

import streamlit as st

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import MAX_NAME, Problem
from pages.shared.course.problem_files import from_json, to_json
from pages.shared.figures import theme
from pages.shared.figures.text import prose
from pages.shared.ui import menu, problem_state, sentence_scores, taggers
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.own_tagger import your_own
from pages.shared.ui.score_editor import score_editor
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View
from pages.shared.ui.words import say

_EXAMPLE = SessionValue[str | None]("bar.example", None, kind=str)
_NO_EXAMPLE = SessionValue[str | None]("bar.no_example", None, kind=str)
_EDITING = SessionValue("bar.editing", False)
_OPEN = SessionValue("bar.open", False)  # whether the popover is
_WORDS, _TAGS = SessionValue("bar.words", ""), SessionValue("bar.tags", "")
_SENTENCE, _TAGGER = SessionValue("bar.sentence", ""), SessionValue("bar.tagger", "")
_KEEP, _NAME = SessionValue("bar.keep", sentence_scores.KEEP), SessionValue("bar.name", "")
_LONGEST = 42  # characters of the button


def show(view: View, *, editor: bool = True) -> None:
    """Draw the bar."""
    if "controls" in view.hide:
        return
    problem = problem_state.current()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="bar"):
        bar = st.popover(say("bar.problem", name=_name()), key=_OPEN.key, on_change="rerun")
        if bar.open:  # closed, it would be a quarter of what a lesson sends
            with bar:
                _another(problem, view)
        if editor:
            st.toggle(say("bar.edit"), key=_EDITING.key, persist_state="session")
        _undo()
    if problem_state.address() is None:
        note(say("bar.too-large", tags=len(problem.tags), tokens=len(problem.tokens)))


def is_edited(view: View) -> bool:
    """Whether its scores are on screen to be edited."""
    return _EDITING.value and "controls" not in view.hide


def edit(view: View) -> None:
    """The problem’s scores, while they are edited."""
    if is_edited(view):
        st.html('<span id="crf-scores"></span>')
        with st.container(border=True):
            score_editor(problem_state.current(), key="editor", on_change=problem_state.change)


def offer_to_edit(text: str, tagger: str, *, key: str) -> None:
    """A button that takes a sentence's scores to the trellis, where each can be changed."""
    if st.button(say("bar.edit-these"), key=key, icon=":material/edit:"):
        menu.go("scores", {"sentence": text, "tagger": tagger})


def offer(example: str, *, key: str, helps: str = "", primary: bool = False) -> None:
    """A button that puts a worked example on screen; nothing where it is there.

    `primary`: whether the lesson has little to show without it.
    """
    kind = "primary" if primary else "secondary"
    if problem_state.current() != EXAMPLES[example].problem:
        st.button(
            say("bar.use-example", title=EXAMPLES[example].title), key=key, help=helps or None,
            on_click=problem_state.use_example, args=(example,), type=kind,
        )  # fmt: skip


def _if_edited(name: str) -> str:
    return say("bar.edited", name=name) if problem_state.is_edited() else name


def _name() -> str:
    """What is on screen, short enough for a button."""
    origin = problem_state.origin()
    name = origin.name or (EXAMPLES[origin.example].title if origin.example else origin.label)
    return _if_edited(theme.markdown(theme.shorten(name, _LONGEST)))


def _another(problem: Problem, view: View) -> None:
    """What the problem shows, and every way to get another one."""
    _example_picker()
    _about(view)
    st.divider()
    _new()
    st.divider()
    _sentence()
    st.divider()
    origin = problem_state.origin()
    _NAME.set(origin.name)
    st.text_input(
        say("bar.name"), key=_NAME.key, max_chars=MAX_NAME,
        on_change=lambda: problem_state.rename(_NAME.value),
    )  # fmt: skip
    with st.container(horizontal=True):
        st.button(
            say("bar.reset"), key="bar.reset", icon=":material/restart_alt:",
            on_click=problem_state.reset, disabled=not problem_state.is_edited(),
            help=say("bar.reset-help", label=theme.markdown(origin.label)),
        )  # fmt: skip
        st.download_button(
            say("bar.save"), lambda: to_json(problem), "problem.json", "application/json",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip

    def load(content: bytes, name: str) -> None:
        problem_state.use_other(from_json(content), say("problem.file", name=name))

    loader(say("bar.load"), say("bar.expected"), "bar.file", load)


def _example_picker() -> None:
    """The worked examples.

    Where none is on screen it is a field of its own: one that code sets to nothing goes on sending
    what it held (Streamlit 1.67).
    """
    here = problem_state.origin().example
    chosen = _EXAMPLE if here else _NO_EXAMPLE

    def use() -> None:
        _OPEN.set(False)
        problem_state.use_example(chosen.value or "")

    chosen.set(here)
    st.selectbox(
        say("bar.example"), list(EXAMPLES), format_func=lambda name: EXAMPLES[name].title,
        key=chosen.key, index=None, placeholder=say("bar.no-example"), on_change=use,
    )  # fmt: skip


def _new() -> None:
    """A problem of the reader's own, from its words and tags."""

    def begin() -> None:
        _OPEN.set(False)
        _EDITING.set(True)
        problem_state.use_new(_WORDS.value, _TAGS.value)

    with st.form("bar.new", border=False):
        st.html(prose(say("bar.new")))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(say("bar.words"), key=_WORDS.key, placeholder="she can fish")
            st.text_input(say("bar.tags"), key=_TAGS.key, placeholder="N V AUX")
            st.form_submit_button(say("bar.begin"), on_click=begin)


def _sentence() -> None:
    """A sentence of the reader's own, scored by a trained tagger."""
    entries = taggers.choices()
    came = problem_state.origin().query or {}
    if "sentence" in came and not _SENTENCE.value:  # the one on screen, to change it or its tags
        _SENTENCE.set(came["sentence"])
        if (name := came.get(taggers.TAGGER.address)) in entries:
            _TAGGER.set(name or "")

    def use() -> None:
        _OPEN.set(False)
        problem_state.use_tagger(_SENTENCE.value, _TAGGER.value, _KEEP.value)

    with st.form("bar.form", border=False):
        st.text_input(say("bar.sentence"), key=_SENTENCE.key, placeholder="She can fish.")
        with st.container(horizontal=True, gap="large"):
            st.selectbox(
                "Tagger", list(entries), key=_TAGGER.key, format_func=lambda key: entries[key].name
            )
            st.slider(
                say("bar.keep"), sentence_scores.FEWEST, 17, sentence_scores.KEEP, key=_KEEP.key,
                width=240, help=say("bar.keep-help"),
            )  # fmt: skip
        note(say("bar.fewer"))
        st.form_submit_button(say("bar.use"), on_click=use)
    with st.expander(say("bar.own"), key="bar.own", on_change="rerun") as own:
        if own.open:
            your_own("bar", _TAGGER)


def _undo() -> None:
    what, again = problem_state.undoable(), problem_state.redoable()
    helps = say("bar.undo-help", what=what) if what else say("bar.no-undo")
    st.button(
        say("bar.undo"), key="bar.undo", icon=":material/undo:", on_click=problem_state.undo,
        disabled=what is None, help=helps,
    )  # fmt: skip
    if again:
        st.button(
            say("bar.redo"), key="bar.redo", icon=":material/redo:", on_click=problem_state.redo,
            help=say("bar.redo-help", what=again),
        )  # fmt: skip


def _about(view: View) -> None:
    """What the problem shows, which may give the answer away, or where it came from."""
    origin = problem_state.origin()
    if not origin.example or problem_state.is_edited():
        note(say("bar.on-screen", label=_if_edited(origin.label)))
    else:
        note(say("bar.hidden") if "answers" in view.hide else EXAMPLES[origin.example].why)
