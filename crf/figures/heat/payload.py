"""Probabilities as a table of coloured cells that can be picked. Data in, plain dict out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..colours import probability_colours
from ..numbers import format_probability, format_table_probability
from ..words import words

if TYPE_CHECKING:
    from ...chain import LinearChain

FOLDER = Path(__file__).parent  # has its words


@dataclass(frozen=True)
class Probabilities:
    """Contents of the heat map."""

    label: str  # what the table shows, for screen readers
    rows: Sequence[str]  # names of the rows
    columns: Sequence[str]  # names of the columns
    values: Sequence[Sequence[float]]  # [rows][columns] probabilities
    # (row, column) → what a cell says when it is hovered or read aloud
    abouts: Callable[[int, int], str]
    pressed: Collection[tuple[int, int]] = ()  # the cells that are picked
    # what is written in the cells, if not the probabilities
    texts: Sequence[Sequence[str]] | None = None
    sums: tuple[str, Sequence[str]] | None = None  # heading and texts of a column on the right
    # name and texts of rows underneath
    footer: Sequence[tuple[str, Sequence[str]]] = field(default=())
    corner: str = ""  # what rows and columns are


def payload(table: Probabilities) -> dict[str, Any]:
    """Return the payload: texts and colours."""

    def cell(i: int, j: int) -> list[Any]:
        p = table.values[i][j]
        text = table.texts[i][j] if table.texts else format_table_probability(p)
        return [text, *probability_colours(p), table.abouts(i, j), (i, j) in table.pressed]

    name, totals = table.sums or ("", [])
    return {
        "label": table.label,
        "corner": table.corner,
        "columns": list(table.columns),
        "rows": [
            {
                "name": row,
                "cells": [cell(i, j) for j in range(len(table.columns))],
                "sums": [totals[i]] if totals else [],
            }
            for i, row in enumerate(table.rows)
        ],
        "sums": [name] if totals else [],
        "footer": [[name, list(texts)] for name, texts in table.footer],
    }


def of_chain(
    chain: LinearChain, tags: Sequence[str], tokens: Sequence[str], row: int = 0
) -> dict[str, Any]:
    """Write the marginals of a chain: a row for each tag, a column for each token.

    Args:
        chain: Any chain.
        tags: [S] names.
        tokens: [L] words.
        row: Which of the batch.
    """
    values = chain.marginals[row].T.tolist()

    def about(i: int, j: int) -> str:
        return f"p({tokens[j]} = {tags[i]}) = {format_probability(values[i][j])}"

    label = words(FOLDER)["label"]
    return payload(Probabilities(label, tags, tokens, values, about))
