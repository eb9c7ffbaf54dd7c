"""What a tagger's network makes of a sentence, layer by layer, and how far a word reaches.

words → x [L, E] → BiLSTM, from the left and from the right [L, H] each → emissions [L, S]
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from crf.figures.flow.payload import Payload
from crf.tagger import Tagger
from crf.tagger.features import Vocabulary, affixes, normalise
from pages.shared.course.state import State
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.ui import taggers
from pages.shared.ui.stage.scores import USUAL

BINS = 24  # of a strip
MOVED = 0.005  # nats: a smaller move is not shown
UNKNOWN = Vocabulary(()).index(Vocabulary.UNKNOWN)


class Layers(NamedTuple):
    """One sentence in a network."""

    vectors: Tensor  # [L, E] of the words by themselves
    right: Tensor | None  # [L, H] of the LSTM that reads from the left; None: there is no LSTM
    left: Tensor | None  # [L, H] of the one that reads from the right
    emissions: Tensor  # [L, S] log-scores


def opened(state: State) -> tuple[str, Tagger, bool]:
    """The tagger whose network is drawn: its key, itself, and whether it is the state's own.

    Scores by hand and models of other programs have no network that could be drawn.
    """
    try:
        tagger = taggers.get(state.given.source)
        if isinstance(tagger, Tagger):
            return state.given.source, tagger, True
    except ModelRefusedError:
        pass
    usual = taggers.get(USUAL)
    assert isinstance(usual, Tagger)
    return USUAL, usual, False


@lru_cache(maxsize=64)
@torch.no_grad()
def read(key: str, tokens: tuple[str, ...]) -> Layers:
    """The layers of a sentence, by the tagger's own parts."""
    tagger = taggers.get(key)
    assert isinstance(tagger, Tagger)
    features = tagger.features([list(tokens)])
    vectors, states = tagger.encoder.tokens(features)[0], tagger.encoder(features)
    right = left = None
    if tagger.encoder.lstm is not None:
        right, left = states[0].cpu().chunk(2, dim=1)
    return Layers(vectors.cpu(), right, left, tagger.projection(states)[0].cpu())


def moved(before: Layers, after: Layers) -> list[float]:
    """[L] how far each word's emissions move: max |Δ|, nats."""
    return (after.emissions - before.emissions).abs().amax(dim=1).tolist()


def parts(tagger: Tagger) -> list[str]:
    """The parts of a word that the network looks up: of "word", "affixes", "characters"."""
    encoder = tagger.encoder
    tables = {
        "word": encoder.word_embedding,
        "affixes": encoder.affix_embedding,
        "characters": encoder.char_embedding,
    }
    return [name for name, table in tables.items() if table is not None]


def indices(tagger: Tagger, token: str) -> list[tuple[str, str, int]]:
    """The look-ups for a token: (part, its text, its index or `UNKNOWN`)."""
    featuriser, found = tagger.featuriser, []
    if tagger.encoder.word_embedding is not None:
        found.append(("word", normalise(token), featuriser.words.index(normalise(token))))
    if tagger.encoder.affix_embedding is not None:
        found += [("affix", affix, featuriser.affixes.index(affix)) for affix in affixes(token)]
    return found


# ---------------------------------------------------------------------- the picture


def strips(values: Tensor) -> list[str]:
    """[L] a strip for each word: digits from 0, light, to 9, the largest number of the layer.

    >>> strips(torch.tensor([[1.0, -4.0, 2.0, 0.0]]))
    ['2940']
    """
    size = values.shape[1]
    edges = [size * k // min(BINS, size) for k in range(min(BINS, size) + 1)]
    sizes = [b - a for a, b in pairwise(edges)]
    largest = torch.stack([p.abs().amax(1) for p in values.float().split(sizes, dim=1)], 1)
    shades = (9 * largest / largest.max().clamp(min=1e-9)).round().int()
    return ["".join(map(str, row)) for row in shades.tolist()]


def picture(state: State) -> Payload:
    """A sentence in the network."""
    key, tagger, _ = opened(state)
    tokens = state.problem.tokens
    layers = read(key, tokens)
    return {
        "tokens": list(tokens),
        "unknown": tagger.unknown(list(tokens)),
        "parts": parts(tagger),
        "layers": _rows(layers),
        "emissions": [_best(row, tagger.tags) for row in layers.emissions],
        "shape": [len(tokens), len(tagger.tags)],
    }


def _rows(layers: Layers) -> list[Payload]:
    tensors = {"vectors": layers.vectors, "right": layers.right, "left": layers.left}
    return [
        {"name": name, "shape": list(values.shape), "strips": strips(values)}
        for name, values in tensors.items()
        if values is not None
    ]


def _best(row: Tensor, tags: Sequence[str], also: int = -1) -> list[Payload]:
    """The two best tags of a word, the best one of before among them, with their scores."""
    best = row.topk(min(2, len(row))).indices.tolist()
    if also >= 0 and also not in best:
        best[-1] = also
    return [{"tag": tags[s], "score": row[s].item()} for s in best]


class Replaced(NamedTuple):
    """One word replaced by another, and the effect on the scores."""

    token: int
    word: str
    before: Layers
    after: Layers
    moved: list[float]  # [L] nats

    @property
    def most(self) -> int | None:
        """The other word whose scores move most; None: none moves."""
        others = {t: x for t, x in enumerate(self.moved) if t != self.token and x > MOVED}
        return max(others, key=others.__getitem__) if others else None


def replaced(state: State, token: int, word: str) -> Replaced:
    """The sentence of a state with one of its words replaced."""
    key, _, _ = opened(state)
    tokens = state.problem.tokens
    other = (*tokens[:token], word, *tokens[token + 1 :])
    before, after = read(key, tokens), read(key, other)
    return Replaced(token, word, before, after, moved(before, after))


def picture_of(change: Replaced, state: State) -> Payload:
    """The changes that the replaced word makes in the picture."""
    _, tagger, _ = opened(state)
    was, now = change.before.emissions, change.after.emissions
    emissions = [
        [line | {"was": old[tagger.tags.index(line["tag"])].item()} for line in lines]
        for old, lines in zip(
            was,
            [_best(row, tagger.tags, int(old.argmax())) for row, old in zip(now, was, strict=True)],
            strict=True,
        )
    ]
    return {
        "layers": _rows(change.after),
        "emissions": emissions,
        "moved": [round(x, 4) for x in change.moved],
        "most": change.most,
    }
