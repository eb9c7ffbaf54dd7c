"""The table of what may follow what, whose cells are switches: a heat map of ✓ and ✕."""

import time
from collections.abc import Callable
from typing import Any

from pages.constraints.rules import Rules
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Cell
from pages.shared.figures.text import LessonText
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.frame import note

_COMPONENT = component("allowed", "crf/figures/heat", triggers=["pick"])
_ALLOWED = "light-dark(#e1f0e7, #173a29)"
_FORBIDDEN = "repeating-linear-gradient(45deg, transparent 0 4px, rgba(118, 118, 118, .35) 4px 5px)"


def payload(problem: Problem, rules: Rules) -> dict[str, Any]:
    """What is drawn: a row for the start and each tag, a column for each tag and the end."""
    allowed, S, line = rules.of(problem), len(problem.tags), LessonText.of("constraints").line
    names = [*problem.tags, "START"]

    def cell(i: int, j: int) -> list[Any] | None:
        if (i, j) == (S, S):
            return None
        may = bool(
            allowed.start[j] if i == S else allowed.end[i] if j == S else allowed.transitions[i, j]
        )
        step = f"{names[i]} → {'END' if j == S else names[j]}"
        about = line("table.allowed" if may else "table.forbidden", step=step)
        paint = _ALLOWED if may else _FORBIDDEN
        return ["✓" if may else "✕", paint, "inherit", about, (i, j) in rules.flipped]

    return {
        "label": line("table.caption"),
        "corner": "",
        "columns": [*problem.tags, "END"],
        "rows": [
            {"name": names[i], "cells": [cell(i, j) for j in range(S + 1)], "sums": []}
            for i in (S, *range(S))
        ],
        "sums": [],
        "footer": [],
    }


def check_press(press: Any, problem: Problem) -> Cell | None:
    """The cell that the browser named, or None if there is none: anything may come from there."""
    S = len(problem.tags)
    found = client_values.genuine(press, client_values.listed(client_values.index(S + 1), 2, 2))
    if found is None:
        return None
    i = S if found[0] == 0 else found[0] - 1
    return None if (i, found[1]) == (S, S) else (i, found[1])


def allowed_table(
    problem: Problem, rules: Rules, *, key: str, on_press: Callable[[Cell], None]
) -> None:
    """Draw it.

    Args:
        problem: Whose tags.
        rules: What is allowed.
        key: Of the component.
        on_press: Called with the cell that was pressed.
    """

    def pressed() -> None:
        cell = check_press(client_values.state(key, "pick"), problem)
        if cell is not None:
            on_press(cell)

    data = payload(problem, rules)
    note(data["label"])
    _COMPONENT(key=key, data=data | {"serial": time.monotonic()}, on_pick_change=pressed)
