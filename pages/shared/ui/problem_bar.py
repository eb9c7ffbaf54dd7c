"""The bar on top of each lesson: which problem is on screen, how to get another, and the way back.

    Problem: The old man the boat ▾    Edit scores    ↶

Whatever gets another problem on screen is behind the first button.
"""

from pathlib import Path

import streamlit as st

from pages.shared.course.direction import escape
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import MAX_NAME, MAX_TAGS, Problem
from pages.shared.course.problem_files import from_json, to_json
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
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
TEXT = LessonText.load(Path(__file__).with_suffix(".md"))
_WORDS, _TAGS, _NAME = (
    SessionValue("bar.words", ""),
    SessionValue("bar.tags", ""),
    SessionValue("bar.name", ""),
)
_SENTENCE, _TAGGER = SessionValue("bar.sentence", ""), SessionValue("bar.tagger", "")
_KEEP = SessionValue("bar.keep", sentence_scores.KEEP)
_LONGEST = 42  # characters of the button


def show(view: View, *, editor: bool = True) -> None:
    """Draw the bar.

    Args:
        view: What is hidden.
        editor: Whether its scores are edited by `edit`; False where the picture has them.
    """
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
        note(
            f"With {len(problem.tags)} tags and {len(problem.tokens)} tokens this problem is too "
            "large for a link. To keep or send it, save it as a file."
        )


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
    """A button that takes a sentence's scores to the lesson where each can be changed.

    Args:
        text: The sentence.
        tagger: Whose scores; of more tags than the tables hold, the likeliest are kept.
        key: Of the button.
    """

    def take() -> None:
        problem_state.use_tagger(text, tagger, MAX_TAGS)
        _EDITING.set(True)

    if st.button(say("bar.edit-these"), key=key, icon=":material/edit:", on_click=take):
        menu.go("scores")


def offer(example: str, *, key: str, helps: str = "", primary: bool = False) -> None:
    """A button that puts a worked example on screen; nothing where it is there.

    Args:
        example: Its name.
        key: Of the button.
        helps: What is to be seen there.
        primary: Whether the lesson has little to show without it.
    """
    if problem_state.current() != EXAMPLES[example].problem:
        st.button(
            f"Use the example “{EXAMPLES[example].title}”",
            on_click=problem_state.use_example,
            args=(example,),
            key=key,
            help=helps or None,
            type="primary" if primary else "secondary",
        )


def _name() -> str:
    """What is on screen, short enough for a button."""
    origin, edited = problem_state.origin(), problem_state.is_edited()
    name = origin.name or (EXAMPLES[origin.example].title if origin.example else origin.label)
    return theme.markdown(theme.shorten(name, _LONGEST)) + (", edited" if edited else "")


def _another(problem: Problem, view: View) -> None:
    """What the problem shows, and every way to get another one."""
    _example_picker()
    _about(view)
    st.divider()
    _new()
    st.divider()
    _sentence()
    st.divider()
    _NAME.set(problem_state.origin().name)
    st.text_input(
        TEXT.title("name"), key=_NAME.key, max_chars=MAX_NAME,
        on_change=lambda: problem_state.rename(_NAME.value),
    )  # fmt: skip
    with st.container(horizontal=True):
        origin = problem_state.origin()
        st.button(
            "Reset",
            key="bar.reset",
            icon=":material/restart_alt:",
            on_click=problem_state.reset,
            disabled=not problem_state.is_edited(),
            help=f"Back to {theme.markdown(origin.label)}, as it came.",
        )
        st.download_button(
            "Save as a file",
            to_json(problem),
            "problem.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
        )
    loader(
        "Load a saved problem",
        "Expected a problem as “Save as a file” writes it.", "bar.file",
        lambda content, name: problem_state.use_file(from_json(content), name),
    )  # fmt: skip


def _example_picker() -> None:
    """The worked examples.

    Where none is on screen it is a field of its own: one that code sets to nothing goes on sending
    what it held (Streamlit 1.67).
    """
    here = problem_state.origin().example
    chosen = _EXAMPLE if here else _NO_EXAMPLE
    chosen.set(here)
    st.selectbox(
        "Worked example",
        list(EXAMPLES),
        format_func=lambda name: EXAMPLES[name].title,
        key=chosen.key,
        index=None,
        placeholder="Not an example",
        on_change=lambda: _use_example(chosen.value),
    )


def _use_example(name: str | None) -> None:
    _OPEN.set(False)
    problem_state.use_example(name or "")


def _new() -> None:
    """A problem of the reader's own, from its words and tags."""
    with st.form("bar.new", border=False):
        st.html(TEXT.body("new"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input(TEXT.title("words"), key=_WORDS.key, placeholder="she can fish")
            st.text_input(TEXT.title("tags"), key=_TAGS.key, placeholder="N V AUX")
            st.form_submit_button(TEXT.title("begin"), on_click=_begin)


def _begin() -> None:
    _OPEN.set(False)
    _EDITING.set(True)
    problem_state.use_new(_WORDS.value, _TAGS.value)


def _sentence() -> None:
    """A sentence of the reader's own, scored by a trained tagger."""
    entries = taggers.choices()
    came = problem_state.origin().query or {}
    if "sentence" in came and not _SENTENCE.value:  # the one on screen, to change it or its tags
        _SENTENCE.set(came["sentence"])
        if (name := came.get(taggers.TAGGER.address)) in entries:
            _TAGGER.set(name or "")
    with st.form("bar.form", border=False):
        st.text_input("Or your own sentence", key=_SENTENCE.key, placeholder="She can fish.")
        with st.container(horizontal=True, gap="large"):
            st.selectbox(
                "Tagger", list(entries), key=_TAGGER.key, format_func=lambda key: entries[key].name
            )
            st.slider(
                "Tags to keep",
                sentence_scores.FEWEST,
                17,
                sentence_scores.KEEP,
                key=_KEEP.key,
                width=240,
                help="Those that the sentence most likely uses: fewer make the trellis easier to "
                "read, all keep the tagger’s probabilities.",
            )
        note("A trained tagger scores it. With fewer tags than all, log Z becomes smaller.")
        st.form_submit_button("Use these scores", on_click=_use_sentence)
    with st.expander("A tagger of your own", key="bar.own", on_change="rerun") as own:
        if own.open:
            your_own("bar", _use_own)


def _use_own(key: str) -> None:
    _TAGGER.set(key)
    if sentence := taggers.only_sentence(taggers.get(key)):
        _SENTENCE.set(sentence)


def _use_sentence() -> None:
    _OPEN.set(False)
    problem_state.use_tagger(_SENTENCE.value, _TAGGER.value, _KEEP.value)


def _undo() -> None:
    what = problem_state.undoable()
    st.button(
        "Undo",
        key="bar.undo",
        icon=":material/undo:",
        on_click=problem_state.undo,
        disabled=what is None,
        help=f"Undo: take back {what}" if what else "Undo: there is no change to take back.",
    )
    if again := problem_state.redoable():
        st.button(
            "Redo",
            key="bar.redo",
            icon=":material/redo:",
            on_click=problem_state.redo,
            help=f"Redo: once more {again}",
        )


def _about(view: View) -> None:
    """What the problem shows, which may give the answer away, or where it came from."""
    origin = problem_state.origin()
    if origin.example and not problem_state.is_edited():
        if "answers" in view.hide:
            note("What it shows is hidden, because it may give an answer away.")
        else:
            note(EXAMPLES[origin.example].why)
    else:
        edited = ", edited" if problem_state.is_edited() else ""
        st.html(f'<p class="crf-note">{escape(f"On screen: {origin.label}{edited}.")}</p>')
