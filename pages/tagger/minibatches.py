"""Why minibatches: gradients of drawn batches beside the whole sample's, and the losses of both.

The model is the smallest CRF: a weight for each word with each tag, and one for each pair of tags,
all of them 0 at first. Loss: mean −log p of the sentences, in nats. Its gradient is an unbiased
estimate of the whole sample's; its variance falls like 1/B.

Source: Bottou, Curtis and Nocedal (2018), "Optimization methods for large-scale machine learning",
section 4.
"""

from functools import cache
from typing import NamedTuple

import plotly.graph_objects as go
import torch
from plotly.subplots import make_subplots
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from crf import LinearChain
from crf.tagger import TaggingDataset
from crf.tagger.bundled import sample

SENTENCES, DRAWS, PASSES = 128, 24, 2
RATE = 3.0  # of plain gradient descent
_BLUE, _ORANGE = "#0072B2", "#D55E00"


class IndexedSample(NamedTuple):
    """The first sentences of the sample, as indices."""

    words: Tensor  # [N, L]
    tags: Tensor  # [N, L]
    mask: Tensor  # [N, L]
    sizes: tuple[int, int]  # how many words and tags there are


class Draws(NamedTuple):
    """Gradients of batches in the plane of the whole gradient and of most of the noise."""

    # [DRAWS, 2] each batch's, in units of the whole gradient's length, which is (1, 0)
    points: list[tuple[float, float]]
    noise: float  # mean distance of a batch's gradient from the whole one, in all dimensions


@cache
def corpus() -> IndexedSample:
    """The sentences that are drawn from."""
    sentences = list(TaggingDataset.read(sample("train.conllu")))[:SENTENCES]
    words = {w: k for k, w in enumerate(sorted({w for s in sentences for w in s.words}))}
    tags = {t: k for k, t in enumerate(sorted({t for s in sentences for t in s.tags}))}

    def padded(rows: list[list[int]]) -> Tensor:
        return pad_sequence([torch.tensor(row) for row in rows], True, -1)

    read = padded([[words[w] for w in s.words] for s in sentences])
    right = padded([[tags[t] for t in s.tags] for s in sentences])
    return IndexedSample(read.clamp(min=0), right.clamp(min=0), read >= 0, (len(words), len(tags)))


def loss(weights: tuple[Tensor, Tensor], rows: Tensor) -> Tensor:
    """Mean −log p of some of the sentences, nats."""
    found = corpus()
    words, tags, mask = (table[rows] for table in found[:3])
    until = int(mask.sum(1).max())  # no more columns than these sentences need
    chain = LinearChain(
        weights[0][words[:, :until]], weights[1], mask=mask[:, :until], validate=False
    )
    return -chain.log_prob(tags[:, :until]).mean()


def _zeros() -> tuple[Tensor, Tensor]:
    V, S = corpus().sizes
    return torch.zeros(V, S, requires_grad=True), torch.zeros(S, S, requires_grad=True)


def _gradient(rows: Tensor) -> Tensor:
    weights = _zeros()
    found = torch.autograd.grad(loss(weights, rows), weights)
    return torch.cat([table.flatten() for table in found])


@cache
def _whole() -> Tensor:
    return _gradient(torch.arange(SENTENCES))


@cache
def _axes() -> Tensor:
    """[2, weights] the whole gradient's direction, and that of most of the noise beside it."""
    whole = _whole()
    first = whole / whole.norm()
    noise = torch.stack([_gradient(rows) for rows in _batches(1)]) - whole
    noise = noise - (noise @ first)[:, None] * first
    second = torch.linalg.svd(noise, full_matrices=False).Vh[0]
    return torch.stack([first, second]) / whole.norm()


def _batches(size: int) -> list[Tensor]:
    draw = torch.Generator().manual_seed(0)
    return [torch.randperm(SENTENCES, generator=draw)[:size] for _ in range(DRAWS)]


@cache
def draws(size: int) -> Draws:
    """The gradients of batches of this size, drawn at random, at the first step."""
    if size >= SENTENCES:  # there is one such batch
        return Draws([(1.0, 0.0)], 0.0)
    axes, whole = _axes(), _whole()
    found = torch.stack([_gradient(rows) for rows in _batches(size)])
    noise = (found - whole).norm(dim=1).mean() / whole.norm()
    return Draws([(x, y) for x, y in (found @ axes.T).tolist()], noise.item())


@cache
def losses(size: int) -> list[tuple[int, float]]:
    """(Sentences seen, loss of the batch per word) of each step of gradient descent."""
    weights, draw = _zeros(), torch.Generator().manual_seed(0)
    seen, found = 0, []
    for _ in range(PASSES):
        for rows in torch.randperm(SENTENCES, generator=draw).split(size):
            value = loss(weights, rows)
            length = corpus().mask[rows].sum().item() / len(rows)
            found.append((seen, value.item() / length))
            slopes = torch.autograd.grad(value, weights)
            with torch.no_grad():
                for table, slope in zip(weights, slopes, strict=True):
                    table -= RATE / length * slope
            seen += len(rows)
    return found


def picture(size: int, names: dict[str, str]) -> go.Figure:
    """Both: gradients on the left, losses on the right.

    Args:
        size: Of the batch.
        names: Words of the drawing: "gradient", "losses", "seen", "batch", "all".
    """
    figure = make_subplots(1, 2, subplot_titles=(names["gradient"], names["losses"]))
    x, y = zip(*draws(size).points, strict=True)
    figure.add_scatter(x=[0, 1], y=[0, 0], mode="lines+markers", name=names["all"], row=1, col=1,
                       line={"color": _ORANGE}, legendgroup="all")  # fmt: skip
    figure.add_scatter(x=x, y=y, mode="markers", marker={"color": _BLUE, "opacity": 0.7},
                       name=names["batch"], row=1, col=1, legendgroup="batch")  # fmt: skip
    for of, colour, name in ((size, _BLUE, "batch"), (SENTENCES, _ORANGE, "all")):
        x, y = zip(*losses(of), strict=True)
        figure.add_scatter(x=x, y=y, name=names[name], line={"color": colour}, row=1, col=2,
                           legendgroup=name, showlegend=False)  # fmt: skip
    every, y = zip(*draws(1).points, strict=True)  # the axes are the same for all sizes
    figure.update_xaxes(range=[min(0, *every) - 0.1, max(1, *every) + 0.1], row=1, col=1)
    figure.update_yaxes(range=[min(y) - 0.1, max(y) + 0.1], row=1, col=1)
    figure.update_yaxes(rangemode="tozero", row=1, col=2)
    figure.update_xaxes(title=names["seen"], row=1, col=2)
    return figure
