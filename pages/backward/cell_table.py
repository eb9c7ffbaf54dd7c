"""A heat map of probabilities whose cells can be picked, by mouse or keyboard.

The figure lies in `crf/figures/heat`. It draws texts and colours that are
made here, and says which cell was picked, which is checked here.
"""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from pages.shared.figures import theme
from pages.shared.figures.tables import Cell
from pages.shared.ui import received
from pages.shared.ui.component import component

_COMPONENT = component("cell_table", "crf/figures/heat", triggers=["pick"])


@dataclass(frozen=True)
class Probabilities:
    """What is drawn.

    Attributes:
        label: What the table shows, for screen readers.
        rows: Names of the rows.
        columns: Names of the columns.
        values: [rows][columns] probabilities.
        texts: What is written in the cells, if not the probabilities.
        abouts: (row, column) → what a cell says when it is hovered or read aloud.
        pressed: The cells that are picked.
        sums: Heading and texts of a column on the right.
        footer: Name and texts of rows underneath.
        corner: What rows and columns are.
    """

    label: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]
    abouts: Callable[[int, int], str]
    pressed: Collection[Cell] = ()
    texts: Sequence[Sequence[str]] | None = None
    sums: tuple[str, Sequence[str]] | None = None
    footer: Sequence[tuple[str, Sequence[str]]] = field(default=())
    corner: str = ""


def cell_table(shown: Probabilities, *, key: str, on_pick: Callable[[Cell], None]) -> None:
    """Draw the table.

    Args:
        shown: What is drawn.
        key: Of the component.
        on_pick: Called with the row and column that were picked.
    """

    def picked() -> None:
        cell = check_pick(received.state(key, "pick"), shown)
        if cell is not None:
            on_pick(cell)

    _COMPONENT(key=key, data=payload(shown) | {"serial": time.monotonic()}, on_pick_change=picked)


def check_pick(pick: object, shown: Probabilities) -> Cell | None:
    """The cell that the browser named, or None if there is none: anything may come from there."""
    most = max(len(shown.rows), len(shown.columns))
    found = received.genuine(pick, received.listed(received.index(most), 2, 2))
    if found is None or found[0] >= len(shown.rows) or found[1] >= len(shown.columns):
        return None
    return found[0], found[1]


def payload(shown: Probabilities) -> dict[str, Any]:
    """What is sent: texts and colours."""

    def cell(i: int, j: int) -> list[Any]:
        p = shown.values[i][j]
        text = shown.texts[i][j] if shown.texts else theme.table_probability(p)
        return [text, *theme.probability_colours(p), shown.abouts(i, j), (i, j) in shown.pressed]

    name, totals = shown.sums or ("", [])
    return {
        "label": shown.label,
        "corner": shown.corner,
        "columns": list(shown.columns),
        "rows": [
            {
                "name": row,
                "cells": [cell(i, j) for j in range(len(shown.columns))],
                "sums": [totals[i]] if totals else [],
            }
            for i, row in enumerate(shown.rows)
        ],
        "sums": [name] if totals else [],
        "footer": [[name, list(texts)] for name, texts in shown.footer],
    }
