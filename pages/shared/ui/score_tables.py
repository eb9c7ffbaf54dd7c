"""The score editor's further offers: fills, steps, the folded matrix, CSV files."""

import secrets
from collections.abc import Callable
from itertools import pairwise

import streamlit as st

from pages.shared.course.problem import EOS, MAX_TAGS, MAX_TOKENS, ROOT, Problem, ProblemError
from pages.shared.course.problem_files import CSV_TABLES, from_csv, to_csv
from pages.shared.figures import problem_scores, tables
from pages.shared.ui.controls import by_name
from pages.shared.ui.files import loader
from pages.shared.ui.frame import note
from pages.shared.ui.state import SessionValue, complain
from pages.shared.ui.words import say

OnChange = Callable[[Problem, str], None]
_LARGEST_SEED = 10**6
_STEP = SessionValue("{}·folded step", 0)  # which of its matrices, from 0
_STEPS, FOLDED = SessionValue("{}·steps", False), SessionValue("{}·folded", False)


def whole_tables(problem: Problem, key: str, on_change: OnChange) -> None:
    """Offer fills, one matrix per step, the folded matrix, and CSV files."""
    fills = {
        "zero": problem.zeros,
        "symmetric": problem.symmetric,
        "random": lambda: problem.random(secrets.randbelow(_LARGEST_SEED)),
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, fill in fills.items():
            st.button(
                say(f"tables.{name}"),
                key=f"{key}·{name}",
                help=say(f"tables.{name}-help"),
                on_click=lambda name=name, fill=fill: on_change(fill(), say(f"change.{name}")),
            )
        _STEPS.at(key).set(problem.per_step)
        st.toggle(
            say("tables.steps"),
            key=_STEPS.at(key).key,
            help=say("tables.steps-help"),
            on_change=_switch_steps,
            args=(problem, on_change),
        )
        label = say("tables.folded", root=ROOT, eos=EOS)
        st.toggle(label, key=FOLDED.at(key).key, help=say("tables.folded-help"))
        with st.popover("CSV"):
            _csv_files(problem, key, on_change)
    if FOLDED.at(key).value:
        folded(problem, key)


def _switch_steps(problem: Problem, on_change: OnChange) -> None:
    try:
        if problem.per_step:
            on_change(problem.homogeneous_form(), say("change.one-matrix"))
        else:
            on_change(problem.per_step_form(), say("change.steps"))
    except ProblemError as error:
        complain(say("tables.steps-differ", why=error))


def _csv_files(problem: Problem, key: str, on_change: OnChange) -> None:
    def table_name(name: str) -> str:
        return say(f"tables.{name.replace('_', '-')}")

    def load(content: bytes, name: str) -> None:
        what = say("change.from-file", table=table_name(table), file=name)
        on_change(from_csv(problem, table, content), what)

    table = st.radio(
        say("tables.which"), CSV_TABLES, format_func=table_name, key=f"{key}·csv", horizontal=True
    )
    st.download_button(
        say("tables.save"), lambda: to_csv(problem, table), f"{table}.csv", "text/csv"
    )
    loader(say("tables.load"), say("tables.expected"), f"{key}·file·{table}", load)


def transitions(problem: Problem) -> None:
    """Show the transitions read-only, folded if the switch of the score tables is on."""
    if FOLDED.at("editor").value:
        folded(problem, "read")
        return
    for table in problem_scores.transitions(problem):
        st.html(table)


def folded(problem: Problem, key: str) -> None:
    """Show the (S+2) × (S+2) matrix read-only."""
    t = 1
    if problem.per_step and len(problem.tokens) > 1:
        steps = [f"{t}: {a} → {b}" for t, (a, b) in enumerate(pairwise(problem.tokens), 1)]
        t = 1 + by_name(say("tables.step"), _STEP.at(key), steps, width=300)
    names = [ROOT, *problem.tags, EOS]
    note(say("tables.folded-note", n=len(names), root=ROOT, eos=EOS))
    title, corner = say("tables.folded-title"), say("tables.folded-corner")
    scores = problem.folded(t)
    st.html(tables.score_table(names, names, scores, title, corner=corner, digits=2))


def too_large(problem: Problem, key: str, on_change: OnChange) -> None:
    """Say that a problem is too large to be edited by hand, and offer to make it smaller."""
    most = {"most_tags": MAX_TAGS, "most_tokens": MAX_TOKENS}
    sizes = {"tags": len(problem.tags), "tokens": len(problem.tokens)}
    st.info(say("tables.too-large", **sizes, **most))
    st.button(
        say("tables.smaller", **most),
        key=f"{key}·smaller",
        on_click=lambda: on_change(smaller(problem), say("change.smaller")),
    )


def smaller(problem: Problem) -> Problem:
    """A smaller problem: the first tokens, and the tags with the largest marginals there."""
    while len(problem.tokens) > MAX_TOKENS:
        problem = problem.remove_token(len(problem.tokens) - 1)
    mass = problem.chain().marginals[0].sum(0).tolist()
    likeliest = sorted(range(len(mass)), key=lambda s: -mass[s])[:MAX_TAGS]
    return problem.keep_tags(sorted(likeliest))
