"""The path on screen: in the session, in the address, with the paths that a button picks."""

import secrets
from typing import Any

import torch

from pages.shared.course import brute_force
from pages.shared.course.problem import Problem
from pages.shared.figures import path_score
from pages.shared.figures.path_score import Standing
from pages.shared.figures.paths import Path
from pages.shared.figures.text import LessonText
from pages.shared.ui import computed, presenter_view, problem_state
from pages.shared.ui.paths import check_path
from pages.shared.ui.state import SessionValue, asked, complain

PATH = SessionValue[tuple]("scores.path", ())  # (what it is a path of, tag indices)
_BEFORE = SessionValue[tuple](
    "scores.before", ()
)  # the path that a presenter left for the best one
ADDRESS = "y"  # the path's tag indices, with "~" between them


def current(problem: Problem) -> Path:
    """The path on screen: the session's, else the address's, else the best one."""
    kept = PATH.value
    if len(kept) == 2 and kept[0] == _subject(problem):
        path = check_path(kept[1], problem)
        if path is not None:
            return path
    path = _from_address(problem) if not PATH.is_set else None
    path = path or best(problem)
    PATH.set((_subject(problem), path))
    return path


def choose(path: Path) -> None:
    """Put another path on screen."""
    PATH.set((_subject(problem_state.current()), path))


def turns(problem: Problem, chosen: Path) -> None:
    """What a presenter's keys press: the best path, and back to the one before it."""
    say = LessonText.of("scores").line
    if chosen != best(problem):

        def go_on() -> None:
            _BEFORE.set(chosen)
            choose(best(problem))

        presenter_view.turn("next", say("labels.turn-best"), go_on, key="scores.best")
    elif (before := check_path(_BEFORE.value, problem)) is not None:
        presenter_view.turn(
            "back", say("labels.turn-before"), lambda: choose(before), key="scores.best"
        )


def query(problem: Problem) -> dict[str, str]:
    """A path that is not the best, for the address, if its problem is there, too."""
    path = current(problem)
    if problem_state.address() is None or path == best(problem):
        return {}
    return {ADDRESS: address(path)}


def address(path: Path) -> str:
    """A path as a value for the address."""
    return "~".join(map(str, path))


def best(problem: Problem) -> Path:
    """The Viterbi path; where no path is allowed, each token's best tag."""
    names = computed.summary(problem).viterbi
    return tuple(problem.tags.index(name) for name in names) or greedy(problem)


def greedy(problem: Problem) -> Path:
    """Each token's best emission; of equals the first."""
    return tuple(row.index(max(row)) for row in problem.emissions)


def random(problem: Problem) -> Path:
    """Any path."""
    return tuple(secrets.randbelow(len(problem.tags)) for _ in problem.tokens)


def standing(problem: Problem, path: Path) -> Standing | None:
    """How the path stands among all; None if no path is allowed."""
    summary = computed.summary(problem)
    if not summary.feasible:
        return None
    best_score = summary.chain.viterbi().scores.item()
    log_p = summary.chain.log_prob(torch.tensor([path])).item()
    return Standing(brute_force.score(problem, path), summary.log_z, best_score, log_p)


def term_rows(problem: Problem, path: Path) -> list[list[str | float]]:
    """The path's terms with the sum so far, the header first."""
    terms = path_score.terms(problem, path)
    return [["term", "score", "sum so far"], *([t.what, t.value, t.running] for t in terms)]


def _subject(problem: Problem) -> tuple[Any, ...]:
    return (problem_state.origin().label, len(problem.tags), len(problem.tokens))


def _from_address(problem: Problem) -> Path | None:
    text = asked(ADDRESS)
    if text is None:
        return None
    tags = [int(s) for s in text.split("~") if s.isascii() and s.isdigit() and len(s) < 4]
    path = check_path(tags, problem)
    if path is None or address(path) != text:
        complain(LessonText.of("scores").line("labels.no-path", asked=text[:40]))
        return None
    return path
