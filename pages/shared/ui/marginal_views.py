"""The marginals of a sentence as flow, as heat map or as table: one picture in three views."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from crf.figures.flow.payload import THRESHOLD
from crf.figures.heat.payload import Probabilities, payload
from pages.shared.figures import tables
from pages.shared.figures.theme import probability
from pages.shared.ui.cell_table import cell_table
from pages.shared.ui.controls import Choice
from pages.shared.ui.words import say

_VIEWS = ("flow", "heat", "table")
VIEW = {
    page: Choice(
        f"{page}.marginals.view", "flow", address="as", labels=dict.fromkeys(views, ""),
        words=lambda name: say(f"marginals.{name}"),
    )
    for page, views in (("tag", _VIEWS), ("backward", (*_VIEWS, "meet")))
}  # fmt: skip
_MANY = 12  # tags; of more, those that are improbable at every token are left out, as in the flow
_DIGITS = 4  # of the table: what a colour cannot tell


def switch(page: str, *, brief: bool = False) -> str:
    """Draw the switch of a page; the view that it asks for.

    `brief`: whether a button for each other view stands for it as long as the flow is shown.
    """
    view = VIEW[page]
    if brief and view.value == "flow":
        for other, icon in (("heat", ":material/grid_on:"), ("table", ":material/table:")):
            st.button(view.label(other), icon=icon, on_click=view.set, args=(other,))
        return view.value
    return view.widget(say("marginals.as"), label_visibility="collapsed")


def heat_map(
    tags: Sequence[str],
    tokens: Sequence[str],
    marginals: Sequence[Sequence[float]],
    held: Mapping[int, int],
) -> Probabilities:
    """The heat map, tags by tokens."""
    by_tag = list(zip(*marginals, strict=True))
    rows = range(len(tags))
    if len(tags) > _MANY:
        rows = [s for s in rows if max(by_tag[s]) >= THRESHOLD or s in held.values()]
    names, values = [tags[s] for s in rows], [by_tag[s] for s in rows]
    return Probabilities(
        say("marginals.title"), names, tokens, values,
        lambda k, t: f"p({tokens[t]} = {names[k]}) = {probability(values[k][t])}",
        {(rows.index(s), t) for t, s in held.items()},
    )  # fmt: skip


def heat_payload(shown: Probabilities) -> dict[str, Any]:
    """What is sent of a heat map while a score is being moved."""
    return payload(shown) | {"serial": time.monotonic()}


def draw(
    view: str, shown: Probabilities, *, key: str, on_choice: Callable[[int, str], None]
) -> None:
    """Draw the heat map, whose cells can be picked as the blocks of the flow can, or the table."""
    if view == "heat":
        data = payload(shown)
        cell_table(data, key=key, on_pick=lambda cell: on_choice(cell[1], shown.rows[cell[0]]))
        return
    digits = [[f"{p:.{_DIGITS}f}" for p in row] for row in shown.values]
    rows = [[tag, *texts] for tag, texts in zip(shown.rows, digits, strict=True)]
    table = tables.text_table(["", *shown.columns], rows, shown.label)
    st.html(f'<div data-figure="marginals">{table}</div>')
