"""The figure in `crf/figures/heat`: a heat map of probabilities whose cells can be picked."""

import time
from collections.abc import Callable

from crf.figures.heat.payload import Probabilities, payload
from pages.shared.figures.tables import Cell
from pages.shared.ui import client_values
from pages.shared.ui.component import component

_COMPONENT = component("cell_table", "crf/figures/heat", triggers=["pick"])


def cell_table(shown: Probabilities, *, key: str, on_pick: Callable[[Cell], None]) -> None:
    """Draw the table."""

    def picked() -> None:
        cell = check_pick(client_values.state(key, "pick"), shown)
        if cell is not None:
            on_pick(cell)

    data = payload(shown) | {"key": key, "serial": time.monotonic()}
    _COMPONENT(key=key, data=data, on_pick_change=picked)


def check_pick(pick: object, shown: Probabilities) -> Cell | None:
    """The cell that the browser named, or None if there is none: anything may come from there."""
    most = max(len(shown.rows), len(shown.columns))
    found = client_values.genuine(pick, client_values.listed(client_values.index(most), 2, 2))
    row, column = found or (most, most)
    return (row, column) if row < len(shown.rows) and column < len(shown.columns) else None
