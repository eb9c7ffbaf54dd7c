"""One step of a growing chain in the lesson "Numerical stability", and the way to it in Forward."""

from collections.abc import Sequence

import streamlit as st

from pages.shared.course.direction import escape
from pages.shared.course.numbers import format_potential
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.figures import tables
from pages.shared.figures.text import Case, case, prose
from pages.shared.figures.theme import shorten
from pages.shared.ui import menu, options, problem_state, stepper
from pages.shared.ui import view as views
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue
from pages.shared.ui.view import View
from pages.stability import verdicts
from pages.stability.chains import FormatRun, repeated
from pages.stability.number_formats import DTYPES
from pages.stability.verdicts import said, unbroken
from pages.stability.worked import inside, lengthened

TOKEN = SessionValue[int | None]("stability.token", None, kind=int)  # from 1, as its field has it
TAG = SessionValue("stability.tag", "")
METHOD = Choice("stability.method", "probability", address="method", labels=verdicts.CHAINS)


def number_format(name: str) -> Choice:
    """A switch between the number formats, called by this name."""
    labels = {dtype: dtype for dtype in DTYPES}
    return Choice(f"stability.{name}", "float32", address=name, labels=labels)


FORMAT = number_format("format2")


def token() -> int:
    """The token that is looked into, from 0."""
    kept = TOKEN.value
    return (views.current().step or 0) if kept is None else kept - 1


def look_inside(view: View, problem: Problem, found: tuple[FormatRun, ...]) -> None:
    """One cell of one run, with what met in it."""
    st.subheader("Inside a step", anchor=False)
    most = len(found[0].values)
    run = find(found, METHOD.value, FORMAT.value)
    broke, first = run.broke, views.current().step
    TOKEN.set(min(max(1, TOKEN.begin(lambda: (first or (broke.token if broke else 1)) + 1)), most))
    if TAG.value not in problem.tags:
        TAG.set(problem.tags[broke.tag if broke else 0])
    if "controls" not in view.hide:
        run = _which(problem, found, most)
    t, s = token(), problem.tags.index(TAG.value)
    _cell(view, problem, run, find(found, *verdicts.REFERENCE).columns[t][s], (t, s))
    if "controls" not in view.hide:
        _to_forward(problem, t, s)


def _which(problem: Problem, found: tuple[FormatRun, ...], most: int) -> FormatRun:
    """The controls: which run, token and tag."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        run = find(found, METHOD.widget("Way"), FORMAT.widget("Format"))
        st.number_input("Token", 1, most, key=TOKEN.key, width=140, persist_state="session")
        st.selectbox("Tag", problem.tags, key=TAG.key, width=140, persist_state="session")
        if run.broke:
            broke = (run.broke.token, problem.tags[run.broke.tag])
            st.button("Where it broke", on_click=_go_to, args=broke)
    return run


def _go_to(t: int, tag: str) -> None:
    TOKEN.set(t + 1)
    TAG.set(tag)


def _cell(
    view: View, problem: Problem, run: FormatRun, exact: float, place: tuple[int, int]
) -> None:
    """The terms of a cell, the rest of its step, and what it should have been."""
    t, s = place
    step = inside(repeated(problem, t + 1), run, t, s)
    word = shorten(problem.tokens[t % len(problem.tokens)])
    note(f"Token {t + 1}, ‘{word}’, tag {problem.tags[s]}:")
    met = ""
    if step.before:
        header, rows = verdicts.inside_rows(step, problem.tags, run.method)
        met = tables.text_table(header, rows, "What meets in the cell")
    words = prose(*_in_words(run, exact, t)) if "prose" not in view.hide else ""
    st.html(tables.beside(met, steps([verdicts.inside_line(step, run.method)]) + words))


def _in_words(run: FormatRun, exact: float, t: int) -> list[str]:
    why: list[Case] = []
    if run.broke and t == run.broke.token:
        why.append(run.broke.told)
        if run.useless and run.useless.token > t:
            why.append(case("chain.first-cell", token=run.useless.token + 1))
    alpha = unbroken(format_potential(exact))
    cell = case("chain.cell", log=said(exact), alpha=alpha)
    return list(map(verdicts.told, [*why, cell]))


def _to_forward(problem: Problem, t: int, s: int) -> None:
    """The way to this very step in the lesson on the forward recursion."""
    m = len(problem.tokens)
    repeats = -(-(t + 1) // m)
    if repeats * m > LARGEST_TOKENS:
        return
    if repeats > 1:
        note("The next button puts the repeated chain on screen; Undo brings yours back.")
    if not st.button("See this step in the lesson Forward", icon=":material/arrow_forward:"):
        return
    if repeats > 1:
        problem_state.use_other(
            lengthened(problem, repeats * m), f"{problem_state.origin().label}, {repeats} times"
        )
    options.SPACE.set("probability")
    options.CONVENTION.reset()
    options.SEMIRING["forward"].reset()
    stepper.go_to("forward.stepper", t * len(problem.tags) + s)
    menu.go("forward")


def find(found: tuple[FormatRun, ...], method: str, dtype: str) -> FormatRun:
    """The run of a method in a format."""
    return next(run for run in found if (run.method, run.dtype) == (method, dtype))


def steps(lines: Sequence[str]) -> str:
    """A calculation, a step a line."""
    drawn = "".join(f"<div>{escape(line)}</div>" for line in lines)
    return f'<div class="crf-formula crf-recursion crf-steps">{drawn}</div>'
