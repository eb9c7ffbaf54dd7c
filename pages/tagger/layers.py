"""The picture: a sentence on its way through the network, by `network_layers`."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from crf.figures.numbers import format_score
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui.client_values import genuine, index, listed, state
from pages.shared.ui.component import component
from pages.tagger.network import PARTS, Layer, Network, pooled

_COMPONENT = component("layers", "pages/tagger/network_layers", triggers=["pick"])
BINS = 24  # of a strip over the whole column
BEST = 3  # emissions that are shown of a word
NAMES = {
    "word": "word",
    "affixes": "affixes",
    "characters": "characters",
    "joined": "side by side",
    "lstm": "BiLSTM",
    "emissions": "emissions",
}


def shape_of(L: int, size: int) -> str:
    """A layer's shape as the code has it.

    >>> shape_of(5, 512)
    '[1, 5, 512]'
    """
    return f"[1, {L}, {size}]"


def payload(
    network: Network,
    tags: Sequence[str],
    chosen: tuple[int, int] | None = None,
    influence: Sequence[float] = (),
    source: int = 0,
) -> dict[str, Any]:
    """What is drawn.

    Args:
        network: The sentence and its layers.
        tags: [S] names of the tags.
        chosen: (layer, token) of the box that is open.
        influence: [L] how far each word's emissions move when the source is replaced, in nats;
            empty: no arcs.
        source: The word that is replaced.
    """
    say = LessonText.of("tagger").line
    most = max((x for t, x in enumerate(influence) if t != source), default=0.0)
    return {
        "label": say("charts.layers"),
        "tokens": [
            {
                "text": token,
                "unknown": unknown,
                "about": say("charts.unknown", token=token) if unknown else token,
            }
            for token, unknown in zip(network.tokens, network.unknown, strict=True)
        ],
        "rows": _rows(network, tags),
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


def _rows(network: Network, tags: Sequence[str]) -> list[dict[str, Any]]:
    """The rows from top to bottom; the BiLSTM has one for each direction."""
    rows, parts = [], [layer.name for layer in network.layers if layer.name in PARTS]
    for k, layer in enumerate(network.layers):
        if layer.name in parts:
            how = {"kind": "part", "place": parts.index(layer.name), "of": len(parts)}
            rows.append(_row(network, k, layer.values, BINS // len(parts), how))
        elif layer.name == "joined":
            rows.append(_row(network, k, layer.values, 0, {"kind": "joined", "of": len(parts)}))
        elif layer.name == "lstm":
            for kind, arrow, half in zip(
                ("right", "left"), "→←", layer.values.chunk(2, dim=1), strict=True
            ):
                how = {"kind": kind, "name": f"{NAMES['lstm']} {arrow}"}
                rows.append(_row(network, k, half, BINS, how))
        else:
            rows.append(_emissions(network, k, layer, tags))
    return rows


def _row(
    network: Network, k: int, values: Tensor, bins: int, how: dict[str, Any]
) -> dict[str, Any]:
    name = how.get("name", NAMES[network.layers[k].name])
    strips = pooled(values, bins) if bins else [None] * len(network.tokens)
    cells = [
        {"strip": strip, "about": f"{name} of {token}"}
        for token, strip in zip(network.tokens, strips, strict=True)
    ]
    return {"layer": k, "name": name, "shape": shape_of(*values.shape), "cells": cells} | how


def _emissions(network: Network, k: int, layer: Layer, tags: Sequence[str]) -> dict[str, Any]:
    """The best emissions of each word by their tags."""
    found = layer.values.topk(min(BEST, len(tags)), dim=1)
    largest = found.values.abs().max().clamp(min=1e-9).item()
    cells = [
        {
            "lines": [
                {"tag": tags[s], "text": format_score(score, 1), "size": score / largest}
                for s, score in zip(best, scores, strict=True)
            ],
            "about": f"{NAMES[layer.name]} of {token}",
        }
        for token, best, scores in zip(
            network.tokens, found.indices.tolist(), found.values.tolist(), strict=True
        )
    ]
    how = {"kind": "emissions", "lines": found.values.shape[1], "cells": cells}
    return _row(network, k, layer.values, 0, {}) | how


def layers(shown: dict[str, Any], *, key: str, on_pick: Callable[[tuple[int, int]], None]) -> None:
    """Draw it.

    Args:
        shown: From `payload`.
        key: Of the component.
        on_pick: Called with the layer and the token of a box that was clicked.
    """
    rows, columns = shown["rows"][-1]["layer"] + 1, len(shown["tokens"])

    def picked() -> None:
        place = genuine(state(key, "pick"), listed(index(max(rows, columns)), 2, 2))
        if place is not None and place[0] < rows and place[1] < columns:
            on_pick((place[0], place[1]))

    _COMPONENT(key=key, data=shown | {"serial": time.monotonic()}, on_pick_change=picked)
