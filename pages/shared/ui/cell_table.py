"""The figure in `crf/figures/heat`: a heat map whose cells can be picked."""

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.figures.tables import Cell
from pages.shared.ui import client_values
from pages.shared.ui.component import component

_COMPONENT = component("cell_table", "crf/figures/heat", triggers=["pick"])


def cell_table(data: Mapping[str, Any], *, key: str, on_pick: Callable[[Cell], None]) -> None:
    """Draw the table of a heat map's payload."""

    def picked() -> None:
        cell = check_pick(client_values.state(key, "pick"), data)
        if cell is not None:
            on_pick(cell)

    _COMPONENT(key=key, data=data, on_pick_change=picked)


def check_pick(pick: object, data: Mapping[str, Any]) -> Cell | None:
    """The cell that the browser named, or None if there is none: anything may come from there."""
    rows, most = data["rows"], max(len(data["rows"]), len(data["columns"]))
    cell = client_values.genuine(pick, client_values.listed(client_values.index(most), 2, 2))
    row, column = cell or (most, most)
    if row >= len(rows) or column >= len(data["columns"]) or rows[row]["cells"][column] is None:
        return None
    return row, column
