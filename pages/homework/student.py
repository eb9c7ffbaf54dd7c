"""For the student: a sheet to answer, and the code to hand in."""

import time
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from pages.shared.course import homework
from pages.shared.course.exercises import Exercise
from pages.shared.course.homework import HandedIn, Sheet
from pages.shared.course.problem import ProblemError
from pages.shared.course.right_to_left import escape
from pages.shared.course.words import words_of
from pages.shared.figures import path_score, theme
from pages.shared.ui import answers, drafts, practice
from pages.shared.ui.class_key import class_key
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue

say = words_of(Path(__file__).parent)
_CODE = SessionValue[tuple]("homework.code", ())  # the code, and what it is of
_Typed = tuple[tuple[str, ...], ...]  # for each exercise


def show(query: Mapping[str, str]) -> None:
    """The sheet that the address asks for."""
    try:
        sheet, variant = homework.from_query(query), query.get("sheet", "")
        exercises = sheet.exercises(variant)
        token = homework.token_of(class_key(), query.get("class", ""))
    except ProblemError as error:
        st.warning(theme.markdown(say("student.closed", why=error)))
        return
    st.header(f"Sheet {variant}", anchor=False)
    note(say("student.about"))
    _keep(sheet, variant, query["class"], exercises)
    most = homework.LONGEST_NAME
    name = st.text_input("Your name", max_chars=most, key="homework.name", width=320)
    typed, unreadable = [], []
    for n, exercise in enumerate(exercises, start=1):
        question = exercise.question()
        with st.container(border=True):
            st.markdown(f"**{n}.** {theme.markdown(question.text)}")
            st.html(path_score.given_tables(question.tables, say("student.scores", n=n)))
            note(answers.how_to_write(exercise))
            answer, places = practice.fields(exercise, f"homework.{variant}.{n}")
            typed.append(tuple(answer))
            reasons = answers.unreadable(exercise, answer)  # why it is no number, below its field
            for place, why in zip(places, reasons, strict=False):
                place.html(f'<p class="crf-mark">{"⚠ " * bool(why)}{escape(why)}</p>')
            if any(reasons):
                unreadable.append(str(n))
    made = st.container()  # above the button: where one looks when it has been pressed
    pressed = st.button(say("student.make"), type="primary", key="homework.code.make")
    with made:
        if unreadable:
            st.warning(say("student.unreadable", which=", ".join(unreadable)))
            return
        if pressed:
            _make(sheet, variant, name, tuple(typed), token)
        _code(name, tuple(typed))


def _code(name: str, typed: _Typed) -> None:
    """The code, if there is one of what is typed now."""
    if not _CODE.value:
        return
    code, of = _CODE.value
    if of != (name, typed):
        st.info(say("student.changed"))
        return
    st.caption(say("student.code"))
    st.code(code, language=None, wrap_lines=True)


def _keep(sheet: Sheet, variant: str, name: str, exercises: tuple[Exercise, ...]) -> None:
    """What is typed stays in this browser, for this class and sheet."""
    fields: dict[str, tuple[str, ...] | None] = {"homework.name": None}
    for n, exercise in enumerate(exercises, start=1):
        tags = exercise.problem.tags if exercise.kind == "viterbi" else None
        for k in range(len(exercise.question().wanted)):
            fields[f"homework.{variant}.{n}·{k}"] = tags
    drafts.keep(f"crf.homework.{name}.{variant}.{'.'.join(sheet.query().values())}", fields)


def _make(sheet: Sheet, variant: str, name: str, typed: _Typed, token: str) -> None:
    _CODE.reset()
    try:
        work = HandedIn(sheet, variant, name.strip(), typed, int(time.time()))
    except ProblemError as error:
        st.warning(theme.markdown(say("student.no-code", why=error)))
        return
    empty = sum(not all(text.strip() for text in answer) for answer in typed)
    if empty:
        st.info(say("student.unfinished", k=empty, n=len(typed)))
    _CODE.set((homework.hand_in(token, work), (name, typed)))
