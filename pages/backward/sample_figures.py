"""How the frequencies of samples approach the marginals, as a curve."""

from collections.abc import Sequence

import plotly.graph_objects as go

from pages.backward.samples import MOST
from pages.shared.figures.theme import probability

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, MOST)
_TICKS = (1, 10, 100, 1000, MOST)
_MEASURED, _EXPECTED = "#2F7FBF", "#767676"  # 3:1 on white and on the dark background
_CLEAR = "rgba(0,0,0,0)"


def floor(expected: Sequence[float]) -> float:
    """The bottom of the curve: a tenth of the smallest distance that theory expects.

    >>> floor([0.5, 0.05])
    0.005
    """
    return min(expected) / 10


def curve(found: Sequence[float], expected: Sequence[float], n: int) -> go.Figure:
    """The distance of frequencies to marginals against the number of samples.

    Args:
        found: For each of `SIZES`, the root mean square distance.
        expected: For each, what theory expects.
        n: The number of samples on screen, one of `SIZES`.

    Returns:
        Trace 0: what was found. Trace 1: what theory expects, a line of slope −1/2. Trace 2: the
        number on screen. Both axes are logarithmic; what is below `floor` is drawn there, so that
        an exact hit leaves the rest of the curve readable.
    """
    k, bottom = SIZES.index(n), floor(expected)
    drawn = [max(distance, bottom) for distance in found]
    figure = go.Figure()
    figure.add_scatter(
        x=SIZES, y=drawn, name="these samples", mode="lines+markers", line={"color": _MEASURED},
        text=[probability(distance) for distance in found],
        hovertemplate="%{x:,} samples: off by %{text}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=SIZES, y=expected, name="expected: falls like 1/√n", mode="lines",
        line={"color": _EXPECTED, "dash": "dash"},
        text=[probability(distance) for distance in expected],
        hovertemplate="%{x:,} samples: %{text} expected<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[n], y=[drawn[k]], name=f"n = {n:,}", mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": _MEASURED, "line": {"width": 3}},
        hoverinfo="skip",
    )  # fmt: skip
    figure.update_xaxes(
        title="samples", type="log", tickvals=_TICKS, ticktext=[f"{n:,}" for n in _TICKS]
    )
    figure.update_yaxes(
        title="distance to the marginals", type="log", dtick=1, exponentformat="power"
    )
    figure.update_layout(
        height=330, margin={"l": 10, "r": 10, "t": 10, "b": 10}, paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom"},
    )  # fmt: skip
    return figure
