"""The figure in `pages/shared/figures/path_picker`: a trellis with paths, one may be picked."""

import time
from collections.abc import Callable
from typing import Any

from crf.figures.flow.payload import Payload
from pages.shared.course.problem import Problem
from pages.shared.figures import paths
from pages.shared.figures.path_score import Standing
from pages.shared.figures.paths import NamedPath, Path
from pages.shared.ui import client_values
from pages.shared.ui.client_values import Check
from pages.shared.ui.component import component
from pages.shared.ui.state import SessionValue

OnPath = Callable[[Path], None]
_COMPONENT = component("path_picker", "pages/shared/figures/path_picker")
_ANSWERED = SessionValue("{}·received", ("", 0))  # the client, and the number of its choice


def picker(
    problem: Problem, path: Path, place: Standing | None, *, key: str, on_change: OnPath
) -> None:
    """A path that the reader picks, and the sum of its scores.

    `place`: how it stands among all paths; None if none is allowed.
    """
    answered = _ANSWERED.at(key)

    def picked() -> None:
        choice = check_choice(client_values.state(key, "choice"), problem)
        if choice is not None:
            answered.set((choice["client"], choice["serial"]))
            on_change(tuple(choice["path"]))

    _draw(key, paths.added_up(problem, path, place), *answered.value, picked)


def compare(problem: Problem, runs: list[NamedPath], *, key: str) -> None:
    """Several paths on one trellis; none: the trellis alone."""
    _draw(key, paths.compared(problem, runs), "", 0, lambda: None)


def _is_path(problem: Problem) -> Check[list[int]]:
    tags, m = client_values.index(len(problem.tags)), len(problem.tokens)
    return client_values.listed(tags, m, m)


def check_choice(choice: object, problem: Problem) -> dict[str, Any] | None:
    """What the browser sent, its client, serial number and path; None: anything may come."""
    client, serial = client_values.text(100), client_values.index(10**9)
    known = client_values.record(client=client, serial=serial, path=_is_path(problem))
    return client_values.genuine(choice, known)


def check_path(path: object, problem: Problem) -> Path | None:
    """A list or tuple as a path of this problem, or None if it is none."""
    given = list(path) if isinstance(path, tuple) else path
    found = client_values.genuine(given, _is_path(problem))
    return None if found is None else tuple(found)


def _draw(key: str, payload: Payload, client: str, upto: int, picked: Callable[[], None]) -> None:
    data = payload | {"source": key, "serial": time.monotonic(), "client": client, "upto": upto}
    _COMPONENT(key=key, data=data, on_choice_change=picked)
