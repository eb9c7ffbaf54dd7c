"""Fill the column: the learner computes a column, the page checks it and says what went wrong.

What was typed and said is kept in the session for each column, until the problem or a switch
changes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from crf.figures.trellis.notation import NOTATIONS, symbol_of
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


def fill_column(
    problem: Problem,
    trace: Trace,
    space: str,
    *,
    key: str,
    view: View,
    wait: Callable[[int], None] | None = None,
) -> None:
    """Let the learner compute a column of a recursion.

    Args:
        problem: The problem on screen.
        trace: A forward, backward or Viterbi trace of it, in any convention and semiring.
        space: "log", or "probability" for potentials.
        key: Of the widgets.
        view: The page's; "answers" in what it hides leaves out the help, and the other columns,
            which would give this one's answers.
        wait: Sends the trellis on the page to a step: before a column is worked out it waits
            there, so that it does not show the answers. None: there is no trellis.
    """
    with st.container(key=f"fill-{key}"):  # it gives way while the class is asked
        st.header("Fill the column", anchor=False)
        if not trace.num_columns:
            note("With one token this form has no column: nothing lies between it and the total.")
            return
        _fill(problem, trace, space, key, view, wait)


@st.fragment
def _fill(
    problem: Problem,
    trace: Trace,
    space: str,
    key: str,
    view: View,
    wait: Callable[[int], None] | None,
) -> None:
    helps = "answers" not in view.hide
    work = _work(problem, trace, space, key)
    if helps:
        chosen = st.segmented_control(
            "Column",
            columns.columns(trace),
            default=work.column,
            format_func=lambda column: theme.markdown(columns.token_of(trace, column)),
            required=True,
            key=f"{key}·column·{work.serial}",
        )
        work.column = work.column if chosen is None else chosen
    column = work.column if helps else work.first
    if wait and column not in work.attempts and column != work.waits:
        work.waits = column
        wait(max(trace.steps.index(columns.cells(trace, column)[0]) - 1, 0))
        st.rerun()
    if space == "probability" and not columns.fits_floats(trace, column):
        note("Some of these potentials are beyond what a number can hold, so they stay log-scores.")
        space = "log"
    rows = columns.asked(trace, column)
    _question(trace, column, space, len(rows), waits=wait is not None)
    ask_class.button(lambda: _ballot(problem, trace, column, space, rows, key), key=key)
    slot = f"{key}·{work.serial}·{column}"
    if presenter_view.answers(view, slot):  # in the place of the fields, as large
        st.html(path_score.given_tables([columns.answer(trace, column, space)], "The answer"))
        return
    attempt = work.attempts.get(column)
    with st.form(f"{key}·form·{work.serial}·{column}", border=False):
        typed, marks = _fields(trace, column, rows, space, f"{key}·{work.serial}", attempt)
        if st.form_submit_button("Check"):
            attempt = work.attempts[column] = _checked(
                attempt, typed, diagnose(problem, trace, column, typed, space, rows)
            )
        for place, mark in enumerate(marks):
            mark.html(answers.mark(attempt.verdicts if attempt else None, place))
    if attempt:
        _say(attempt, trace, column, space, key, helps)
    if view.screen:
        return
    missing = TRIES - (attempt.wrong if attempt else 0)
    if helps and missing > 0 and not (attempt and attempt.verdicts[-1].right):
        tries = "one more try" if attempt and missing == 1 else f"{missing} tries"
        note(f"After {tries} the terms of a cell and the answer can be shown here.")


def _work(problem: Problem, trace: Trace, space: str, key: str) -> _Work:
    """The session's work on this subject; nothing done yet, if it is a new one."""
    subject = (problem, trace.algorithm, trace.convention, trace.semiring, space)
    work = _WORK.at(key).value
    if work is None or work.subject != subject:
        serial = work.serial + 1 if work else 0
        first = diagnosis.telling_column(problem, trace, columns.columns(trace))
        work = _Work(subject, serial, first, first)
        _WORK.at(key).set(work)
    return work


def _question(trace: Trace, column: int, space: str, number: int, *, waits: bool) -> None:
    tables = columns.given(trace, column, space)
    within = (
        f"{diagnosis.TOLERANCE:g} nats" if space == "log" else f"{100 * diagnosis.TOLERANCE:g} %"
    )
    work = "Work it out from these numbers, then check."
    asked = _words(trace, column, space, number)
    st.html(prose(f"{asked} {work if tables else ''}"))
    if tables:
        st.html(path_score.given_tables(tables, "What is given"))
    else:
        note("No number goes into this column: what is a term that has no factor?")
    note(
        f"{'The trellis waits before this column. ' if waits else ''}Write decimals, fractions or "
        "logarithms: −1.5, 2/3, 3e-5, log 0.4; −inf for log 0. Within "
        f"{within} counts as right."
    )


def _words(trace: Trace, column: int, space: str, number: int) -> str:
    symbol, token = symbol_of(trace, NOTATIONS[space]), columns.token_of(trace, column)
    tags = "tag by tag"
    if number < len(trace.tags):
        tags = f"for these {number} of the {len(trace.tags)} tags, those with its largest emissions"
    return f"What is {symbol} of ‘{token}’, {tags}?"


def _ballot(
    problem: Problem, trace: Trace, column: int, space: str, rows: list[int], key: str
) -> Ballot:
    """The same question, for a class."""
    return Ballot.of_column(
        _words(trace, column, space, len(rows)),
        [trace.tags[row] for row in rows],
        key,
        problem,
        algorithm=trace.algorithm,
        convention=trace.convention,
        semiring=trace.semiring,
        space=space,
        column=column,
        rows=tuple(rows),
    )


def _fields(
    trace: Trace, column: int, rows: list[int], space: str, key: str, attempt: _Attempt | None
) -> tuple[list[str], list[Any]]:
    """A field for each of these tags, and under it a place for the mark."""
    symbol = symbol_of(trace, NOTATIONS[space])
    token = theme.markdown(theme.shorten(columns.token_of(trace, column), 10))
    answers, marks = [], []
    with st.container(horizontal=True, gap="small"):
        for place, row in enumerate(rows):
            with st.container(width=170, gap=None):
                answers.append(
                    st.text_input(
                        f"{symbol}({token}, {theme.markdown(trace.tags[row])})",
                        value=attempt.answers[place] if attempt else "",
                        key=f"{key}·{column}·{row}",
                        max_chars=60,
                        autocomplete="off",
                        persist_state="session",
                    )
                )
                marks.append(st.empty())
    return answers, marks


def _checked(before: _Attempt | None, answers: list[str], verdicts: list[Diagnosis]) -> _Attempt:
    wrong = before.wrong if before else 0
    if not verdicts[-1].right and any(answer.strip() for answer in answers):
        wrong += 1
    return _Attempt(answers, verdicts, wrong)


def _say(attempt: _Attempt, trace: Trace, column: int, space: str, key: str, helps: bool) -> None:
    """The verdict on the column; after some tries what helps, and the answer."""
    whole = attempt.verdicts[-1]
    if whole.right:
        st.success(whole.message, icon=":material/check:")
        return
    st.error(theme.markdown(whole.message), icon=":material/close:")
    if not helps or attempt.wrong < TRIES:
        return
    with st.expander("Show the terms of one cell"):
        row = st.selectbox(
            "Cell",
            range(len(trace.tags)),
            format_func=lambda row: trace.tags[row],
            key=f"{key}·cell·{column}",
            width=200,
        )
        table, todo = columns.terms(trace, column, row, space)
        st.html(path_score.exercise_tables([table]))
        note(todo)
    with st.expander("Show the answer"):
        st.html(path_score.exercise_tables([columns.answer(trace, column, space)]))
