"""A heat map: the number in a cell is a value, its shade is the share of a column or of all cells.

    heat_map(HeatCells(values, shares, texts, rows, columns), "log α", theme="light", at=(3, 1))

The shade is the share's logarithm: each factor of ten is one step, from 1 down to 10⁻⁵. A linear
shade would show a few dark cells and nothing else.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import plotly.graph_objects as go

from crf.figures.trellis.narration import printable
from pages.shared.course.right_to_left import escape
from pages.shared.figures.chart import SERIF, ChartLook, look, styled

LEAST = -5  # log₁₀ of the share from which on a cell has no shade
WIDE = 560  # px of all columns, in a window of 1280
DIGIT, LETTER = 8, 10  # px of a cell's digit and of a head's letter
ROW, AROUND = 26, 118  # px of a row, and of all that stands around them
_TICKS = ("10⁻⁵", "10⁻⁴", ".001", ".01", ".1", "1")


class HeatCells(NamedTuple):
    """What a heat map shows: [rows][columns] each."""

    values: Sequence[Sequence[float]]
    shares: Sequence[Sequence[float]]  # from 0 to 1
    texts: Sequence[Sequence[str]]
    rows: Sequence[str]
    columns: Sequence[str]


def heat_map(
    cells: HeatCells,
    quantity: str,
    theme: str | None,
    at: tuple[int, int] | None = None,
    hidden: Sequence[int] = (),
) -> go.Figure:
    """Draw it; over each cell lies an invisible point, which tells of a click.

    Args:
        cells: The numbers, exact, and as they are written.
        quantity: What they are; hovering says it with row, column and all digits.
        theme: "light" or "dark".
        at: Row and column of the cell to outline.
        hidden: Columns whose numbers an open question asks for: they are hatched.
    """
    colours = look(theme)
    wide, high = len(cells.columns), len(cells.rows)
    z = [[max(math.log10(p), LEAST) if p > 0 else LEAST for p in row] for row in cells.shares]
    fits = wide * DIGIT * max(len(text) for row in cells.texts for text in row) <= WIDE
    figure = go.Figure(
        go.Heatmap(
            z=z,
            zmin=LEAST,
            zmax=0,
            colorscale=colours.scale,
            xgap=1.5,
            ygap=1.5,
            hoverinfo="skip",
            text=[list(map(_plain, row)) for row in cells.texts] if fits else None,
            texttemplate="%{text}" if fits else None,
            textfont={"size": 14, "color": colours.ink},
            colorbar=_colour_bar(colours),
        )
    )
    places = [(i, j) for i in range(high) for j in range(wide)]
    figure.add_scatter(
        x=[j for _, j in places],
        y=[i for i, _ in places],
        mode="markers",
        marker={"symbol": "square", "size": 24, "opacity": 0},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        customdata=[_exactly(cells, i, j) for i, j in places],
        hovertemplate=f"{quantity} (%{{customdata[0]}}) = %{{customdata[1]}}<extra></extra>",
    )
    if hidden:
        pattern = {"shape": "/", "size": 7, "fgcolor": colours.grey}
        figure.add_bar(
            x=list(hidden),
            y=[high] * len(hidden),
            base=-0.5,
            width=0.98,
            marker={"color": colours.shades[0], "pattern": pattern},
            hoverinfo="skip",
        )
    if at is not None:
        i, j = at
        edges = {"x0": j - 0.5, "x1": j + 0.5, "y0": i - 0.5, "y1": i + 0.5}
        figure.add_shape(type="rect", line={"color": colours.ink, "width": 3.5}, **edges)
    return _laid_out(figure, cells, colours)


def _exactly(cells: HeatCells, i: int, j: int) -> tuple[str, str]:
    value = cells.values[i][j]
    place = _plain(f"{cells.columns[j]}, {cells.rows[i]}")
    return place, "?" if math.isnan(value) else f"{value:.10g}"


def _plain(text: str) -> str:
    """A name as it stands: Plotly reads some markup."""
    return escape(printable(text))


def _colour_bar(colours: ChartLook) -> dict[str, object]:
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "ypad": 8,
        "len": 0.5,
        "thickness": 9,
        "outlinewidth": 0,
        "tickvals": list(range(LEAST, 1)),
        "ticktext": _TICKS,
        "tickfont": {"size": 13, "color": colours.grey},
    }


def _laid_out(figure: go.Figure, cells: HeatCells, colours: ChartLook) -> go.Figure:
    wide, high = len(cells.columns), len(cells.rows)
    styled(figure, colours, ROW * high + AROUND)
    figure.update_layout(plot_bgcolor=colours.lines, clickmode="event+select")  # between the cells
    columns = {"tickvals": list(range(wide)), "ticktext": list(map(_plain, cells.columns))}
    rows = {"tickvals": list(range(high)), "ticktext": [f"{_plain(row)} " for row in cells.rows]}
    turned = wide * LETTER * max(map(len, cells.columns)) > WIDE
    figure.update_xaxes(
        **columns,
        side="top",
        range=[-0.53, wide - 0.47],
        tickangle=-90 if turned else 0,
        tickfont={"family": SERIF, "size": 14 if turned else 19},
    )
    figure.update_yaxes(**rows, showgrid=False, range=[high - 0.46, -0.54], tickfont={"size": 14})
    return figure
