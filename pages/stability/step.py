"""One step of a growing chain in the lesson "Numerical stability", and the way to it in Forward."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st
import torch

from crf.figures.numbers import format_potential
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import LARGEST_TOKENS
from pages.shared.figures import tables
from pages.shared.figures.text import prose
from pages.shared.figures.theme import shorten
from pages.shared.ui import client_values, menu, options, problem_state, stepper
from pages.shared.ui.controls import Choice
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.stability import verdicts
from pages.stability.chains import FormatRun, FormatTables, repeated
from pages.stability.number_formats import DTYPES, written
from pages.stability.verdicts import find, told

CHART = "stability.chart"
TOKEN = SessionValue[int | None]("stability.token", None, kind=int)  # from 1, as its field has it
TAG = SessionValue("stability.tag", "")
METHOD = Choice("stability.method", "probability", address="method", labels=verdicts.CHAINS)
FORMAT = Choice("stability.format2", "float32", address="format2", labels={d: d for d in DTYPES})


class Inside(NamedTuple):
    """One cell of a forward recursion as a format computed it."""

    # from each tag before it, none at the first token: its cell; what that is multiplied with,
    # ψ(s′, s), or what is added, T[s′, s]; the product or sum
    terms: list[list[float]]
    # by the holes of its sentence: "total" of the terms, at the first token the start; "emission";
    # if scaled the "raw" cell and the "divisor", the column's sum; "value", the cell
    numbers: dict[str, float]


def inside(given: FormatTables, run: FormatRun, token: int, tag: int) -> Inside:
    """What met in a cell of a run; token from 0, `given` in float64."""
    logs = run.method == "log"
    tables = given.to(run.dtype)
    tables = tables if logs else tables.exp()
    terms, total = torch.zeros(0, 3), tables.start
    if token:
        before = torch.tensor(run.columns[token - 1], dtype=torch.float64).to(total.dtype)[:, None]
        matrix = tables.transitions[token - 1]
        met = before + matrix if logs else before * matrix
        total = torch.logsumexp(met, 0) if logs else met.sum(0)
        terms = torch.stack([before.expand_as(matrix), matrix, met], -1)[:, tag]
    emission = tables.emissions[token]
    value = emission + total if logs else emission * total
    numbers = {"total": total, "emission": emission}
    if run.method == "scaled":
        numbers |= {"raw": value, "divisor": value.sum().expand_as(value)}
        value = value / value.sum()
    numbers["value"] = value
    return Inside(terms.tolist(), {name: x[tag].item() for name, x in numbers.items()})


def lengthened(problem: Problem, tokens: int) -> Problem:
    """The problem whose scores `pages.stability.chains.repeated` has, of at most 60 tokens."""
    emissions, transitions, *ends = (table.tolist() for table in repeated(problem, tokens))
    words = [problem.tokens[t % len(problem.tokens)] for t in range(tokens)]
    steps = transitions if problem.per_step else problem.transitions
    return Problem.of(problem.tags, words, emissions, steps, *ends)


def token(lesson: Lesson) -> int:
    """The token that is looked into, from 0."""
    kept = TOKEN.value
    return (lesson.view.step or 0) if kept is None else kept - 1


def picked(drawn: Sequence[FormatRun]) -> None:
    """Look inside the step of the curves' point that was clicked."""
    point = next(iter(client_values.points(CHART)), {})
    curve, x = point.get("curve_number"), point.get("x")
    if not isinstance(x, (int, float)) or not 1 <= x <= len(drawn[0].values):
        return
    TOKEN.set(int(x))
    if isinstance(curve, int) and 0 <= curve < len(drawn):
        METHOD.set(drawn[curve].method)
        FORMAT.set(drawn[curve].dtype)


def look_inside(lesson: Lesson, found: tuple[FormatRun, ...]) -> None:
    """One cell of one run, with what met in it; at first where the run broke."""
    problem, most = lesson.problem, len(found[0].values)
    st.subheader(told("inside.title"), anchor=False)
    run = find(found, METHOD.value, FORMAT.value)
    first = lesson.view.step or (run.broke.token if run.broke else 0)
    TOKEN.set(min(max(1, TOKEN.begin(lambda: first + 1) or 1), most))
    if TAG.value not in problem.tags:
        TAG.set(problem.tags[0])
    if lesson.asks:
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            run = find(found, METHOD.widget("Way"), FORMAT.widget("Format"))
            st.number_input("Token", 1, most, key=TOKEN.key, width=140, persist_state="session")
            st.selectbox("Tag", problem.tags, key=TAG.key, width=140, persist_state="session")
    t, s = token(lesson), problem.tags.index(TAG.value)
    word = shorten(problem.tokens[t % len(problem.tokens)])
    note(told("inside.cell", token=t + 1, word=word, tag=problem.tags[s]))
    exact = find(found, *verdicts.REFERENCE).columns[t][s]
    alpha = format_potential(exact).replace(" ", "\xa0")
    words = [told("inside.exact", log=written(exact), alpha=alpha)]
    if run.broke and run.broke.token == t:
        words.insert(0, told(run.broke.told))
    cell = inside(repeated(problem, t + 1), run, t, s)
    calculated = verdicts.steps([inside_line(cell, run.method)])
    met = inside_table(cell, problem, run.method) if t else ""
    st.html(tables.beside(met, calculated + (prose(*words) if lesson.tells else "")))
    if lesson.asks:
        _to_forward(problem, t, s)


def inside_table(found: Inside, problem: Problem, method: str) -> str:
    """The terms that met in a cell, a row for each tag before it."""
    names = ("log α̂ before", "T", "sum") if method == "log" else ("α̂ before", "ψ", "product")
    pairs = zip(problem.tags, found.terms, strict=True)
    rows = [[tag, *(written(x, 4) for x in numbers)] for tag, numbers in pairs]
    return tables.text_table(["from", *names], rows, told("inside.met"))


def inside_line(found: Inside, method: str) -> str:
    """The rest of the step, with its numbers."""
    what = "start" if not found.terms else "logsumexp" if method == "log" else "sum"
    texts = {name: written(x, 4) for name, x in found.numbers.items()}
    return told(f"inside.{method}", what=what, **texts)


def _to_forward(problem: Problem, t: int, s: int) -> None:
    """The way to this very step in the lesson on the forward recursion."""
    m = len(problem.tokens)
    repeats = -(-(t + 1) // m)
    if repeats * m > LARGEST_TOKENS:
        return
    if repeats > 1:
        note(told("inside.repeats"))
    if not st.button(told("inside.forward"), icon=":material/arrow_forward:"):
        return
    if repeats > 1:
        label = told("inside.label", label=problem_state.origin().label, repeats=repeats)
        problem_state.use_other(lengthened(problem, repeats * m), label)
    options.SPACE.set("probability")
    options.CONVENTION.reset()
    options.SEMIRING["forward"].reset()
    stepper.go_to("forward.stepper", t * len(problem.tags) + s)
    menu.go("forward")
