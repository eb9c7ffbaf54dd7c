"""Two pictures: what a tagger's network makes of a sentence, and why training takes minibatches."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from crf import LinearChain
from crf.figures.flow.payload import Payload
from crf.tagger import Tagger
from crf.tagger.features import Vocabulary, affixes, normalise
from pages.shared.course.state import State
from pages.shared.course.uploaded_taggers import ModelRefusedError
from pages.shared.ui import taggers
from pages.shared.ui.stage.scores import USUAL
from pages.words.training import bundled

# ---------------------------------------------------------------------- the network
# words → x [L, E] → BiLSTM, from the left and from the right [L, H] each → emissions [L, S]

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
def layers_of(key: str, tokens: tuple[str, ...]) -> Layers:
    """The layers of a sentence, by the tagger's own parts."""
    tagger = taggers.get(key)
    assert isinstance(tagger, Tagger)
    features = tagger.features([list(tokens)])
    vectors, states = tagger.encoder.tokens(features)[0], tagger.encoder(features)
    right = left = None
    if tagger.encoder.lstm is not None:
        right, left = states[0].cpu().chunk(2, dim=1)
    return Layers(vectors.cpu(), right, left, tagger.projection(states)[0].cpu())


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
    featuriser, word, rows = tagger.featuriser, normalise(token), []
    if tagger.encoder.word_embedding is not None:
        rows.append(("word", word, featuriser.words.index(word)))
    if tagger.encoder.affix_embedding is not None:
        rows += [("affix", affix, featuriser.affixes.index(affix)) for affix in affixes(token)]
    return rows


def strips(values: Tensor) -> list[str]:
    """[L] a strip for each word: digits from 0, light, to 9, the largest number of the layer.

    >>> strips(torch.tensor([[1.0, -4.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]]))
    ['2940', '0002']
    """
    size = values.shape[1]
    edges = [size * k // min(BINS, size) for k in range(min(BINS, size) + 1)]
    sizes = [b - a for a, b in pairwise(edges)]
    largest = torch.stack([p.abs().amax(1) for p in values.float().split(sizes, dim=1)], 1)
    shades = (9 * largest / largest.max().clamp(min=1e-9)).round().int()
    return ["".join(map(str, row)) for row in shades.tolist()]


def network(state: State) -> Payload:
    """A sentence in the network."""
    key, tagger, _ = opened(state)
    tokens = state.problem.tokens
    layers = layers_of(key, tokens)
    return {
        "tokens": list(tokens),
        "unknown": tagger.unknown(list(tokens)),
        "parts": parts(tagger),
        "layers": _rows(layers),
        "emissions": [_best(row, tagger.tags) for row in layers.emissions],
        "shape": [len(tokens), len(tagger.tags)],
    }


def _rows(layers: Layers) -> list[Payload]:
    return [
        {"name": name, "shape": list(values.shape), "strips": strips(values)}
        for name, values in layers._asdict().items()
        if values is not None and name != "emissions"
    ]


def _best(row: Tensor, tags: Sequence[str], before: Tensor | None = None) -> list[Payload]:
    """The two best tags of a word, the best one of before among them, with their scores."""
    best = row.topk(min(2, len(row))).indices.tolist()
    if before is not None and (also := int(before.argmax())) not in best:
        best[-1] = also
    return [{"tag": tags[s], "score": row[s].item()} for s in best]


class Replaced(NamedTuple):
    """One word replaced by another, and the effect on the scores."""

    token: int
    word: str
    before: Layers
    after: Layers

    @property
    def moved(self) -> list[float]:
        """[L] how far each word's emissions move: max |Δ|, nats."""
        return (self.after.emissions - self.before.emissions).abs().amax(dim=1).tolist()

    @property
    def most(self) -> int | None:
        """The other word whose scores move most; None: none moves."""
        others = {t: x for t, x in enumerate(self.moved) if t != self.token and x > MOVED}
        return max(others, key=others.__getitem__) if others else None


def replaced(state: State, token: int, word: str) -> Replaced:
    """The sentence of a state with one of its words replaced."""
    key, tokens = opened(state)[0], state.problem.tokens
    other = (*tokens[:token], word, *tokens[token + 1 :])
    return Replaced(token, word, layers_of(key, tokens), layers_of(key, other))


def replacement(change: Replaced, state: State) -> Payload:
    """The changes that the replaced word makes in the picture."""
    tags = opened(state)[1].tags
    emissions = [
        [one | {"was": old[tags.index(one["tag"])].item()} for one in _best(new, tags, old)]
        for old, new in zip(change.before.emissions, change.after.emissions, strict=True)
    ]
    return {
        "layers": _rows(change.after),
        "emissions": emissions,
        "moved": [round(x, 4) for x in change.moved],
        "most": change.most,
    }


# ---------------------------------------------------------------------- minibatches
# How far gradients of drawn batches miss the whole one, and one pass of each batch size. The model
# is the smallest CRF: a weight for each word with each tag, and one for each pair of tags, all of
# them 0 at first. Loss: mean −log p of the sentences, in nats. A batch's gradient is an unbiased
# estimate of the whole one; its variance falls like 1/B.
# Source: Bottou, Curtis and Nocedal (2018), "Optimization methods for large-scale machine
# learning", section 4.

SENTENCES, DRAWS = 128, 24
SIZES = (1, 16, 64)  # sentences a batch
RATE = 3.0  # of plain gradient descent
LOOKS = 33  # at most, at the whole loss during a pass


@cache
def corpus() -> tuple[Tensor, Tensor, Tensor]:
    """The sentences that are drawn from: words, tags as indices, and mask, each [N, L]."""
    sentences = bundled("pos").training[:SENTENCES]
    words, tags = _indexed([s.words for s in sentences]), _indexed([s.tags for s in sentences])
    return words.clamp(min=0), tags.clamp(min=0), words >= 0


def _indexed(rows: Sequence[Sequence[str]]) -> Tensor:
    """[N, L] each name's place among all names in order; −1 behind the end of a row."""
    _, places = np.unique([name for row in rows for name in row], return_inverse=True)
    parts = torch.tensor(places).split([len(row) for row in rows])
    return pad_sequence(list(parts), True, -1)


def loss(weights: tuple[Tensor, Tensor], rows: Tensor) -> Tensor:
    """Mean −log p of some of the sentences, nats."""
    until = int(corpus()[2][rows].sum(1).max())  # no more columns than these sentences need
    words, tags, mask = (table[rows, :until] for table in corpus())
    chain = LinearChain(weights[0][words], weights[1], mask=mask, validate=False)
    return -chain.log_prob(tags).mean()


def _zeros() -> tuple[Tensor, Tensor]:
    V, S = (int(table.max()) + 1 for table in corpus()[:2])
    return torch.zeros(V, S, requires_grad=True), torch.zeros(S, S, requires_grad=True)


def gradient(rows: Tensor) -> Tensor:
    """[weights] the gradient of some of the sentences, before training."""
    weights = _zeros()
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss(weights, rows), weights)])


@cache
def whole() -> Tensor:
    """[weights] the gradient of all sentences, before training."""
    return gradient(torch.arange(SENTENCES))


@cache
def distances(size: int) -> list[float]:
    """How far gradients of batches drawn at random miss the whole one, in units of its length."""
    draw = torch.Generator().manual_seed(0)
    orders = [torch.randperm(SENTENCES, generator=draw) for _ in range(DRAWS)]
    gradients = torch.stack([gradient(order[:size]) for order in orders])
    return ((gradients - whole()).norm(dim=1) / whole().norm()).tolist()


@cache
def losses(size: int) -> list[tuple[int, float]]:
    """One pass with batches of this size: (steps done, loss of all sentences per word, nats)."""
    weights, draw = _zeros(), torch.Generator().manual_seed(0)
    every, words = torch.arange(SENTENCES), corpus()[2].sum().item() / SENTENCES
    batches = torch.randperm(SENTENCES, generator=draw).split(size)
    between = -(-len(batches) // (LOOKS - 1))
    curve = [(0, loss(weights, every).item() / words)]
    for step, rows in enumerate(batches, 1):
        slopes = torch.autograd.grad(loss(weights, rows), weights)
        length = corpus()[2][rows].sum().item() / len(rows)
        with torch.no_grad():
            for table, slope in zip(weights, slopes, strict=True):
                table -= RATE / length * slope
            if step % between == 0 or step == len(batches):
                curve.append((step, loss(weights, every).item() / words))
    return curve


def targets() -> list[Payload]:
    """A target for each batch size: the misses of its gradients, and the loss of one pass."""
    return [
        {
            "size": size,
            "distances": [round(d, 3) for d in distances(size)],
            "mean": sum(distances(size)) / DRAWS,
            "losses": [[step, round(value, 4)] for step, value in losses(size)],
            "steps": -(-SENTENCES // size),
        }
        for size in SIZES
    ]
