"""The score editor: every number of a problem in tables that are edited in place.

The component lives in `assets/components/editor`. It sends the texts that were typed; they are
checked and understood here, and what cannot be is answered with a message under the tables.
"""

import time
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import streamlit as st

from pages.shared.course.numbers import exact, format_score
from pages.shared.course.problem import MAX_TAGS, MAX_TOKENS, Problem, ProblemError
from pages.shared.course.problem_edits import NEG_INF
from pages.shared.figures import theme
from pages.shared.figures.paths import largest_score
from pages.shared.ui import received, score_edits, score_tables
from pages.shared.ui.component import component
from pages.shared.ui.score_tables import OnChange

_COMPONENT = component("score_editor", "editor", ("grid.js", "editor.js"))


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
        score_tables.too_large(problem, key, on_change)
        return
    slot = f"{key}·memory"
    memory = st.session_state.get(slot)
    if not isinstance(memory, _Memory):
        memory = st.session_state[slot] = _Memory(problem)
    if memory.problem != problem:
        memory.problem, memory.epoch = problem, memory.epoch + 1

    def edited() -> None:
        memory.receive(received.state(key, "edits"), on_change)

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
    score_tables.whole_tables(problem, key, on_change)
    if st.session_state.get(f"{key}·folded"):
        score_tables.folded(problem, key)


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
