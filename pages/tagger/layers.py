"""The picture: a sentence on its way through the network, by `network_layers`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from pages.shared.course.numbers import format_score
from pages.shared.figures import theme
from pages.shared.ui.component import component
from pages.shared.ui.received import genuine, index, listed, state
from pages.tagger.network import Network, pooled

_COMPONENT = component("layers", "pages/tagger/network_layers", triggers=["pick"])
BINS = 24  # of a strip
NAMES = {
    "index": "word index",
    "word": "word",
    "affixes": "affixes",
    "characters": "characters",
    "lstm": "BiLSTM",
    "emissions": "emissions",
}
_SIZES = {"index": "", "word": "E word", "affixes": "E affixes", "characters": "E characters"}


def shape_of(name: str, L: int, size: int) -> str:
    """A layer's shape as the code has it.

    >>> shape_of("lstm", 5, 512), shape_of("index", 5, 1)
    ('[1, 5, 512]', '[1, 5]')
    """
    return f"[1, {L}]" if name == "index" else f"[1, {L}, {size}]"


def payload(
    network: Network,
    chosen: tuple[int, int] | None = None,
    influence: Sequence[float] = (),
    source: int = 0,
) -> dict[str, Any]:
    """What is drawn.

    Args:
        network: The sentence and its layers.
        chosen: (layer, token) of the box that is open.
        influence: [L] how far each word's emissions move when the source is replaced, in nats;
            empty: no arcs.
        source: The word that is replaced.
    """
    L = len(network.tokens)
    most = max((x for t, x in enumerate(influence) if t != source), default=0.0)
    rows = []
    for layer in network.layers:
        strips = None if layer.name == "index" else pooled(layer.values, BINS)
        rows.append(
            {
                "name": NAMES[layer.name],
                "shape": shape_of(layer.name, L, layer.values.shape[1]),
                "cells": [
                    {
                        "strip": strips[t] if strips else None,
                        "text": str(int(layer.values[t, 0])) if strips is None else "",
                        "about": f"{NAMES[layer.name]} of {network.tokens[t]}",
                    }
                    for t in range(L)
                ],
            }
        )
    return {
        "label": "A sentence in the network: a column for each word, a row for each layer",
        "tokens": [
            {
                "text": token,
                "unknown": unknown,
                "about": f"{token}: not in the training data" if unknown else token,
            }
            for token, unknown in zip(network.tokens, network.unknown, strict=True)
        ],
        "rows": rows,
        "arcs": [
            {
                "from": source,
                "to": t,
                "size": amount / most,
                "text": f"{theme.shorten(network.tokens[t])}: {format_score(amount)} nats",
            }
            for t, amount in enumerate(influence)
            if t != source and most > 0.005 and amount > 0.005
        ],
        "chosen": list(chosen) if chosen else None,
    }


def layers(shown: dict[str, Any], *, key: str, on_pick: Callable[[tuple[int, int]], None]) -> None:
    """Draw it.

    Args:
        shown: From `payload`.
        key: Of the component.
        on_pick: Called with the layer and the token of a box that was clicked.
    """
    rows, columns = len(shown["rows"]), len(shown["tokens"])

    def picked() -> None:
        place = genuine(state(key, "pick"), listed(index(max(rows, columns)), 2, 2))
        if place is not None and place[0] < rows and place[1] < columns:
            on_pick((place[0], place[1]))

    _COMPONENT(key=key, data=shown | {"serial": time.monotonic()}, on_pick_change=picked)
