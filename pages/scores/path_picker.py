"""The path picker: a trellis in which the reader picks one tag for each token.

The component lives in `assets/components/picker`. It draws what it is sent and sends
back the path picked, which is checked here.
"""

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.course.problem_edits import NEG_INF
from pages.shared.figures import path_score, theme
from pages.shared.ui.component import component
from pages.shared.ui.score_editor import largest_score

Path = tuple[int, ...]

_COMPONENT = component("path_picker", "picker")


def path_picker(
    problem: Problem, *, key: str, path: Path, on_change: Callable[[Path], None]
) -> None:
    """Show the trellis with one path, and the sum of its scores under it.

    Args:
        problem: The problem.
        key: Of the component.
        path: A tag index for each token.
        on_change: Called with the path that was picked.
    """
    received = f"{key}·received"

    def picked() -> None:
        choice = (st.session_state.get(key) or {}).get("choice")
        chosen = check_choice(choice, problem)
        if chosen is not None:
            st.session_state[received] = (choice["client"], choice["serial"])
            on_change(chosen)

    client, upto = st.session_state.get(received, ("", 0))
    data = picker_data(problem, path) | {
        "source": key,
        "serial": time.monotonic(),
        "client": client,
        "upto": upto,
    }
    _COMPONENT(key=key, data=data, on_choice_change=picked)


def check_choice(choice: object, problem: Problem) -> Path | None:
    """The path that the browser sent, or None if it is none: anything may come from there."""
    if not isinstance(choice, dict):
        return None
    client, serial, path = (choice.get(name) for name in ("client", "serial", "path"))
    if not isinstance(client, str) or len(client) > 100 or type(serial) is not int:
        return None
    return check_path(path, problem) if isinstance(path, list) else None


def check_path(path: Any, problem: Problem) -> Path | None:
    """A list or tuple as a path of this problem, or None if it is none."""
    if not isinstance(path, (list, tuple)) or len(path) != len(problem.tokens):
        return None
    if not all(type(s) is int and 0 <= s < len(problem.tags) for s in path):
        return None
    return tuple(path)


def picker_data(problem: Problem, path: Path) -> dict[str, Any]:
    """What the component draws: texts and colours."""
    matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
    terms = path_score.terms(problem, path)
    largest = largest_score(problem)

    def cell(value: float) -> list[str | None]:
        never = value == NEG_INF
        return [format_score(value), None if never else theme.score_background(value, largest)]

    return {
        "label": "Pick a path: one tag for each token",
        "tags": list(problem.tags),
        "tokens": list(problem.tokens),
        "path": list(path),
        "emissions": [[cell(value) for value in row] for row in problem.emissions],
        "perStep": problem.per_step,
        "transitions": [[[format_score(x) for x in row] for row in matrix] for matrix in matrices],
        "start": [format_score(value) for value in problem.start],
        "end": [format_score(value) for value in problem.end],
        "caption": f"The score of {path_score.named(problem, path)}, added up from left to right",
        "heads": ["term", "score", "sum so far"],
        "terms": [
            {
                "role": term.role,
                "read": term.read,
                "what": term.what,
                "text": format_score(term.value),
                "summand": path_score.summand(term.value),
                "running": format_score(term.running),
            }
            for term in terms
        ],
        "total": format_score(terms[-1].running),
    }
