"""The lesson's two components, and the checks of what they send back.

The gradient of one sentence lives in `assets/components/gradient`, the training run in
`assets/components/training`; both draw what they are sent.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from pages.learning.corpus import Corpus
from pages.shared.ui.component import component

_GRADIENT = component("gradient")
_TRAINING = component("training")


class Place(NamedTuple):
    """Where a reader of a training run is.

    Attributes:
        iteration: From 0.
        sentence: Whose flow is shown.
        weight: Which weight is chosen: "words" or "tags", row, column.
    """

    iteration: int
    sentence: int
    weight: tuple[str, int, int]


def gradient(payload: Mapping[str, Any], *, key: str) -> None:
    """Draw the heat maps of one sentence's gradient; nothing is sent back."""
    _GRADIENT(key=key, data=dict(payload))


def training(
    payload: Mapping[str, Any], corpus: Corpus, *, key: str, on_place: Callable[[Place], None]
) -> None:
    """Draw a training run.

    Args:
        payload: From `pages.learning.payloads`.
        corpus: What it was trained on.
        key: Of the component.
        on_place: Called when the reader has come to another place, and stays there.
    """

    def moved() -> None:
        said = (st.session_state.get(key) or {}).get("place")
        place = check_place(said, corpus, payload["steps"][-1])
        if place is not None:
            on_place(place)

    _TRAINING(key=key, data=dict(payload), on_place_change=moved)


def check_place(said: object, corpus: Corpus, last: int) -> Place | None:
    """The place that the browser sent, or None: anything may come from there."""
    if not isinstance(said, dict):
        return None
    iteration, sentence, weight = (said.get(name) for name in ("iteration", "sentence", "weight"))
    if not _is_index(iteration, last + 1) or not _is_index(sentence, len(corpus.sentences)):
        return None
    if not isinstance(weight, (list, tuple)) or len(weight) != 3:
        return None
    table, row, column = weight
    rows = {"words": len(corpus.words), "tags": len(corpus.tags)}.get(str(table), 0)
    if not _is_index(row, rows) or not _is_index(column, len(corpus.tags)):
        return None
    return Place(iteration, sentence, (str(table), row, column))  # pyright: ignore


def _is_index(value: object, count: int) -> bool:
    return type(value) is int and 0 <= value < count
