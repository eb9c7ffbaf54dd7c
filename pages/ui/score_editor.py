"""The score editor: every number of a problem in tables that are edited in place.

The component lives in `assets/editor`. It sends the texts that were typed; they are checked and
understood here, and what cannot be is answered with a message that stands under the tables.
"""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import streamlit as st

from crf.course.numbers import exact, format_score
from crf.course.problem import EOS, MAX_TAGS, MAX_TOKENS, ROOT, Problem, ProblemError
from crf.course.problem_edits import NEG_INF
from crf.course.problem_files import CSV_TABLES, MAX_FILE, from_csv, to_csv
from pages.figures import tables, theme
from pages.ui import score_edits
from pages.ui.frame import ROOT as FOLDER
from pages.ui.frame import note
from pages.ui.state import complain

OnChange = Callable[[Problem, str], None]

_ASSETS = FOLDER / "assets" / "editor"
_COMPONENT = st.components.v2.component(
    "score_editor",
    html=(_ASSETS / "editor.html").read_text(encoding="utf-8"),
    css=(_ASSETS / "editor.css").read_text(encoding="utf-8"),
    js="\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in ("grid.js", "editor.js")),
)
_LARGEST_SEED = 10**6


@dataclass
class _Memory:
    """What an editor knows between runs.

    Attributes:
        problem: As the browser's edits have made it.
        epoch: Grows when the tables are no longer those that the browser had on screen.
        client: Whose edits were answered last; another client counts its own from 1.
        upto: Serial number of its last edit.
        refused: Messages by serial number, of the edits that it may not know answered.
    """

    problem: Problem
    epoch: int = 0
    client: str = ""
    upto: int = 0
    refused: dict[int, str] = field(default_factory=dict)

    def receive(self, message: object, on_change: OnChange) -> None:
        """Make the edits of a browser's message that are new."""
        batch = score_edits.read_batch(message)
        if batch is None:
            return
        if batch.client != self.client:
            self.client, self.upto, self.refused = batch.client, 0, {}
        unanswered = {edit.serial for edit in batch.edits}
        self.refused = {k: text for k, text in self.refused.items() if k in unanswered}
        for edit in batch.edits:
            if edit.serial <= self.upto:
                continue
            self.upto = edit.serial
            if edit.epoch != self.epoch:  # typed into tables that are gone
                continue
            try:
                problem, what = score_edits.apply(self.problem, edit)
            except ProblemError as error:
                self.refused[edit.serial] = str(error)
                continue
            if problem != self.problem:
                self.problem = problem
                self.epoch += edit.op.startswith("remove")
                on_change(problem, what)


def score_editor(problem: Problem, *, key: str, on_change: OnChange) -> None:
    """Show all tables of a problem, to be edited in place.

    Args:
        problem: The problem; more than 12 tags or 20 tokens are not shown, with a way out.
        key: Of the component; its other keys begin with it.
        on_change: Called with the new problem and what was changed, in words, for each edit.
    """
    if not problem.is_editable:
        _too_large(problem, key, on_change)
        return
    slot = f"{key}·memory"
    memory = st.session_state.get(slot)
    if not isinstance(memory, _Memory):
        memory = st.session_state[slot] = _Memory(problem)
    if memory.problem != problem:
        memory.problem, memory.epoch = problem, memory.epoch + 1

    def edited() -> None:
        state = st.session_state.get(key) or {}
        memory.receive(state.get("edits"), on_change)

    _whole_tables(problem, key, on_change)
    data = editor_data(problem) | {
        "source": key,
        "serial": time.monotonic(),
        "epoch": memory.epoch,
        "answers": {
            "client": memory.client,
            "upto": memory.upto,
            "refused": {str(serial): text for serial, text in memory.refused.items()},
        },
    }
    _COMPONENT(key=key, data=data, on_edits_change=edited)
    if st.session_state.get(f"{key}·folded"):
        _folded(problem, key)


# ---------------------------------------------------------------------- what the component draws


def editor_data(problem: Problem) -> dict[str, Any]:
    """What the component draws: texts and colours, by table."""
    tags, tokens = problem.tags, problem.tokens
    matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
    largest = largest_score(problem)

    def drawn(table: Any) -> Any:
        return [drawn(entry) for entry in table] if isinstance(table, tuple) else _cell(table)

    def _cell(value: float) -> list[str | None]:
        full = exact(value).replace("-inf", "−∞").replace("-", "−")
        shown = min(full, format_score(value), key=len) if len(full) > 6 else full
        if value == NEG_INF:
            return [shown, shown, None]
        return [shown, full, theme.score_background(value, largest)]

    names = [f"{t}: {a} → {b}" for t, (a, b) in enumerate(pairwise(tokens), 1)]
    return {
        "tags": list(tags),
        "tokens": list(tokens),
        "emissions": drawn(problem.emissions),
        "perStep": problem.per_step,
        "transitions": [
            {"name": names[t] if problem.per_step else "", "cells": drawn(matrix)}
            for t, matrix in enumerate(matrices)
        ],
        "start": drawn(problem.start),
        "end": drawn(problem.end),
        "full": ["tag"] * (len(tags) >= MAX_TAGS) + ["token"] * (len(tokens) >= MAX_TOKENS),
    }


def largest_score(problem: Problem) -> float:
    """The largest finite score in size: where the colours are strongest."""

    def flat(table: Any) -> list[float]:
        if isinstance(table, tuple):
            return [value for entry in table for value in flat(entry)]
        return [table]

    every = (problem.emissions, problem.transitions, problem.start, problem.end)
    return max(abs(value) if value != NEG_INF else 0.0 for value in flat(every))


# ---------------------------------------------------------------------- whole tables


def _whole_tables(problem: Problem, key: str, on_change: OnChange) -> None:
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
        st.session_state[f"{key}·steps"] = problem.per_step
        st.toggle(
            "Transitions of its own for each step",
            key=f"{key}·steps",
            on_change=_switch_steps,
            args=(problem, on_change),
        )
        st.toggle(
            f"Folded with {ROOT} and {EOS}",
            key=f"{key}·folded",
            help="Start and end as a row and a column of one matrix, as many textbooks write it.",
        )
        with st.popover("CSV"):
            _csv_files(problem, key, on_change)


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
    slot = f"{key}·file·{table}"

    def load() -> None:
        file = st.session_state[slot]
        if file is None:
            return
        if file.size > MAX_FILE:
            complain(f"{file.name}: expected at most {MAX_FILE:,} bytes, got {file.size:,}.")
            return
        try:
            on_change(from_csv(problem, table, file.getvalue()), f"{table} from {file.name}")
        except ProblemError as error:
            complain(f"{file.name} cannot be used. {error}")

    st.file_uploader("Load this table from CSV", type=["csv"], key=slot, on_change=load)


def _folded(problem: Problem, key: str) -> None:
    """The (S+2) × (S+2) matrix, to be read only."""
    t = 1
    if problem.per_step and len(problem.tokens) > 1:
        t = st.selectbox(
            "Step of the folded matrix",
            range(1, len(problem.tokens)),
            format_func=lambda t: f"{t}: {problem.tokens[t - 1]} → {problem.tokens[t]}",
            key=f"{key}·folded step",
        )
    names = [ROOT, *problem.tags, EOS]
    note(
        f"The same scores as one {len(names)} × {len(names)} matrix. Nothing leads into {ROOT} or "
        f"out of {EOS}: those scores are −∞."
    )
    st.html(
        tables.score_table(
            names, names, problem.folded(t), "Folded transitions, from row to column", corner="→"
        )
    )


def _too_large(problem: Problem, key: str, on_change: OnChange) -> None:
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
