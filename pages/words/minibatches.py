"""Why minibatches: how far gradients of drawn batches miss the whole one, and one pass of each.

The model is the smallest CRF: a weight for each word with each tag, and one for each pair of tags,
all of them 0 at first. Loss: mean −log p of the sentences, in nats. A batch's gradient is an
unbiased estimate of the whole one; its variance falls like 1/B.

Source: Bottou, Curtis and Nocedal (2018), "Optimization methods for large-scale machine learning",
section 4.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from crf import LinearChain
from crf.figures.flow.payload import Payload
from pages.words.training_config import bundled

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
    found = torch.autograd.grad(loss(weights, rows), weights)
    return torch.cat([table.flatten() for table in found])


@cache
def whole() -> Tensor:
    """[weights] the gradient of all sentences, before training."""
    return gradient(torch.arange(SENTENCES))


@cache
def distances(size: int) -> list[float]:
    """How far gradients of batches drawn at random miss the whole one, in units of its length."""
    draw = torch.Generator().manual_seed(0)
    orders = [torch.randperm(SENTENCES, generator=draw) for _ in range(DRAWS)]
    drawn = torch.stack([gradient(order[:size]) for order in orders])
    return ((drawn - whole()).norm(dim=1) / whole().norm()).tolist()


@cache
def losses(size: int) -> list[tuple[int, float]]:
    """One pass with batches of this size: (steps done, loss of all sentences per word, nats)."""
    weights, draw = _zeros(), torch.Generator().manual_seed(0)
    every, words = torch.arange(SENTENCES), corpus()[2].sum().item() / SENTENCES
    batches = torch.randperm(SENTENCES, generator=draw).split(size)
    between = -(-len(batches) // (LOOKS - 1))
    found = [(0, loss(weights, every).item() / words)]
    for step, rows in enumerate(batches, 1):
        slopes = torch.autograd.grad(loss(weights, rows), weights)
        length = corpus()[2][rows].sum().item() / len(rows)
        with torch.no_grad():
            for table, slope in zip(weights, slopes, strict=True):
                table -= RATE / length * slope
            if step % between == 0 or step == len(batches):
                found.append((step, loss(weights, every).item() / words))
    return found


def picture() -> Payload:
    """Three targets, and the loss of one pass below each."""
    return {
        "targets": [
            {
                "size": size,
                "distances": [round(d, 3) for d in distances(size)],
                "mean": sum(distances(size)) / DRAWS,
                "losses": [[step, round(value, 4)] for step, value in losses(size)],
                "steps": -(-SENTENCES // size),
            }
            for size in SIZES
        ]
    }
