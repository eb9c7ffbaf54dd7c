"""How the frequencies of samples approach the marginals, as a curve."""

from collections.abc import Sequence

import plotly.graph_objects as go

from crf.course.draws import MOST

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, MOST)
_MEASURED, _EXPECTED = "#2F7FBF", "#767676"  # 3:1 on white and on the dark background
_CLEAR = "rgba(0,0,0,0)"


def curve(found: Sequence[float], expected: Sequence[float], n: int) -> go.Figure:
    """The distance of frequencies to marginals against the number of samples.

    Args:
        found: For each of `SIZES`, the root mean square distance.
        expected: For each, what theory expects.
        n: The number of samples on screen, one of `SIZES`.

    Returns:
        Trace 0: what was found. Trace 1: what theory expects, a line of slope −1/2. Trace 2: the
        number on screen. Both axes are logarithmic.
    """
    k = SIZES.index(n)
    figure = go.Figure()
    figure.add_scatter(
        x=SIZES, y=found, name="these samples", mode="lines+markers", line={"color": _MEASURED},
        hovertemplate="%{x} samples: off by %{y:.2g}<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=SIZES, y=expected, name="expected: falls like 1/√n", mode="lines",
        line={"color": _EXPECTED, "dash": "dash"},
        hovertemplate="%{x} samples: %{y:.2g} expected<extra></extra>",
    )  # fmt: skip
    figure.add_scatter(
        x=[n], y=[found[k]], name=f"n = {n:,}", mode="markers",
        marker={"symbol": "circle-open", "size": 16, "color": _MEASURED, "line": {"width": 3}},
        hoverinfo="skip",
    )  # fmt: skip
    figure.update_xaxes(title="samples", type="log", tickvals=[1, 10, 100, 1000, MOST])
    figure.update_yaxes(title="distance to the marginals", type="log", exponentformat="power")
    figure.update_layout(
        height=330, margin={"l": 10, "r": 10, "t": 10, "b": 10}, paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR, legend={"orientation": "h", "y": 1.15},
    )  # fmt: skip
    return figure
