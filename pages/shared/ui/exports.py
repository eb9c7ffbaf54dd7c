"""Every table of a lesson as CSV, the equation and tables as LaTeX, the trace as JSON."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from crf.figures.trellis.narration import printable
from crf.figures.trellis.notation import EOS, LOG, ROOT, Notation
from crf.steps import Step, Trace
from crf.steps.conventions import convention_of
from pages.shared.course import latex
from pages.shared.course.problem import Problem
from pages.shared.course.problem_code import FLAVOURS, problem_code
from pages.shared.course.problem_files import CSV_TABLES, rows_to_csv, to_csv
from pages.shared.figures.tables import Rows
from pages.shared.ui import computed
from pages.shared.ui.frame import note
from pages.shared.ui.words import say

if TYPE_CHECKING:
    pass


class Table(NamedTuple):
    """A table that readers can save."""

    csv: Callable[[], str]  # makes the text of its CSV file
    latex: Callable[[], str] | None = None  # makes a tabular of it; None if there is none

    @classmethod
    def of(cls, rows: Callable[[], Rows]) -> "Table":
        """A table made of rows, the header first; numbers are written exactly."""
        return cls(lambda: rows_to_csv(rows()))


def show(
    tables: Mapping[str, Table],
    *,
    key: str,
    problem: Problem,
) -> None:
    """Draw a part to unfold; its content is made when it is open, and files on demand.

    `key`: of the widgets: the lesson's name, with which the files' names begin.
    """
    part = st.expander(
        say("export.title"), key=f"{key}·export", on_change="rerun", icon=":material/download:"
    )
    if not part.open:
        return
    with part:
        note(say("export.exact"))
        _a_table(dict(tables) | problem_tables(problem), key, key)
        code(problem, key)


def of_step(key: str, problem: Problem, trace: Trace, step: int, notation: Notation = LOG) -> None:
    """A step's equation as LaTeX, every table of its trace as CSV and LaTeX, the trace as JSON.

    LaTeX has the notation's numbers; files have log-scores, which are exact.
    """
    note(say("export.equation", n=step + 1))
    st.code(latex.step_equation(trace, step, notation.space), language="latex", wrap_lines=True)
    every = trace_tables(trace, step, notation) | problem_tables(problem, rooted=notation.rooted)
    stem = f"{key}-{trace.convention}-{trace.semiring}"
    _a_table(every, key, stem).download_button(
        say("export.json"),
        lambda: to_json(trace),
        f"{stem}-trace.json",
        "application/json",
        on_click="ignore",
        key=f"{key}·json",
    )


def code(problem: Problem, key: str) -> None:
    """The problem as code to copy, with what comes out of it as asserts."""
    if not computed.summary(problem).feasible:
        return
    note(say("export.code"))
    flavours = ["torch", "numpy", "pytorch-crf"][: 2 if problem.per_step else 3]
    flavour = st.segmented_control(
        say("export.copy"),
        flavours,
        default="torch",
        format_func=FLAVOURS.__getitem__,
        required=True,
        key=f"{key}·flavour",
    )
    path = [problem.tags.index(tag) for tag in computed.summary(problem).viterbi]
    text = problem_code(problem, flavour or "torch", path, answers=True)
    st.code(text, language="python", height=260)


def _a_table(every: Mapping[str, Table], key: str, stem: str) -> DeltaGenerator:
    """Offer a choice of tables to save; the returned row takes further buttons."""
    name = st.selectbox(say("export.table"), list(every), key=f"{key}·table", width=320)
    table, buttons = every[name], st.container(horizontal=True)
    buttons.download_button(
        say("export.csv"),
        table.csv,
        f"{stem}-{name.replace(' ', '-').lower()}.csv",
        "text/csv",
        on_click="ignore",
        key=f"{key}·csv",
    )
    if table.latex is not None:
        note(say("export.latex"))
        st.code(table.latex(), language="latex")
    return buttons


def to_json(trace: Trace) -> str:
    """A trace as the text of a JSON file; −∞ is "-inf"."""
    return json.dumps(trace.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)


def trace_tables(trace: Trace, step: int, notation: Notation = LOG) -> dict[str, Table]:
    """The trellis and the terms of one step."""
    return {
        say("export.trellis"): Table(
            lambda: rows_to_csv(trellis_rows(trace)),
            lambda: latex.trace_table(trace, notation.space),
        ),
        say("export.terms"): Table.of(lambda: term_rows(trace, trace.steps[step], notation)),
    }


def problem_tables(problem: Problem, *, rooted: bool = False) -> dict[str, Table]:
    """Emissions, transitions, start and end; `rooted`: and transitions with ROOT and EOS."""
    written, tables = latex.problem_tables(problem), {}
    for table in CSV_TABLES:
        stem = table.replace("_", " and ")
        parts = [text for name, text in written.items() if name.startswith(stem)]
        tables[say(f"tables.{table.replace('_', '-')}")] = Table(
            lambda table=table: to_csv(problem, table), lambda parts=parts: "\n\n".join(parts)
        )
    if rooted:
        tables[say("tables.folded", root=ROOT, eos=EOS)] = Table(
            lambda: rows_to_csv(_folded_rows(problem)), lambda: latex.folded_table(problem)
        )
    return tables


def _folded_rows(problem: Problem) -> Rows:
    """Transitions with a row ROOT and a column EOS; where each step has its own, the step first."""
    names = [ROOT, *problem.tags, EOS]
    steps = range(1, len(problem.tokens)) if problem.per_step else [1]
    rows = [[t, a, *row] for t in steps for a, row in zip(names, problem.folded(t), strict=True)]
    return [row[not problem.per_step :] for row in [["step", "from", *names], *rows]]


def trellis_rows(trace: Trace) -> Rows:
    """The cells of a trace, log-scores: a row for each tag, a column for each of the recursion."""
    words = [printable(token) for token in trace.tokens[convention_of(trace).tokens]]
    body = zip(trace.tags, *trace.table, strict=True) if trace.table else [(t,) for t in trace.tags]
    return [["tag", *words], *(list(row) for row in body)]


def term_rows(trace: Trace, step: Step, notation: Notation = LOG) -> Rows:
    """The terms of a step: the log-scores of each term's parts, their sum, and the term's share."""
    start, end = (ROOT, EOS) if notation.rooted else ("START", "END")
    called = {"start": f"from {start}", "end": f"to {end}"} if notation.rooted else {}
    parts = step.terms[0].parts if step.terms else ()
    roles = [called.get(part.role, part.role) for part in parts]
    names = [*trace.tags, end if trace.algorithm == "backward" else start]
    body = [
        [names[term.source], *(part.value for part in term.parts), term.log_value, term.share]
        for term in step.terms
    ]
    other = "to" if trace.algorithm == "backward" else "from"
    return [[other, *roles, "sum", "share"], *body]
