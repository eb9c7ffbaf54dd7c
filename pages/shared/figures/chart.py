"""How a chart of the bench looks: the app's fonts, one light-to-dark scale, light and dark.

figure = go.Figure(go.Scatter(y=losses, line={"color": look(theme).blue}))
styled(figure, look(theme), 420).update_xaxes(title="step")
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from pages.shared.course.right_to_left import escape

SANS = "Course Sans, Source Sans, sans-serif"
SERIF = "Course Serif, Source Serif, Source Sans, serif"
BAR = {"displayModeBar": False}  # charts of the bench have no bar of buttons
LABEL = 17  # px from label to label
STOPS = (0, 0.25, 0.5, 0.8, 1)


class ChartLook(NamedTuple):
    """The colours of a theme."""

    ink: str
    grey: str
    lines: str
    blue: str
    shades: tuple[str, ...]  # of the stops

    @property
    def scale(self) -> list[tuple[float, str]]:
        """From light to dark, as Plotly reads it; in the dark from dark to light."""
        return list(zip(STOPS, self.shades, strict=True))


# The ink of the theme can be read on each.
_LIGHT = ("#ffffff", "#e9eff5", "#c9d8e7", "#a3c0da", "#7ba6cc")
_DARK = ("#12161a", "#1b2631", "#22384b", "#2d4f70", "#3a6690")
_LOOKS = {
    "light": ChartLook("#1b2126", "#4c565e", "#dfe4e8", "#3f6a92", _LIGHT),
    "dark": ChartLook("#e8ecef", "#aab4bc", "#3a434c", "#7cb3e6", _DARK),
}


def look(theme: str | None) -> ChartLook:
    """The colours of "light" or "dark"; before a browser has said which, of "light"."""
    return _LOOKS.get(theme or "light", _LOOKS["light"])


def styled(figure: go.Figure, colours: ChartLook, height: int) -> go.Figure:
    """Give a figure the bench's fonts, colours and margins; it stands still, and has no legend."""
    figure.update_layout(
        template=None,
        height=height,
        font={"family": SANS, "size": 15, "color": colours.ink},
        margin={"l": 8, "r": 8, "t": 40, "b": 46},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=False,
        dragmode=False,
        hoverlabel={"bgcolor": colours.ink, "font": {"family": SANS, "color": colours.shades[0]}},
    )
    axis = {"zeroline": False, "ticks": "", "automargin": True, "fixedrange": True}
    figure.update_xaxes(**axis, showgrid=False)
    figure.update_yaxes(**axis, gridcolor=colours.lines)
    return figure


class ChartLine(NamedTuple):
    """A line with its label at its end."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    colour: str
    dash: str = "solid"
    mode: str = "lines"


def line_chart(
    lines: Sequence[ChartLine],
    colours: ChartLook,
    axes: tuple[str, str],
    logs: str = "",
    height: int = 380,
) -> go.Figure:
    """Draw lines; their labels stand at their ends, instead of a legend.

    Args:
        lines: The lines; of a log axis, only what is above 0 is drawn.
        colours: Of the theme.
        axes: What stands at x and at y.
        logs: Which axes are logarithmic: "", "x", "y" or "xy".
        height: px.
    """
    figure, ends, every = go.Figure(), [], []
    for line in lines:
        at = {"x": list(line.x), "y": [y if y > 0 or "y" not in logs else None for y in line.y]}
        shape = {"color": line.colour, "width": 3, "dash": line.dash}
        figure.add_scatter(**at, mode=line.mode, line=shape, marker={"size": 8}, name=line.label)
        drawn = [(x, y) for x, y in zip(at["x"], at["y"], strict=True) if y is not None]
        scaled = [math.log10(y) if "y" in logs else y for _, y in drawn]
        every += scaled
        if drawn and line.label:
            x = drawn[-1][0]
            ends.append((scaled[-1], math.log10(x) if "x" in logs else x, line))
    low, high = min(every, default=0.0), max(every, default=1.0)
    last = -math.inf
    for y, x, line in sorted(ends, key=lambda end: end[0]):  # from below, none over another
        place = (y - low) / (high - low or 1.0) * (height - 80)
        last = max(place, last + LABEL)
        figure.add_annotation(
            x=x,
            y=y,
            text=escape(line.label),
            showarrow=False,
            xanchor="left",
            xshift=8,
            yshift=last - place,
            font={"color": line.colour, "size": 14},
        )
    styled(figure, colours, height)
    figure.update_layout(margin={"l": 8, "r": 150, "t": 12, "b": 46}, hovermode="closest")
    figure.update_xaxes(
        title=axes[0], type="log" if "x" in logs else "linear", exponentformat="power"
    )
    return figure.update_yaxes(
        title=axes[1], type="log" if "y" in logs else "linear", exponentformat="power"
    )
