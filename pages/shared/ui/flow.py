"""Flow on a page: the figure in `crf/figures/flow`, and what it reports."""

from collections.abc import Callable

from crf.figures.flow.payload import HEIGHT, Payload, figure_data
from pages.shared.ui import client_values
from pages.shared.ui.component import component

_COMPONENT = component("flow", "crf/figures/flow", triggers=["choice"])


def flow(
    payload: Payload,
    *,
    key: str,
    on_choice: Callable[[int, str], None] | None = None,
    height: int = HEIGHT,
    grows: bool = False,
    numbers: bool = True,
    intro: bool = False,
) -> None:
    """Draw it; when the payload changes and the words do not, one picture glides into the next.

    `on_choice`: called with a token and the name of one of its tags when the reader clicks a
    block, or picks from the menu of a word; without it nothing can be clicked.
    `grows`: whether a window higher than a laptop's makes it higher.
    """

    def chosen() -> None:
        choice = check_choice(client_values.state(key, "choice"), payload)
        if choice is not None and on_choice is not None:
            on_choice(*choice)

    clickable = on_choice is not None
    data = figure_data(
        payload, key=key, height=height, grows=grows, numbers=numbers, clickable=clickable,
        intro=intro,
    )  # fmt: skip
    _COMPONENT(key=key, data=data, on_choice_change=chosen)


def check_choice(choice: object, payload: Payload) -> tuple[int, str] | None:
    """The token and the tag that the browser sent, or None: anything may come from there."""
    known = client_values.record(
        token=client_values.one_of([column["token"] for column in payload["columns"]]),
        tag=client_values.one_of([tag["name"] for tag in payload["tags"]]),
    )
    found = client_values.genuine(choice, known)
    return None if found is None else (found["token"], found["tag"])
