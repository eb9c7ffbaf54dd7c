"""The bar on top of each lesson: which problem is on screen, and how to get another."""

from html import escape

import streamlit as st

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.course.problem_files import from_json, to_json
from pages.shared.ui import problem_state, sentence_scores
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.score_editor import score_editor
from pages.shared.ui.taggers import TAGGER_NAMES
from pages.shared.ui.view import View

_EXAMPLE, _EDITING = "bar.example", "bar.editing"
_TYPING = "bar.typing"  # whether the sentence’s popover is open
_SENTENCE, _TAGGER, _KEEP = "bar.sentence", "bar.tagger", "bar.keep"


def show(view: View) -> Problem:
    """Draw the bar and the open editor, and return the problem on screen."""
    problem = problem_state.current()
    if "controls" in view.hide:
        return problem
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="bar"):
        _example_picker()
        _sentence()
        editing = st.toggle("Edit scores", key=_EDITING, persist_state="session")
        _way_back()
        _files(problem)
        _about(view)
    if problem_state.address() is None:
        note(
            f"With {len(problem.tags)} tags and {len(problem.tokens)} tokens this problem is too "
            "large for a link. To keep or send it, save it as a file."
        )
    if editing:
        with st.container(border=True):
            score_editor(problem, key="editor", on_change=problem_state.change)
    return problem_state.current()


def _example_picker() -> None:
    origin = problem_state.origin()
    st.session_state[_EXAMPLE] = origin.example
    st.selectbox(
        "Worked example",
        list(EXAMPLES),
        format_func=lambda name: EXAMPLES[name].title,
        key=_EXAMPLE,
        index=None,
        placeholder="Not an example",
        on_change=lambda: problem_state.use_example(st.session_state[_EXAMPLE] or ""),
        label_visibility="collapsed",
    )


def _sentence() -> None:
    """A sentence of the reader's own, scored by a trained tagger."""
    with (
        st.popover("Type a sentence", key=_TYPING, on_change="rerun"),
        st.form("bar.form", border=False),
    ):
        st.text_input("Sentence", key=_SENTENCE, placeholder="She can fish.")
        with st.container(horizontal=True, gap="large"):
            st.radio(
                "Tagger",
                sentence_scores.TAGGERS,
                key=_TAGGER,
                format_func=TAGGER_NAMES.get,
                horizontal=True,
                width="content",
            )
            st.slider(
                "Tags to keep",
                sentence_scores.FEWEST,
                17,
                sentence_scores.KEEP,
                key=_KEEP,
                width=240,
                help="Those that the sentence most likely uses: fewer make the trellis easier to "
                "read, all keep the tagger’s probabilities.",
            )
        note("A trained tagger scores it. With fewer tags than all, log Z becomes smaller.")
        st.form_submit_button("Use these scores", on_click=_use_sentence)


def _use_sentence() -> None:
    state = st.session_state
    state[_TYPING] = False
    problem_state.use_tagger(state[_SENTENCE], state[_TAGGER], state[_KEEP])


def _way_back() -> None:
    what = problem_state.undoable()
    st.button(
        "Undo",
        key="bar.undo",
        icon=":material/undo:",
        on_click=problem_state.undo,
        disabled=what is None,
        help=f"Undo: take back {what}" if what else "Undo: there is no change to take back.",
    )
    st.button(
        "Reset",
        key="bar.reset",
        icon=":material/restart_alt:",
        on_click=problem_state.reset,
        disabled=not problem_state.is_edited(),
        help=f"Reset: back to {problem_state.origin().label}, as it came.",
    )


def _files(problem: Problem) -> None:
    with st.popover("File"):
        st.download_button(
            "Save the problem as JSON", to_json(problem), "problem.json", "application/json"
        )
        loader("Load one", "json", "bar.file", from_json, problem_state.use_file)


def _about(view: View) -> None:
    """What the problem shows, which may give the answer away, or where it came from."""
    origin = problem_state.origin()
    if origin.example and not problem_state.is_edited():
        if "answers" in view.hide:
            with st.popover("What it shows: hidden until asked for", type="tertiary"):
                note(EXAMPLES[origin.example].why)
        else:  # one line, unfolded by a click
            why = escape(EXAMPLES[origin.example].why)
            st.html(f'<details class="crf-note crf-why"><summary>{why}</summary></details>')
    else:
        edited = ", edited" if problem_state.is_edited() else ""
        line = escape(f"On screen: {origin.label}{edited}.")
        st.html(f'<p class="crf-note crf-origin" title="{line}">{line}</p>')  # in one line
