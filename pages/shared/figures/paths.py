"""Paths through the trellis as a picture: one whose score is added up, or several compared.

Plain data for the figure in `path_picker`, which knows neither scores nor formats.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from crf.figures.numbers import digits_that_give, format_magnitude, format_score
from pages.shared.course.problem import NEG_INF, Problem
from pages.shared.figures import path_score, theme
from pages.shared.figures.path_score import Path, Standing
from pages.shared.figures.text import say

HEIGHT = 230  # pixels of the part under the trellis


class NamedPath(NamedTuple):
    """A path among others: its name, how it is drawn ("best", "alone" or "left"), tags, score."""

    name: str
    style: str
    path: Path
    score: float


def added_up(problem: Problem, path: Path, place: Standing | None) -> Payload:
    """One path, to be picked by hand, and its score as a sum from left to right.

    Args:
        problem: What it is a path of.
        path: A tag index for each token.
        place: How it stands among all paths; None if none is allowed.
    """
    terms, decimals = path_score.terms(problem, path), digits(problem)
    return _trellis(problem) | {
        "figure": "path",
        "label": say("path.pick"),
        "pick": True,
        "paths": [{"tags": list(path), "style": None}],
        "terms": [
            {
                "role": term.role,
                "read": term.read,
                "what": term.what,
                "text": format_score(term.value, decimals),
                "running": None if term.running == NEG_INF else term.running,
            }
            for term in terms
        ],
        "levels": _log_z(place),
        "gap": _gap(place),
        "sum": _sum(terms[-1].running, place),
        "fold": {
            "label": say("path.terms"),
            "caption": say("path.added", path=problem.named(path)),
            "heads": [say("path.term"), say("path.score"), say("path.running")],
            "rows": [
                {
                    "cells": [
                        term.what,
                        format_score(term.value, decimals),
                        format_score(term.running, decimals),
                    ],
                    "role": term.role,
                    "read": term.read,
                }
                for term in terms
            ],
        },
    }


def compared(problem: Problem, runs: Sequence[NamedPath]) -> Payload:
    """Several paths on one trellis, and how their scores grow from token to token.

    Args:
        problem: What they are paths of.
        runs: The paths; without any the trellis alone is drawn.
    """
    return _trellis(problem) | {
        "figure": "paths",
        "label": say("path.compared" if runs else "path.words"),
        "pick": False,
        "paths": [{"tags": list(run.path), "style": run.style} for run in runs],
        "runs": [
            {
                "name": run.name,
                "style": run.style,
                "values": [None if x == NEG_INF else x for x in reached(problem, run.path)],
                "text": format_score(run.score),
            }
            for run in _apart(runs)
        ],
        "sum": [
            {"text": f"{'' if k == 0 else ' · '}{run.name} {format_score(run.score)}",
             "kind": run.style, "speaks": run.style}
            for k, run in enumerate(runs)
        ],
        "fold": {
            "label": say("path.table"),
            "caption": say("path.scores"),
            "heads": ["", *problem.tokens, say("path.score")],
            "rows": [
                {"cells": [run.name, *(problem.tags[s] for s in run.path), format_score(run.score)]}
                for run in runs
            ],
        } if runs else None,
    }  # fmt: skip


def reached(problem: Problem, path: Path) -> list[float]:
    """The score of a path up to each token, its emission included; at the last with the end."""
    terms = path_score.terms(problem, path)
    return [terms[2 * t + 1].running for t in range(len(path) - 1)] + [terms[-1].running]


def digits(problem: Problem) -> int:
    """How many decimals its scores are shown with: one if that is all they have, else two."""
    return 1 if all(abs(round(x, 1) - x) < 1e-9 for x in _finite(problem)) else 2


def largest_score(problem: Problem) -> float:
    """The largest finite score in size: where the colours are strongest."""
    return max(map(abs, _finite(problem)), default=0.0)


def _finite(problem: Problem) -> list[float]:
    def flat(table: Any) -> list[float]:
        if isinstance(table, tuple):
            return [value for entry in table for value in flat(entry)]
        return [table]

    every = (problem.emissions, problem.transitions, problem.start, problem.end)
    return [value for value in flat(every) if value != NEG_INF]


def _apart(runs: Sequence[NamedPath]) -> list[NamedPath]:
    """The runs without those that are the same path as one before: one line stands for both."""
    seen: set[Path] = set()
    return [run for run in runs if not (run.path in seen or seen.add(run.path))]


def _trellis(problem: Problem) -> Payload:
    """Every score of the problem as text, the emissions with their colours."""
    matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
    largest, decimals = largest_score(problem), digits(problem)

    def text(value: float) -> str:
        return format_score(value, decimals)

    def cell(value: float) -> list[str | None]:
        never = value == NEG_INF
        return [text(value), None if never else theme.score_background(value, largest)]

    return {
        "tags": list(problem.tags),
        "tokens": list(problem.tokens),
        "emissions": [[cell(value) for value in row] for row in problem.emissions],
        "perStep": problem.per_step,
        "transitions": [[[text(x) for x in row] for row in matrix] for matrix in matrices],
        "start": [text(value) for value in problem.start],
        "end": [text(value) for value in problem.end],
        "height": HEIGHT,
    }


def _log_z(place: Standing | None) -> list[dict[str, Any]]:
    if place is None:
        return []
    text = f"log Z = {format_score(place.log_z)}"
    return [{"value": place.log_z, "text": text, "speaks": "log-z"}]


def _gap(place: Standing | None) -> str:
    if place is None or place.score == NEG_INF:
        return ""
    return f"−log p = {loss(place)}"


def loss(place: Standing) -> str:
    """−log p with two decimals like the scores; one that these do not show has three digits."""
    nll = max(-place.log_p, 0.0)
    return format_score(nll) if nll >= 0.005 else format_magnitude(nll)


def _sum(total: float, place: Standing | None) -> list[dict[str, str]]:
    """score = …, p = exp(score − log Z) = …, with the decimals that it takes to be seen true."""
    if place is None:
        return [
            {
                "text": f"{say('path.score')} = {format_score(total)}",
                "kind": "score",
                "speaks": "score",
            }
        ]
    digits = digits_that_give(place.score, place.log_z)
    score, log_z = theme.number(place.score, digits), path_score.summand(place.log_z, digits)
    return [
        {"text": f"{say('path.score')} = {score}", "kind": "score", "speaks": "score"},
        {"text": f"\u2003p = exp({score} − {log_z}) = "},
        {"text": theme.log_probability(place.log_p), "kind": "p", "speaks": "log-p"},
    ]
