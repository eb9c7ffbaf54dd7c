"""A graph: nodes that say what they hold when one looks at them, and perhaps tags to click.

The component lives in `assets/components/graph`. It draws what it is sent and sends
back which tag's node was clicked, which is checked here.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.ui import received
from pages.shared.ui.component import component

_COMPONENT = component("model_graph", "graph")


def graph(
    drawing: Mapping[str, Any],
    *,
    key: str,
    tokens: int = 0,
    on_click: Callable[[int], None] | None = None,
) -> None:
    """Draw it.

    Args:
        drawing: From `pages.structure.graph_figures`, with a `hint` to show at first.
        key: Of the component.
        tokens: How many tags there are to click, if any.
        on_click: Called with the token whose tag was clicked.
    """

    def clicked() -> None:
        token = check_click(received.state(key, "choice"), tokens)
        if token is not None and on_click is not None:
            on_click(token)

    _COMPONENT(key=key, data={"drawing": dict(drawing)}, on_choice_change=clicked)


def check_click(choice: object, tokens: int) -> int | None:
    """The token that the browser sent, or None if it is none: anything may come from there."""
    found = received.genuine(choice, received.record(token=received.index(tokens)))
    return None if found is None else found["token"]
