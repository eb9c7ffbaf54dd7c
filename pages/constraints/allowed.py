"""The table of what may follow what, whose cells are switches: `allowed_pairs`."""

import time
from collections.abc import Callable
from typing import Any

from pages.constraints.rules import Rules
from pages.shared.course.problem import Problem
from pages.shared.figures.tables import Cell
from pages.shared.ui import client_values
from pages.shared.ui.component import component

_COMPONENT = component("allowed", "pages/constraints/allowed_pairs", triggers=["press"])
START, END = "START", "END"


def payload(problem: Problem, rules: Rules) -> dict[str, Any]:
    """What is drawn: a row for the start and each tag, a column for each tag and the end."""
    allowed, S = rules.of(problem), len(problem.tags)
    names = [*problem.tags, START]

    def cell(i: int, j: int) -> dict[str, Any] | None:
        if (i, j) == (S, S):
            return None
        may = (
            allowed.start[j] if i == S else allowed.end[i] if j == S else allowed.transitions[i, j]
        )
        what = f"{names[i]} → {END if j == S else names[j]}"
        return {
            "allowed": bool(may),
            "own": (i, j) in rules.flipped,
            "about": f"{what}: {'allowed' if may else 'forbidden'}",
        }

    order = [S, *range(S)]
    return {
        "caption": "From the row’s tag to the column’s: ✓ allowed, ✕ forbidden. Click to change.",
        "rows": [names[i] for i in order],
        "columns": [*problem.tags, END],
        "cells": [[cell(i, j) for j in range(S + 1)] for i in order],
    }


def check_press(press: Any, problem: Problem) -> Cell | None:
    """The cell that the browser named, or None if there is none: anything may come from there."""
    if not isinstance(press, list) or [type(k) for k in press] != [int, int]:
        return None
    S = len(problem.tags)
    row, j = press
    if not (0 <= row <= S and 0 <= j <= S):
        return None
    i = S if row == 0 else row - 1
    return None if (i, j) == (S, S) else (i, j)


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
        cell = check_press(client_values.state(key, "press"), problem)
        if cell is not None:
            on_press(cell)

    data = payload(problem, rules) | {"serial": time.monotonic()}
    _COMPONENT(key=key, data=data, on_press_change=pressed)
