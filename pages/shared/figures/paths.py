"""Paths through the trellis as a picture: one whose score is added up, or several compared.

Plain data for the figure in `path_picker`, which knows neither scores nor formats.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from crf.figures.flow.payload import Payload
from crf.figures.numbers import digits_that_give, format_magnitude, format_score
from pages.shared.course.problem import NEG_INF, TABLES, Problem
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
    """One path, to be picked by hand, and its score as a sum; no `place` if no path is allowed."""
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
        **_standing(terms[-1].running, place),
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
    """Paths on one trellis, and how their scores grow; without any the trellis alone is drawn."""
    lines: dict[Path, NamedPath] = {}
    for run in runs:
        lines.setdefault(run.path, run)  # one line stands for all who take the same path
    return _trellis(problem) | {
        "figure": "paths",
        "label": say("path.compared" if runs else "path.words"),
        "pick": False,
        "paths": [{"tags": list(run.path), "style": run.style} for run in runs],
        "runs": [
            {
                "name": run.name,
                "style": run.style,
                "values": [None if x == NEG_INF else x for x in reached(problem, path)],
                "text": format_score(run.score),
            }
            for path, run in lines.items()
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
    """How many decimals its scores are shown with."""
    return theme.decimals(_scores(problem))


def largest_score(problem: Problem) -> float:
    """The largest finite score in size: where the colours are strongest."""
    return max((abs(x) for x in _scores(problem) if x != NEG_INF), default=0.0)


def _scores(problem: Problem) -> list[float]:
    return [x for table in TABLES for x in np.ravel(getattr(problem, table)).tolist()]


def _trellis(problem: Problem) -> Payload:
    """Every score of the problem as text, the emissions with their colours."""
    matrices: Any = problem.transitions if problem.per_step else (problem.transitions,)
    largest, decimals = largest_score(problem), digits(problem)

    def texts(row: Sequence[float]) -> list[str]:
        return [format_score(value, decimals) for value in row]

    def colour(value: float) -> str | None:
        return None if value == NEG_INF else theme.score_background(value, largest)

    return {
        "tags": list(problem.tags),
        "tokens": list(problem.tokens),
        "emissions": [
            [[text, colour(x)] for text, x in zip(texts(row), row, strict=True)]
            for row in problem.emissions
        ],
        "perStep": problem.per_step,
        "transitions": [list(map(texts, matrix)) for matrix in matrices],
        "start": texts(problem.start),
        "end": texts(problem.end),
        "height": HEIGHT,
    }


def loss(place: Standing) -> str:
    """−log p with two decimals like the scores; one that these do not show has three digits."""
    nll = max(-place.log_p, 0.0)
    return format_score(nll) if nll >= 0.005 else format_magnitude(nll)


def _standing(total: float, place: Standing | None) -> Payload:
    """A score among all: log Z as a level, the gap to it, and p = exp(score − log Z) = … below.

    The sum has the decimals that it takes to be seen true.
    """
    score = {"text": f"{say('path.score')} = ", "kind": "score", "speaks": "score"}
    if place is None:
        score["text"] += format_score(total)
        return {"levels": [], "gap": "", "sum": [score]}
    digits = digits_that_give(place.score, place.log_z)
    score["text"] += theme.number(place.score, digits)
    log_z, level = path_score.summand(place.log_z, digits), f"log Z = {format_score(place.log_z)}"
    return {
        "levels": [{"value": place.log_z, "text": level, "speaks": "log-z"}],
        "gap": "" if place.score == NEG_INF else f"−log p = {loss(place)}",
        "sum": [
            score,
            {"text": f"\u2003p = exp({theme.number(place.score, digits)} − {log_z}) = "},
            {"text": theme.log_probability(place.log_p), "kind": "p", "speaks": "log-p"},
        ],
    }
