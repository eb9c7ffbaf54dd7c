"""Scores as tables behind "⋯": edited where they stand, filled, pasted, loaded, saved.

Whatever changes them is an order to the stage.
"""

import streamlit as st

from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_files import from_csv, from_json, to_json
from pages.shared.course.state import State, changed
from pages.shared.ui.controls import Text
from pages.shared.ui.files import loader
from pages.shared.ui.score_editor import score_editor
from pages.shared.ui.stage import reader
from pages.shared.ui.state import SessionValue, complain
from pages.shared.ui.words import say

_PASTED = Text("scores.pasted", "", longest=100_000)
_WORDS, _TAGS = SessionValue("scores.words", ""), SessionValue("scores.tags", "")


def show(lesson: str, state: State) -> None:
    """Draw the tables of scores for a lesson's state."""
    problem = state.problem

    def put(scores: Problem, _what: str = "") -> None:
        try:
            reader.order(lesson, **changed(state, scores))
        except ProblemError as error:
            complain(f"{error}.")

    def paste() -> None:
        try:
            put(read(problem, _PASTED.value))
        except ProblemError as error:
            complain(f"{error}.")

    def begin() -> None:
        try:
            put(Problem.blank(_TAGS.value.split(), _WORDS.value.split()))
        except ProblemError as error:
            complain(f"{error}.")

    score_editor(problem, key=f"{lesson}.scores", on_change=put)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(say("bar.words"), key=_WORDS.key, placeholder="she can fish", width=240)
        st.text_input(say("bar.tags"), key=_TAGS.key, placeholder="N V AUX", width=240)
        st.button(say("bar.begin"), key=f"{lesson}.begin", on_click=begin)
    _PASTED.widget(say("scores.paste"), shape="area", height=100, help=say("scores.paste-help"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.button(say("scores.use"), key=f"{lesson}.paste", on_click=paste)
        st.download_button(
            say("bar.save"),
            lambda: to_json(problem),
            "problem.json",
            "application/json",
            icon=":material/download:",
            on_click="ignore",
            key=f"{lesson}.json",
        )
    loader(
        say("bar.load"),
        say("bar.expected"),
        f"{lesson}.file",
        lambda content, _name: put(from_json(content)),
    )


def read(problem: Problem, text: str) -> Problem:
    """The scores of a text: a problem as JSON, or one of a problem's tables as CSV.

    Raises:
        ProblemError: It is neither; the message says what was expected.
    """
    if text.lstrip().startswith("{"):
        return from_json(text)
    corner = text.lstrip().partition(",")[0].strip()
    table = {"token": "emissions", "score": "start_end"}.get(corner, "transitions")
    return from_csv(problem, table, text)
