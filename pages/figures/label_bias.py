"""Label bias, drawn: how probability flows through the chain when it is normalised in two ways."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from crf.course.label_bias import Comparison
from crf.course.numbers import format_score
from crf.course.problem import Problem
from pages.figures import theme
from pages.figures.narration import printable

_LEFT, _STEP, _TOP, _ROW, _RADIUS = 40, 130, 46, 84, 26  # pixels
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


def flow_svg(problem: Problem, edges: Sequence[Flow], title: str) -> str:
    """Columns of tags joined by lines as thick as the probability that passes along them."""
    columns: list[list[int]] = [
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
    width, height = 2 * _LEFT + _STEP * len(columns), _TOP + _ROW * (most - 1) + 76
    parts = [_flow(edge, places) for edge in edges]
    parts += [
        _state("START" if s is None else problem.tags[s], place) for (_, s), place in places.items()
    ]
    parts += [
        f'<text x="{_LEFT + _STEP * (t + 1)}" y="{height - 8}" font-size="14">reads '
        f"‘{escape(printable(token))}’</text>"
        for t, token in enumerate(problem.tokens)
    ]
    return (
        f'<div class="crf-scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
        f'<svg class="crf-flow" role="img" aria-label="{escape(title)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" text-anchor="middle" '
        f'fill="currentColor">{"".join(parts)}</svg></div>'
    )


def _flow(edge: Flow, places: Mapping) -> str:
    (x1, y1), (x2, y2) = places[edge.token - 1, edge.source], places[edge.token, edge.target]
    thick = max(1.0, _THICKEST * edge.amount)
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 - thick / 2 - 8
    dash = ' stroke-dasharray="3 4"' if edge.amount < 0.005 else ""
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="currentColor" '
        f'stroke-opacity=".45" stroke-width="{thick:.1f}"{dash}/>'
        f'<text x="{x}" y="{y}" font-size="14">{escape(theme.probability(edge.local))}</text>'
    )


def _state(name: str, place: tuple[float, float]) -> str:
    x, y = place
    return (
        f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" class="crf-flow-state"/>'
        f'<text x="{x}" y="{y + 4}" font-size="{12 if len(name) > 2 else 15}">'
        f"{escape(theme.shorten(name, 6))}</text>"
    )


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
