"""Fill the column: the learner computes a column, the page checks it and says what went wrong.

What was typed and said is kept in the session for each column, until the problem or a switch
changes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from crf.figures.trellis.notation import NOTATIONS, symbol_of
from crf.figures.words import join
from crf.steps import Trace
from pages.shared.course import diagnosis
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.diagnosis import Diagnosis, diagnose
from pages.shared.course.problem import Problem
from pages.shared.figures import column as columns
from pages.shared.figures import path_score, theme
from pages.shared.figures.text import prose
from pages.shared.ui import answers, ask_class, presenter_view
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View
from pages.shared.ui.words import say

TRIES = 2  # wrong ones, before there is help


@dataclass
class _Attempt:
    """What was typed into a column, what was said of it, and how often it was not right."""

    answers: list[str]
    verdicts: list[Diagnosis]
    wrong: int


@dataclass
class _Work:
    """What a learner has done on one trace."""

    subject: tuple[Any, ...]  # what determines the trace and how it is written
    serial: int  # part of the widgets' keys, so that another subject starts with empty fields
    first: int  # the column to begin with
    column: int  # the column that is being filled
    attempts: dict[int, _Attempt] = field(default_factory=dict)  # by column
    waits: int | None = None  # the column before which the trellis was sent last


_WORK = SessionValue[_Work | None]("{}·work", None, kind=_Work)
Wait = Callable[[int], None]


def fill_column(
    problem: Problem, trace: Trace, space: str, *, key: str, view: View, wait: Wait | None = None
) -> None:
    """Let the learner compute a column of a recursion, in any convention and semiring.

    `view`: the page's; "answers" in what it hides leaves out the help, and the other columns,
    which would give this one's answers.
    `wait`: sends the trellis on the page to a step: before a column is worked out it waits
    there, so that it does not show the answers. None: there is no trellis.
    """
    with st.container(key=f"fill-{key}"):  # it gives way while the class is asked
        st.header(say("fill.title"), anchor=False)
        if trace.num_columns:
            _fill(problem, trace, space, key, view, wait)
        else:
            note(say("fill.no-column"))


@st.fragment
def _fill(
    problem: Problem, trace: Trace, space: str, key: str, view: View, wait: Wait | None
) -> None:
    helps = "answers" not in view.hide
    work = _work(problem, trace, space, key)
    column = _choose(work, trace, key) if helps else work.first
    if wait and column not in work.attempts and column != work.waits:
        work.waits = column
        wait(max(trace.steps.index(columns.cells(trace, column)[0]) - 1, 0))
        st.rerun()
    if space == "probability" and not columns.fits_floats(trace, column):
        note(say("fill.too-large"))
        space = "log"
    asked = _Column(problem, trace, column, space, key)
    tables = columns.given(trace, column, space)
    st.html(prose(f"{asked.words()} {say('fill.work') if tables else ''}"))
    if tables:
        st.html(path_score.given_tables(tables, say("fill.given")))
    else:
        note(say("fill.nothing"))
    with st.container(key=f"works-{key}"):  # before a class beside the numbers
        tolerance = diagnosis.TOLERANCE
        within = f"{tolerance:g} nats" if space == "log" else f"{100 * tolerance:g} %"
        note(join(say("fill.waits") if wait else "", say("fill.write", within=within)))
        if presenter_view.answers(view, f"{key}·{work.serial}·{column}"):  # in place of the fields
            answer = columns.answer(trace, column, space)
            st.html(path_score.given_tables([answer], say("question.answer")))
            return
        ask_class.button(asked.ballot, key=key)
        _answer(asked, work, view)


def _answer(asked: "_Column", work: _Work, view: View) -> None:
    """The fields, and what is said of the numbers in them."""
    helps, column = "answers" not in view.hide, asked.column
    attempt = work.attempts.get(column)
    with st.form(f"{asked.key}·form·{work.serial}·{column}", border=False):
        typed, marks = asked.fields(work.serial, attempt)
        if st.form_submit_button(say("question.check")):
            verdicts = asked.diagnose(typed)
            is_try = not verdicts[-1].right and any(text.strip() for text in typed)
            wrong = (attempt.wrong if attempt else 0) + is_try
            attempt = work.attempts[column] = _Attempt(typed, verdicts, wrong)
        for place, mark in enumerate(marks):
            mark.html(answers.mark(attempt.verdicts if attempt else None, place))
    missing = TRIES
    if attempt:
        right, missing = attempt.verdicts[-1].right, TRIES - attempt.wrong
        answers.show(right, attempt.verdicts[-1].message)
        if right:
            return
        if helps and missing <= 0:
            asked.show_help()
    if helps and missing > 0 and not view.screen:
        note(say("fill.one-more" if attempt and missing == 1 else "fill.tries", n=missing))


def _work(problem: Problem, trace: Trace, space: str, key: str) -> _Work:
    """The session's work on this subject; nothing done yet, if it is a new one."""
    subject = (problem, trace.algorithm, trace.convention, trace.semiring, space)
    work = _WORK.at(key).value
    if work is None or work.subject != subject:
        first = diagnosis.telling_column(problem, trace, columns.columns(trace))
        work = _Work(subject, work.serial + 1 if work else 0, first, first)
        _WORK.at(key).set(work)
    return work


def _choose(work: _Work, trace: Trace, key: str) -> int:
    """Draw the choice of the column, and return it."""
    chosen = st.segmented_control(
        say("fill.column"), columns.columns(trace), default=work.column, required=True,
        format_func=lambda column: theme.markdown(columns.token_of(trace, column)),
        key=f"{key}·column·{work.serial}",
    )  # fmt: skip
    work.column = work.column if chosen is None else chosen
    return work.column


@dataclass(frozen=True)
class _Column:
    """The column that is asked for, and how its numbers are written."""

    problem: Problem
    trace: Trace
    column: int
    space: str
    key: str  # of the widgets

    @property
    def rows(self) -> list[int]:
        """The tags that are asked for."""
        return columns.asked(self.trace, self.column)

    @property
    def symbol(self) -> str:
        return symbol_of(self.trace, NOTATIONS[self.space])

    @property
    def token(self) -> str:
        return columns.token_of(self.trace, self.column)

    def words(self) -> str:
        n, of = len(self.rows), len(self.trace.tags)
        facts = {"symbol": self.symbol, "token": self.token}
        return say("fill.ask-some", n=n, of=of, **facts) if n < of else say("fill.ask-all", **facts)

    def diagnose(self, typed: list[str]) -> list[Diagnosis]:
        return diagnose(self.problem, self.trace, self.column, typed, self.space, self.rows)

    def ballot(self) -> Ballot:
        """The same question, for a class."""
        trace = self.trace
        return Ballot.of_column(
            self.words(), [trace.tags[row] for row in self.rows], self.key, self.problem,
            algorithm=trace.algorithm, convention=trace.convention, semiring=trace.semiring,
            space=self.space, column=self.column, rows=tuple(self.rows),
        )  # fmt: skip

    def fields(self, serial: int, attempt: _Attempt | None) -> tuple[list[str], list[Any]]:
        """A field for each of these tags, and under it a place for the mark."""
        token, typed, marks = theme.markdown(theme.shorten(self.token, 10)), [], []
        with st.container(horizontal=True, gap="small"):
            for place, row in enumerate(self.rows):
                with st.container(width=170, gap=None):
                    field = st.text_input(
                        f"{self.symbol}({token}, {theme.markdown(self.trace.tags[row])})",
                        attempt.answers[place] if attempt else "",
                        key=f"{self.key}·{serial}·{self.column}·{row}",
                        max_chars=60, autocomplete="off", persist_state="session",
                    )  # fmt: skip
                    typed.append(field)
                    marks.append(st.empty())
        return typed, marks

    def show_help(self) -> None:
        """The terms of a cell, and the answer."""
        tags = self.trace.tags
        with st.expander(say("fill.terms")):
            row = st.selectbox(
                say("fill.cell"), range(len(tags)), format_func=tags.__getitem__,
                key=f"{self.key}·cell·{self.column}", width=200,
            )  # fmt: skip
            table, todo = columns.terms(self.trace, self.column, row, self.space)
            st.html(path_score.exercise_tables([table]))
            note(todo)
        with st.expander(say("fill.answer")):
            answer = columns.answer(self.trace, self.column, self.space)
            st.html(path_score.exercise_tables([answer]))
