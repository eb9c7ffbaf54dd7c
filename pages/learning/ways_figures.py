"""Curves: the error of differences against their step, and the plane through two weights."""

import math
from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from pages.learning.training import Run, WeightPlace, plane
from pages.shared.figures import theme

_CLEAR, _GREY = "rgba(0,0,0,0)", "#767676"
_WAY = "#e8388a"  # to be seen on both ends of cividis, and on the page


def v_curve(
    steps: Sequence[float], errors: Mapping[str, Sequence[float]], chosen: float
) -> go.Figure:
    """The largest error of central differences against h, a curve per number format.

    Args:
        steps: The h, largest first.
        errors: Number format → an error for each h; nan where there is none.
        chosen: The reader's h, marked by a line.
    """
    figure = go.Figure()
    for dtype, values in errors.items():
        figure.add_scatter(
            x=list(steps), y=[v if v > 0 and math.isfinite(v) else None for v in values],
            name=dtype, mode="lines+markers",
            line={"color": theme.FORMATS[dtype], "dash": "solid" if dtype == "float64" else "dash"},
            hovertemplate="h = %{x:.0e}: off by %{y:.1e}<extra>" + dtype + "</extra>",
        )  # fmt: skip
    figure.add_vline(x=chosen, line={"color": _GREY, "dash": "dot"})
    for x, anchor, text in ((0.02, "left", "rounding: 1/h"), (0.98, "right", "truncation: h²")):
        figure.add_annotation(
            xref="paper", yref="paper", x=x, y=1.02, xanchor=anchor, yanchor="bottom", text=text,
            showarrow=False,
        )  # fmt: skip
    figure.update_xaxes(title="step h", type="log", exponentformat="power", dtick=2)
    figure.update_yaxes(title="largest error", type="log", exponentformat="power", dtick=2)
    return _plain(figure, 300)


def valley(runs: dict[str, Run], n: int, first: WeightPlace, second: WeightPlace) -> go.Figure:
    """The objective over two weights, the others as in the first run, and a line for each run.

    Args:
        runs: Runs by the name of their start; the first is the one on screen.
        n: The iteration on screen.
        first: The weight along x.
        second: The weight along y.
    """
    run = next(iter(runs.values()))
    ways = {name: (_values(r, first), _values(r, second)) for name, r in runs.items()}
    xs, ys = (_span([v for way in ways.values() for v in way[k]]) for k in (0, 1))
    values = plane(run, n, first, second, xs, ys)
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
    x, y = ways[next(iter(ways))]
    figure.add_scatter(
        x=[x[n]], y=[y[n]], mode="markers", name="now",
        marker={"size": 13, "symbol": "circle-open", "color": _WAY, "line": {"width": 3}},
    )  # fmt: skip
    figure.update_xaxes(title=named(run, first))
    figure.update_yaxes(title=named(run, second))
    return _plain(figure, 380)


def named(run: Run, weight: WeightPlace) -> str:
    """A weight as the page writes it."""
    table, (i, j) = weight
    tags = run.corpus.tags
    if table == "tags":
        return f"T[{tags[i]}, {tags[j]}]"
    return f"w[{run.corpus.words[i]}, {tags[j]}]"


def _values(run: Run, weight: WeightPlace) -> list[float]:
    table, (i, j) = weight
    return getattr(run.weights, table)[:, i, j].tolist()


def _span(values: Sequence[float], points: int = 41) -> list[float]:
    low, high = min(values), max(values)
    room = max(0.35 * (high - low), 1.0)
    return [low - room + (high - low + 2 * room) * k / (points - 1) for k in range(points)]


def _plain(figure: go.Figure, height: int) -> go.Figure:
    figure.update_layout(
        paper_bgcolor=_CLEAR, plot_bgcolor=_CLEAR, height=height,
        margin={"l": 60, "r": 10, "t": 34, "b": 45}, legend={"orientation": "h", "y": -0.28},
    )  # fmt: skip
    figure.update_xaxes(gridcolor="rgba(118,118,118,.25)", zeroline=False)
    figure.update_yaxes(gridcolor="rgba(118,118,118,.25)", zeroline=False)
    return figure
