"""Why minibatches: gradients of drawn batches beside the whole sample's, and the losses of both.

The model is the smallest CRF: a weight for each word with each tag, and one for each pair of tags,
all of them 0 at first. Loss: mean −log p of the sentences, in nats. Its gradient is an unbiased
estimate of the whole sample's; its variance falls like 1/B.

Source: Bottou, Curtis and Nocedal (2018), "Optimization methods for large-scale machine learning",
section 4.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import plotly.graph_objects as go
import torch
from plotly.subplots import make_subplots
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from crf import LinearChain
from pages.tagger.runs import BLUE, ORANGE
from pages.tagger.training_config import bundled

SENTENCES, DRAWS, PASSES = 128, 24, 2
RATE = 3.0  # of plain gradient descent


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
    noise = _drawn(1) - whole
    noise = noise - (noise @ first)[:, None] * first
    second = torch.linalg.svd(noise, full_matrices=False).Vh[0]
    return torch.stack([first, second]) / whole.norm()


@cache
def _drawn(size: int) -> Tensor:
    """[DRAWS, weights] the gradients of batches of this size, drawn at random, at first."""
    draw = torch.Generator().manual_seed(0)
    orders = [torch.randperm(SENTENCES, generator=draw) for _ in range(DRAWS)]
    return torch.stack([_gradient(order[:size]) for order in orders])


def points(size: int) -> list[list[float]]:
    """These gradients on the axes, x and y; the whole sample, of which there is one, is (1, 0)."""
    return [[1.0, 0.0]] if size >= SENTENCES else (_drawn(size) @ _axes().T).tolist()


def noise(size: int) -> float:
    """Their mean distance from the whole sample's gradient, in units of its length."""
    return ((_drawn(size) - _whole()).norm(dim=1).mean() / _whole().norm()).item()


@cache
def losses(size: int) -> list[tuple[int, float]]:
    """(Sentences seen, loss of the batch per word) of each step of gradient descent."""
    weights, draw = _zeros(), torch.Generator().manual_seed(0)
    seen, found = 0, []
    for _ in range(PASSES):
        for rows in torch.randperm(SENTENCES, generator=draw).split(size):
            value = loss(weights, rows)
            length = corpus()[2][rows].sum().item() / len(rows)
            found.append((seen, value.item() / length))
            slopes = torch.autograd.grad(value, weights)
            with torch.no_grad():
                for table, slope in zip(weights, slopes, strict=True):
                    table -= RATE / length * slope
            seen += len(rows)
    return found


def picture(size: int, names: Mapping[str, str]) -> go.Figure:
    """Both for a batch size: gradients on the left, losses on the right.

    The words of the drawing are "gradient", "losses", "seen", "batch" and "all".
    """
    figure = make_subplots(1, 2, subplot_titles=(names["gradient"], names["losses"]))
    x, y = zip(*points(size), strict=True)
    figure.add_scatter(x=[0, 1], y=[0, 0], mode="lines+markers", name=names["all"], row=1, col=1,
                       line={"color": ORANGE}, legendgroup="all")  # fmt: skip
    figure.add_scatter(x=x, y=y, mode="markers", marker={"color": BLUE, "opacity": 0.7},
                       name=names["batch"], row=1, col=1, legendgroup="batch")  # fmt: skip
    for of, colour, name in ((size, BLUE, "batch"), (SENTENCES, ORANGE, "all")):
        x, y = zip(*losses(of), strict=True)
        figure.add_scatter(x=x, y=y, name=names[name], line={"color": colour}, row=1, col=2,
                           legendgroup=name, showlegend=False)  # fmt: skip
    every, y = zip(*points(1), strict=True)  # the axes are the same for all sizes
    figure.update_xaxes(range=[min(0, *every) - 0.1, max(1, *every) + 0.1], row=1, col=1)
    figure.update_yaxes(range=[min(y) - 0.1, max(y) + 0.1], row=1, col=1)
    figure.update_yaxes(rangemode="tozero", row=1, col=2)
    figure.update_xaxes(title=names["seen"], row=1, col=2)
    return figure
