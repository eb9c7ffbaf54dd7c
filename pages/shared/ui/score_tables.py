"""What the score editor offers beside its cells: fills, steps, the folded matrix, CSV files."""

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

OnChange = Callable[[Problem, str], None]
_LARGEST_SEED = 10**6
_STEP = SessionValue("{}·folded step", 0)  # which of its matrices, from 0
_STEPS, FOLDED = SessionValue("{}·steps", False), SessionValue("{}·folded", False)


def whole_tables(problem: Problem, key: str, on_change: OnChange) -> None:
    """Fills, one matrix per step, the folded matrix, CSV files."""
    seed = secrets.randbelow(_LARGEST_SEED)
    fills = (
        ("All zero", problem.zeros, "all scores zero", "Nothing is preferred, nothing forbidden."),
        (
            "Symmetric",
            problem.symmetric,
            "symmetric transitions",
            "Each transition becomes the mean of itself and its reverse.",
        ),
        (
            "Random",
            lambda: problem.random(seed),
            "random scores",
            "Every score anew, from −3 to 3.",
        ),
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, fill, what, help in fills:
            st.button(
                label,
                key=f"{key}·{label}",
                help=help,
                on_click=lambda fill=fill, what=what: on_change(fill(), what),
            )
        _STEPS.at(key).set(problem.per_step)
        st.toggle(
            "Transitions per step",
            key=_STEPS.at(key).key,
            on_change=_switch_steps,
            args=(problem, on_change),
            help="A transition matrix of its own for each step; all equal to begin with.",
        )
        st.toggle(
            f"Folded with {ROOT} and {EOS}",
            key=FOLDED.at(key).key,
            help="Start and end as a row and a column of one matrix, as many textbooks write it.",
        )
        with st.popover("CSV"):
            _csv_files(problem, key, on_change)
    if FOLDED.at(key).value:
        _folded(problem, key)


def _switch_steps(problem: Problem, on_change: OnChange) -> None:
    try:
        if problem.per_step:
            on_change(problem.homogeneous_form(), "one transition matrix for all steps")
        else:
            on_change(problem.per_step_form(), "a transition matrix for each step")
    except ProblemError as error:
        complain(f"The steps’ matrices differ. {error}")


def _csv_files(problem: Problem, key: str, on_change: OnChange) -> None:
    table = st.radio(
        "Table",
        CSV_TABLES,
        format_func=lambda name: name.replace("_", " and "),
        key=f"{key}·csv",
        horizontal=True,
    )
    st.download_button("Save as CSV", to_csv(problem, table), f"{table}.csv", "text/csv")
    loader(
        "Load this table from CSV",
        "Expected the table as “Save as CSV” writes it: a header, and a row for each name.",
        f"{key}·file·{table}",
        lambda content, name: on_change(from_csv(problem, table, content), f"{table} from {name}"),
    )


def transitions(problem: Problem) -> None:
    """The transitions to be read only: folded where the switch of the score tables says so."""
    if FOLDED.at("editor").value:
        _folded(problem, "read")
        return
    for table in problem_scores.transitions(problem):
        st.html(table)


def _folded(problem: Problem, key: str) -> None:
    """The (S+2) × (S+2) matrix, to be read only."""
    t = 1
    if problem.per_step and len(problem.tokens) > 1:
        steps = [f"{t}: {a} → {b}" for t, (a, b) in enumerate(pairwise(problem.tokens), 1)]
        t = 1 + by_name("Step of the folded matrix", _STEP.at(key), steps, width=300)
    names = [ROOT, *problem.tags, EOS]
    note(
        f"The same scores as one {len(names)} × {len(names)} matrix. Nothing leads into {ROOT} or "
        f"out of {EOS}: those scores are −∞."
    )
    st.html(
        tables.score_table(
            names,
            names,
            problem.folded(t),
            "Folded transitions, from row to column",
            corner="from ↓ to →",
            digits=2,
        )
    )


def too_large(problem: Problem, key: str, on_change: OnChange) -> None:
    """Say that a problem is too large to be edited by hand, and offer to make it smaller."""
    st.info(
        f"{len(problem.tags)} tags × {len(problem.tokens)} tokens are too many to edit by hand. Up "
        f"to {MAX_TAGS} × {MAX_TOKENS} are shown: type a shorter sentence, keep fewer tags, or "
        "keep the likeliest tags and the first tokens of this one."
    )
    st.button(
        f"Keep at most {MAX_TAGS} tags and {MAX_TOKENS} tokens",
        key=f"{key}·smaller",
        on_click=lambda: on_change(smaller(problem), "made small enough to edit"),
    )


def smaller(problem: Problem) -> Problem:
    """The first tokens, and of the tags those with the largest sum of marginals over them."""
    while len(problem.tokens) > MAX_TOKENS:
        problem = problem.remove_token(len(problem.tokens) - 1)
    mass = problem.chain().marginals[0].sum(0).tolist()
    likeliest = sorted(range(len(mass)), key=lambda s: -mass[s])[:MAX_TAGS]
    return problem.keep_tags(sorted(likeliest))
