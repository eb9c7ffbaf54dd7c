"""The lesson's two components, and the checks of what they send back.

The gradient of one sentence is a figure of `crf.figures`, the training run lies in `training_run`;
both draw what they are sent.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pages.learning import payloads
from pages.learning.corpus import Corpus
from pages.learning.training import Run
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.component_data import pack, zipped

_GRADIENT = component("gradient", "crf/figures/gradient")
_TRAINING = component(
    "training", "pages/learning/training_run", styles=["crf/figures/gradient/heat.css"]
)


class Place(NamedTuple):
    """Where a reader of a training run is."""

    iteration: int  # from 0
    sentence: int  # whose flow is shown
    weight: tuple[str, int, int]  # which weight is chosen: "words" or "tags", row, column


def gradient(payload: Mapping[str, Any], *, key: str) -> None:
    """Draw the heat maps of one sentence's gradient; nothing is sent back."""
    _GRADIENT(key=key, data=dict(payload))


def training(run: Run, at: Place, *, key: str, on_place: Callable[[Place], None]) -> None:
    """Draw a training run.

    Args:
        run: The run.
        at: Where its reader begins.
        key: Of the component.
        on_place: Called when the reader has come to another place, and stays there.
    """

    def moved() -> None:
        place = check_place(client_values.state(key, "place"), run.corpus, run.iterations)
        if place is not None:
            on_place(place)

    kept = payloads.packed(run.corpus, run.settings)
    _TRAINING(key=key, data=pack(kept, zipped({"place": at._asdict()})), on_place_change=moved)


def check_place(said: object, corpus: Corpus, last: int) -> Place | None:
    """The place that the browser sent, or None: anything may come from there."""
    rows = {"words": len(corpus.words), "tags": len(corpus.tags)}
    outer = client_values.record(
        iteration=client_values.index(last + 1),
        sentence=client_values.index(len(corpus.sentences)),
        table=client_values.one_of(tuple(rows)),
        column=client_values.index(len(corpus.tags)),
    )
    place = client_values.genuine(said, outer)
    if place is None:
        return None
    row = client_values.genuine(
        said, client_values.record(row=client_values.index(rows[place["table"]]))
    )
    if row is None:
        return None
    weight = (place["table"], row["row"], place["column"])
    return Place(place["iteration"], place["sentence"], weight)
