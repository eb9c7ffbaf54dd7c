"""Label bias, drawn: how probability flows through the chain when it is normalised in two ways."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pages.shared.course.numbers import format_score
from pages.shared.course.problem import Problem
from pages.shared.figures import theme
from pages.shared.figures.narration import printable
from pages.shared.figures.path_score import terms
from pages.structure.label_bias import Comparison

_LEFT, _STEP, _TOP, _ROW, _RADIUS = 28, 100, 40, 84, 23  # pixels; it fits a phone
_THICKEST = 14


class Flow(NamedTuple):
    """An edge.

    Attributes:
        token: The token it leads into, from 0.
        source: Tag; None for START.
        target: Tag.
        amount: The probability that passes along it.
        local: Its share of what is in the source.
    """

    token: int
    source: int | None
    target: int
    amount: float
    local: float


def flows(paths: Sequence[Comparison], model: str) -> list[Flow]:
    """The edges that the allowed paths use.

    Args:
        paths: Under both models.
        model: "memm" or "crf".
    """
    amounts: dict[tuple[int, int | None, int], float] = {}
    inside: dict[tuple[int, int | None], float] = {}
    for path in paths:
        p = getattr(path, model)
        for t, target in enumerate(path.tags):
            source = path.tags[t - 1] if t else None
            amounts[t, source, target] = amounts.get((t, source, target), 0.0) + p
            inside[t, source] = inside.get((t, source), 0.0) + p
    return [
        Flow(*edge, amount, amount / inside[edge[:2]] if inside[edge[:2]] else 0.0)
        for edge, amount in sorted(amounts.items(), key=lambda item: (item[0][0], item[0][2]))
    ]


def flow_drawing(problem: Problem, edges: Sequence[Flow], label: str) -> dict[str, Any]:
    """Columns of states joined by lines as thick as the probability that passes along them.

    Args:
        problem: What is read.
        edges: Of `flows`.
        label: What a screen reader calls it.

    Returns:
        Data for the component in assets/components/graph.
    """
    columns = [
        sorted({edge.target for edge in edges if edge.token == t})
        for t in range(len(problem.tokens))
    ]
    most = max(map(len, columns))
    places: dict[tuple[int, int | None], tuple[float, float]] = {
        (-1, None): (_LEFT, _TOP + _ROW * (most - 1) / 2)
    }
    for t, column in enumerate(columns):
        for k, s in enumerate(column):
            y = _TOP + _ROW * (k + (most - len(column)) / 2)
            places[t, s] = (_LEFT + _STEP * (t + 1), y)
    height = _TOP + _ROW * (most - 1) + _TOP + 24
    words = [f"reads ‘{printable(token)}’" for token in problem.tokens]
    return {
        "label": label,
        "width": 2 * _LEFT + _STEP * len(columns),
        "height": height,
        "edges": [_flow(edge, places) for edge in edges],
        "nodes": [_state(problem, edges, *key, place) for key, place in places.items()],
        "parts": [],
        "words": [[_LEFT + _STEP * (t + 1), height - 12, word] for t, word in enumerate(words)],
        "tables": [],
        "hint": "",
    }


def _flow(edge: Flow, places: Mapping) -> dict[str, Any]:
    (x1, y1), (x2, y2) = places[edge.token - 1, edge.source], places[edge.token, edge.target]
    thick = max(1.5, _THICKEST * edge.amount)
    return {
        "x1": x1, "y1": y1, "x2": x2, "y2": y2, "width": round(thick, 1),
        "cut": edge.amount < 0.005, "arrow": False,
        "text": short(edge.local), "x": (x1 + x2) / 2,
        "y": (y1 + y2) / 2 - thick / 2 - 11,
    }  # fmt: skip


def short(p: float) -> str:
    """A probability with room for it between two circles; the tables have all of it.

    >>> short(0.3333), short(0.00493), short(0.9999877), short(1.0)
    ('0.333', '< 0.01', '> 0.99', '1')
    """
    if 0 < p < 0.01:
        return "< 0.01"
    return "> 0.99" if 0.9995 <= p < 1 else theme.probability(p)


def derived(problem: Problem, paths: Sequence[Comparison]) -> str:
    """Each path's score as the sum of its terms, those of 0 left out."""
    told = []
    for path in paths:
        written = ""
        for term in terms(problem, path.tags):
            if term.value:
                joint = f" {'−' if term.value < 0 else '+'} " if written else ""
                value = format_score(abs(term.value) if written else term.value)
                written += f"{joint}{value} ({printable(term.what)})"
        name = " ".join(printable(problem.tags[s]) for s in path.tags)
        told.append(f"{name}: {written or '0'} = {format_score(path.score)}.")
    return f"A score is a sum as ever; terms that are 0 are left out. {' '.join(told)}"


def _state(
    problem: Problem, edges: Sequence[Flow], t: int, s: int | None, place: tuple[float, float]
) -> dict[str, Any]:
    x, y = place
    name = "START" if s is None else problem.tags[s]
    held = 1.0 if s is None else sum(e.amount for e in edges if (e.token, e.target) == (t, s))
    return {
        "key": f"{t}·{name}", "kind": "state", "x": x, "y": y, "radius": _RADIUS, "role": None,
        "level": y, "texts": [[x, y, name]], "table": None,
        "title": f"{name}: {theme.probability(held)} of the probability is here",
    }  # fmt: skip


def path_rows(problem: Problem, paths: Sequence[Comparison]) -> list[list[str]]:
    """Every allowed path: its score, its probability as a MEMM's product, and as a CRF's."""
    return [
        [
            " ".join(printable(problem.tags[s]) for s in path.tags),
            format_score(path.score),
            " · ".join(map(theme.probability, path.factors)) + f" = {theme.probability(path.memm)}",
            theme.probability(path.crf),
        ]
        for path in paths
    ]
