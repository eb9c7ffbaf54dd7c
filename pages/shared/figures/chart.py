"""How a chart of the bench looks: the app's fonts, one light-to-dark scale, light and dark.

figure = go.Figure(go.Scatter(y=losses, line={"color": look(theme).blue}))
styled(figure, look(theme), 420).update_xaxes(title="step")
"""

from typing import NamedTuple

import plotly.graph_objects as go

SANS, SERIF = "Course Sans, Source Sans, sans-serif", "Course Serif, Source Serif, serif"
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


_LIGHT = ("#ffffff", "#e9eff5", "#c9d8e7", "#8fafcd", "#3f6a92")
_DARK = ("#12161a", "#1b2631", "#274056", "#3a6690", "#7cb3e6")
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


def labelled(figure: go.Figure, colours: ChartLook, x: float, y: float, text: str) -> go.Figure:
    """Write a label to the right of a point, instead of a legend."""
    font = {"color": colours.ink, "size": 14}
    return figure.add_annotation(
        x=x, y=y, text=text, showarrow=False, xanchor="left", xshift=8, align="left", font=font
    )
