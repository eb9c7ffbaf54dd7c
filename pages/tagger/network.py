"""What a tagger's network makes of a sentence, layer by layer; how far a word's influence goes."""

import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor

from crf import LinearChain
from crf.figures.numbers import format_score
from crf.tagger import Tagger
from crf.tagger.features import Vocabulary, affixes, normalise
from pages.shared.figures import theme
from pages.shared.figures.text import LessonText
from pages.shared.ui.client_values import genuine, index, listed, state
from pages.shared.ui.component import component

_COMPONENT = component("layers", "pages/tagger/network_layers", triggers=["pick"])
PARTS = ("word", "affixes", "characters")  # of what is known of a word by itself
NAMES = {"joined": "side by side", "lstm": "BiLSTM"}  # other layers are called as in the code
BINS = 24  # of a strip over the whole column
BEST = 3  # emissions that are shown of a word
MOVED = 0.005  # nats: a smaller influence is not shown
UNKNOWN = Vocabulary(()).index(Vocabulary.UNKNOWN)


class Layer(NamedTuple):
    """One layer of the network for one sentence."""

    name: str  # one of `PARTS`, "joined", "lstm" or "emissions"
    values: Tensor  # [L, size]

    @property
    def shape(self) -> str:
        """Its shape as the code has it."""
        return str([1, *self.values.shape])


class Network(NamedTuple):
    """A sentence on its way through a tagger."""

    tokens: tuple[str, ...]  # [L] words
    unknown: tuple[bool, ...]  # [L] whether the training data did not contain the word
    layers: tuple[Layer, ...]  # from the words' vectors to the emissions, those that there are
    chain: LinearChain  # of the emissions and the tagger's transitions

    def layer(self, name: str) -> Layer | None:
        """The layer of this name; None if this tagger has none."""
        return next((layer for layer in self.layers if layer.name == name), None)


@torch.no_grad()
def run(tagger: Tagger, tokens: Sequence[str]) -> Network:
    """The layers, one after the other, by the tagger's own parts, in evaluation mode."""
    features, encoder = tagger.features([list(tokens)]), tagger.encoder
    found = {}
    if encoder.word_embedding is not None:
        found["word"] = encoder.word_embedding(features.words)
    if encoder.affix_embedding is not None:
        found["affixes"] = encoder.affix_embedding(features.affixes).flatten(2)
    if encoder.char_embedding is not None:
        found["characters"] = encoder.by_character(features)
    if len(found) > 1:
        found["joined"] = encoder.tokens(features)
    if encoder.lstm is not None:
        found["lstm"] = encoder(features)
    found["emissions"] = tagger(features)
    layers = tuple(Layer(name, values[0].cpu()) for name, values in found.items())
    unknown = tuple(tagger.unknown(list(tokens)))
    return Network(tuple(tokens), unknown, layers, tagger.chain([list(tokens)], "plain"))


@torch.no_grad()
def moved(tagger: Tagger, tokens: Sequence[str], token: int, word: str) -> list[float]:
    """[L] by how much each word's emissions move when a word replaces a token: max |Δ|, in nats."""
    other = [*tokens[:token], word, *tokens[token + 1 :]]
    before, after = (tagger(tagger.features([list(words)]))[0] for words in (tokens, other))
    return (after - before).abs().amax(dim=1).tolist()


def pooled(values: Tensor, bins: int) -> list[list[float]]:
    """[L][bins] the entry of largest size in each bin, over the largest of all: from −1 to 1.

    >>> pooled(torch.tensor([[1.0, -4.0, 2.0, 0.5]]), 2)
    [[-1.0, 0.5]]
    """
    size = values.shape[1]
    edges = [size * k // min(bins, size) for k in range(min(bins, size) + 1)]
    parts = values.float().split([b - a for a, b in pairwise(edges)], dim=1)
    found = torch.cat([part.gather(1, part.abs().argmax(1, keepdim=True)) for part in parts], 1)
    return (found / found.abs().max().clamp(min=1e-9)).tolist()


def indices(tagger: Tagger, token: str) -> list[tuple[str, str, int]]:
    """What is looked up for a token: (what, its text, its index or `UNKNOWN`)."""
    featuriser, found = tagger.featuriser, []
    if tagger.encoder.word_embedding is not None:
        found.append(("word", normalise(token), featuriser.words.index(normalise(token))))
    if tagger.encoder.affix_embedding is not None:
        found += [("affix", affix, featuriser.affixes.index(affix)) for affix in affixes(token)]
    return found


# ---------------------------------------------------------------------- the picture


def payload(
    network: Network,
    tags: Sequence[str],
    chosen: tuple[int, int] | None = None,
    influence: Sequence[float] = (),
    source: int = 0,
) -> dict[str, Any]:
    """What is drawn of a network.

    Args:
        network: The sentence and its layers.
        tags: [S] names of the tags.
        chosen: (layer, token) of the box that is open.
        influence: [L] how far each word's emissions move when the source is replaced, in nats;
            empty: no arcs.
        source: The word that is replaced.
    """
    say = LessonText.of("tagger").line
    others = {t: x for t, x in enumerate(influence) if t != source and x > MOVED}
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
                "size": amount / max(others.values()),
                "text": f"{theme.shorten(network.tokens[t])}: {format_score(amount)} nats",
            }
            for t, amount in others.items()
        ],
        "chosen": list(chosen) if chosen else None,
    }


def _rows(network: Network, tags: Sequence[str]) -> list[dict[str, Any]]:
    """The rows from top to bottom; the BiLSTM has one for each direction."""
    rows, parts = [], [layer.name for layer in network.layers if layer.name in PARTS]

    def add(k: int, values: Tensor, cells: list[dict[str, Any]], name: str, **how: Any) -> None:
        cells = [
            cell | {"about": f"{name} of {token}"}
            for cell, token in zip(cells, network.tokens, strict=True)
        ]
        shape = Layer(name, values).shape
        rows.append({"layer": k, "name": name, "shape": shape, "cells": cells} | how)

    def strips(values: Tensor, bins: int) -> list[dict[str, Any]]:
        return [{"strip": strip} for strip in pooled(values, bins)]

    for k, (name, values) in enumerate(network.layers):
        if name in parts:
            cells, place = strips(values, BINS // len(parts)), parts.index(name)
            add(k, values, cells, name, kind="part", place=place, of=len(parts))
        elif name == "joined":
            cells = [{"strip": None}] * len(values)
            add(k, values, cells, NAMES[name], kind="joined", of=len(parts))
        elif name == "lstm":
            right, left = values.chunk(2, dim=1)
            add(k, right, strips(right, BINS), f"{NAMES[name]} →", kind="right")
            add(k, left, strips(left, BINS), f"{NAMES[name]} ←", kind="left")
        else:
            most = min(BEST, len(tags))
            add(k, values, _best(values, tags, most), name, kind="emissions", lines=most)
    return rows


def _best(emissions: Tensor, tags: Sequence[str], most: int) -> list[dict[str, Any]]:
    """The best emissions of each word by their tags."""
    found = emissions.topk(most, dim=1)
    largest = found.values.abs().max().clamp(min=1e-9).item()
    return [
        {
            "lines": [
                {"tag": tags[s], "text": format_score(score, 1), "size": score / largest}
                for s, score in zip(best, scores, strict=True)
            ]
        }
        for best, scores in zip(found.indices.tolist(), found.values.tolist(), strict=True)
    ]


def draw(shown: dict[str, Any], *, key: str, on_pick: Callable[[int, int], None]) -> None:
    """Draw a `payload`; a click on a box calls `on_pick` with its layer and its token."""
    rows, columns = shown["rows"][-1]["layer"] + 1, len(shown["tokens"])

    def picked() -> None:
        place = genuine(state(key, "pick"), listed(index(max(rows, columns)), 2, 2))
        if place is not None and place[0] < rows and place[1] < columns:
            on_pick(place[0], place[1])

    _COMPONENT(key=key, data=shown | {"serial": time.monotonic()}, on_pick_change=picked)
