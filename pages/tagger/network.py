"""What a tagger's network makes of a sentence, layer by layer; how far a word's influence goes."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from crf import LinearChain
from crf.tagger import Tagger
from crf.tagger.features import affixes, normalise
from crf.tagger.vocabulary import Vocabulary

PARTS = ("word", "affixes", "characters")  # of what is known of a word by itself


class Layer(NamedTuple):
    """One layer of the network for one sentence."""

    name: str  # one of `PARTS`, "joined", "lstm" or "emissions"
    values: Tensor  # [L, size]


class Network(NamedTuple):
    """A sentence on its way through a tagger."""

    tokens: tuple[str, ...]  # [L] words
    unknown: tuple[bool, ...]  # [L] whether the training data did not contain the word
    # from the words' vectors to the emissions; those that this tagger has
    layers: tuple[Layer, ...]
    chain: LinearChain  # of the emissions and the tagger's transitions

    def layer(self, name: str) -> Layer | None:
        """The layer of this name; None if this tagger has none."""
        return next((layer for layer in self.layers if layer.name == name), None)


@torch.no_grad()
def run(tagger: Tagger, tokens: Sequence[str]) -> Network:
    """The layers, one after the other, by the tagger's own parts.

    Args:
        tagger: In evaluation mode, as it is loaded.
        tokens: L words.
    """
    features = tagger.features([list(tokens)])
    encoder = tagger.encoder
    layers = []
    if encoder.word_embedding is not None:
        layers.append(Layer("word", encoder.word_embedding(features.words)[0]))
    if encoder.affix_embedding is not None:
        layers.append(Layer("affixes", encoder.affix_embedding(features.affixes).flatten(2)[0]))
    if encoder.char_embedding is not None:
        layers.append(Layer("characters", encoder.by_character(features)[0]))
    if len(layers) > 1:
        layers.append(Layer("joined", encoder.tokens(features)[0]))
    if encoder.lstm is not None:
        layers.append(Layer("lstm", encoder(features)[0]))
    layers.append(Layer("emissions", tagger(features)[0]))
    layers = [Layer(name, values.cpu()) for name, values in layers]
    unknown = tuple(tagger.unknown(list(tokens)))
    return Network(tuple(tokens), unknown, tuple(layers), tagger.chain([list(tokens)], "plain"))


@torch.no_grad()
def moved(tagger: Tagger, tokens: Sequence[str], token: int, word: str) -> list[float]:
    """[L] by how much each word's emissions move when one word is replaced: max |Δ|, in nats.

    Args:
        tagger: As above.
        tokens: L words.
        token: Which is replaced.
        word: By what.
    """
    other = [*tokens[:token], word, *tokens[token + 1 :]]
    before, after = (tagger(tagger.features([list(words)]))[0] for words in (tokens, other))
    return (after - before).abs().amax(dim=1).tolist()


def pooled(values: Tensor, bins: int) -> list[list[float]]:
    """[L][bins] the entry of largest size in each bin, over the largest of all: from −1 to 1.

    >>> pooled(torch.tensor([[1.0, -4.0, 2.0, 0.5]]), 2)
    [[-1.0, 0.5]]
    """
    L, size = values.shape
    bins = min(bins, size)
    edges = [size * k // bins for k in range(bins + 1)]
    found = torch.zeros(L, bins)
    for k in range(bins):
        part = values[:, edges[k] : edges[k + 1]].float()
        place = part.abs().argmax(dim=1, keepdim=True)
        found[:, k] = part.gather(1, place).squeeze(1)
    largest = found.abs().max().clamp(min=1e-9)
    return (found / largest).tolist()


UNKNOWN = Vocabulary(()).index(Vocabulary.UNKNOWN)


def indices(tagger: Tagger, token: str) -> list[tuple[str, str, int]]:
    """What is looked up for a token: (what, its text, its index or `UNKNOWN`)."""
    featuriser, found = tagger.featuriser, []
    if tagger.encoder.word_embedding is not None:
        found.append(("word", normalise(token), featuriser.words.index(normalise(token))))
    if tagger.encoder.affix_embedding is not None:
        found += [("affix", affix, featuriser.affixes.index(affix)) for affix in affixes(token)]
    return found


@lru_cache(maxsize=4)
def transition_counts(sentences: tuple[tuple[str, ...], ...]) -> dict[tuple[str, str], int]:
    """How often each tag follows each in tagged sentences."""
    return Counter(pair for tags in sentences for pair in pairwise(tags))
