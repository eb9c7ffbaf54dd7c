"""The objective over two weights as a contour, and the way of each run through it."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
import torch

from pages.learning.training import Run, Weights, objective

WeightPlace = tuple[str, tuple[int, int]]  # a field of `Weights`, and an index into it
_WAY = "#e8388a"  # to be seen on both ends of cividis, and on the page


def named(run: Run, weight: WeightPlace) -> str:
    """A weight as the page writes it."""
    table, (i, j) = weight
    tags = run.corpus.tags
    if table == "tags":
        return f"T[{tags[i]}, {tags[j]}]"
    return f"w[{run.corpus.words[i]}, {tags[j]}]"


def most_moved(run: Run, but: WeightPlace) -> list[WeightPlace]:
    """All weights but one; those that the run moved most come first."""
    moved = {
        (table, at): -abs((values[-1][at] - values[0][at]).item())
        for table, values in run.weights._asdict().items()
        for at in np.ndindex(*values.shape[1:])
        if (table, at) != but
    }
    return sorted(moved, key=moved.__getitem__)


def heights(
    run: Run, n: int, first: WeightPlace, second: WeightPlace, xs: list[float], ys: list[float]
) -> list[list[float]]:
    """[len(ys)][len(xs)] L where two weights vary, and the others are as after n iterations."""
    weights = Weights(*(table[n].repeat(len(xs) * len(ys), 1, 1) for table in run.weights))
    varied = {first: xs * len(ys), second: [y for y in ys for _ in xs]}
    for (table, (i, j)), values in varied.items():
        getattr(weights, table)[:, i, j] = torch.tensor(values, dtype=torch.float64)
    return objective(run.corpus, run.settings, weights).reshape(len(ys), len(xs)).tolist()


def valley(runs: Mapping[str, Run], n: int, first: WeightPlace, second: WeightPlace) -> go.Figure:
    """The objective over two weights, along x and y, and a line for each run by its start.

    The other weights are those of the first run, the one on screen, after n iterations.
    """
    run = next(iter(runs.values()))
    ways = {name: (_values(r, first), _values(r, second)) for name, r in runs.items()}
    xs, ys = (_span([v for way in ways.values() for v in way[k]]) for k in (0, 1))
    values = heights(run, n, first, second, xs, ys)
    top = max(v for row in values for v in row)
    figure = go.Figure(
        go.Contour(
            x=xs, y=ys, z=[[-math.log10(1e-3 + (top - v)) for v in row] for row in values],
            customdata=values, colorscale="Cividis", showscale=False, ncontours=16,
            contours={"coloring": "heatmap"}, line={"width": 0.5},
            hovertemplate="%{x:.2f}, %{y:.2f}: L = %{customdata:.4g}<extra></extra>",
        )
    )  # fmt: skip
    for (name, (x, y)), dash in zip(ways.items(), ("solid", "dash", "dot"), strict=False):
        figure.add_scatter(
            x=x, y=y, name=name, mode="lines+markers", marker={"size": 4, "color": _WAY},
            line={"color": _WAY, "dash": dash},
            hovertemplate="%{x:.2f}, %{y:.2f}<extra>" + name + "</extra>",
        )  # fmt: skip
    x, y = next(iter(ways.values()))
    figure.add_scatter(
        x=[x[n]], y=[y[n]], mode="markers", name="now",
        marker={"size": 13, "symbol": "circle-open", "color": _WAY, "line": {"width": 3}},
    )  # fmt: skip
    figure.update_xaxes(title=named(run, first))
    figure.update_yaxes(title=named(run, second))
    return figure


def _values(run: Run, weight: WeightPlace) -> list[float]:
    table, (i, j) = weight
    return getattr(run.weights, table)[:, i, j].tolist()


def _span(values: Sequence[float], points: int = 41) -> list[float]:
    low, high = min(values), max(values)
    room = max(0.35 * (high - low), 1.0)
    return [low - room + (high - low + 2 * room) * k / (points - 1) for k in range(points)]
