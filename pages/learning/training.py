"""Training a log-linear chain on a small corpus: weights for word × tag and for tag × tag.

    score(x, y) = Σ_t w[x_t, y_t] + Σ_t T[y_t, y_(t+1)]
    L(w) = Σ_q log p(y^q | x^q) − λ/2 ‖w‖²,    ∂L/∂w_k = observed_k − expected_k − λ w_k

L is concave: wherever one starts, uphill leads to the one top (if λ > 0).
The corpus is one batch with its mask. The loop itself asks each iteration for the expected counts
alone; what is told about it is computed afterwards, for many iterations in one batch.

Sources: Sutton and McCallum (2012), section 5.1; Collins (2002), "Discriminative training methods
for hidden Markov models" (the perceptron).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.optim import LBFGS, Adam

from crf import LinearChain
from pages.learning.corpus import Corpus, CorpusTensors

BACKEND = "plain"
OPTIMISERS = ("ascent", "adam", "lbfgs", "perceptron")
STARTS = ("zeros", "random 1", "random 2")
_AT_ONCE = 100  # sets of weights whose numbers are computed in one batch: it stays small
_LARGEST = 1e150  # of a weight: beyond, sums along a path and squares leave float64


class Weights(NamedTuple):
    """The parameters; with a first axis [N] more: one set for each of N iterations."""

    words: Tensor  # [V, S] of each word with each tag
    tags: Tensor  # [S, S] from row to column

    @property
    def are_finite(self) -> bool:
        """Whether float64 still holds them, and what is computed from them."""
        return all(bool((table.abs() < _LARGEST).all()) for table in self)

    def equal(self, other: "Weights") -> bool:
        """Whether every weight is the same."""
        return all(torch.equal(a, b) for a, b in zip(self, other, strict=True))

    def squared(self) -> Tensor:
        """‖w‖², one number for each set."""
        return sum((t.flatten(-2).square().sum(-1) for t in self), torch.tensor(0.0))


@dataclass(frozen=True)
class CorpusSettings:
    """How to train."""

    optimiser: str = "ascent"  # one of `OPTIMISERS`
    # learning rate η; L-BFGS takes it as its longest step, the perceptron needs none
    rate: float = 0.5
    penalty: float = 0.0  # λ of the L2 penalty
    start: str = "zeros"  # one of `STARTS`
    iterations: int = 60  # how many
    # False keeps T at 0: then each token is classified by itself (a softmax)
    transitions: bool = True
    tolerance: float = 0.0  # end where the gradient is shorter; 0 takes all iterations


@dataclass(frozen=True)
class Run:
    """A training run: N iterations, N + 1 sets of weights."""

    corpus: Corpus  # what was learnt from
    settings: CorpusSettings  # how
    weights: Weights  # [N+1, …] the weights before the first iteration, and after each
    nll: Tensor  # [N+1, B] −log p of each sentence, nats
    norms: Tensor  # [N+1] Euclidean length of the gradient of L; of the perceptron’s next move
    decoded: Tensor  # [N+1, B, L] Viterbi's tags, −1 at padding
    overflowed: bool  # whether it ended early, because a weight left the range of float64

    @property
    def iterations(self) -> int:
        """N, as far as it came."""
        return len(self.nll) - 1

    @property
    def converged(self) -> bool:
        """Whether the last gradient is shorter than the tolerance."""
        return bool(self.norms[-1] < self.settings.tolerance)

    @property
    def is_perceptron(self) -> bool:
        """Whether it goes by Viterbi’s paths: then probabilities play no part in it."""
        return self.settings.optimiser == "perceptron"

    @property
    def objective(self) -> Tensor:
        """[N+1] L(w): the log-likelihood minus the penalty."""
        return -self.nll.sum(1) - self.settings.penalty / 2 * self.weights.squared()

    def at(self, iterations: Sequence[int]) -> LinearChain:
        """The corpus with the weights after each of some iterations, one after the other."""
        chosen = list(iterations)
        return chains(Weights(*(table[chosen] for table in self.weights)), self.corpus.batch())

    def right(self) -> Tensor:
        """[N+1, B] how many tokens of each sentence are decoded right."""
        gold = self.corpus.batch().tags
        return ((self.decoded == gold) & (gold >= 0)).sum(-1)

    def wrong(self) -> Tensor:
        """[N+1, B] how many are decoded wrong."""
        return self.corpus.batch().mask.sum(-1) - self.right()

    def record(self) -> pd.DataFrame:
        """Every iteration's numbers as one table, a row for each."""
        corpus, tags = self.corpus, self.corpus.tags
        columns: dict[str, object] = {"iteration": np.arange(self.iterations + 1)}
        if self.is_perceptron:
            measure, each = "wrong", self.wrong()
            columns |= {measure: each.sum(1).numpy(), "update_norm": self.norms.numpy()}
        else:
            measure, each = "nll", self.nll
            columns |= {"objective": self.objective.numpy(), measure: each.sum(1).numpy()}
            columns["gradient_norm"] = self.norms.numpy()
        for b, sentence in enumerate(corpus.sentences):
            columns[f"{measure}_{b + 1}"] = each[:, b].numpy()
            rows = self.decoded[:, b, : len(sentence)].tolist()
            columns[f"tags_{b + 1}"] = [" ".join(tags[s] for s in row) for row in rows]
        for v, word in enumerate(corpus.words):
            for s, tag in enumerate(tags):
                columns[f"w[{word},{tag}]"] = self.weights.words[:, v, s].numpy()
        for i, before in enumerate(tags):
            for j, after in enumerate(tags):
                columns[f"T[{before},{after}]"] = self.weights.tags[:, i, j].numpy()
        return pd.DataFrame(columns)


# ---------------------------------------------------------------------- the model


def chains(weights: Weights, batch: CorpusTensors) -> LinearChain:
    """The corpus under N sets of weights: a batch of N · B chains, set by set."""
    N, S = len(weights.words), weights.words.shape[2]
    B, L = batch.words.shape
    emissions = weights.words[:, batch.words].reshape(N * B, L, S)
    steps = weights.tags[:, None, None].expand(N, B, L - 1, S, S).reshape(N * B, L - 1, S, S)
    return LinearChain(
        emissions, steps, mask=batch.mask.repeat(N, 1), validate=False, backend=BACKEND
    )


def _parts(weights: Weights) -> list[Weights]:
    """N sets of weights, `_AT_ONCE` at a time."""
    tables = (table.split(_AT_ONCE) for table in weights)
    return [Weights(*part) for part in zip(*tables, strict=True)]


class Gathered:
    """Sums over the corpus: how often a word has a tag, and how often a tag follows another.

    Args:
        batch: The corpus.
        V: How many different words.
        S: How many tags.
    """

    def __init__(self, batch: CorpusTensors, V: int, S: int) -> None:
        self.batch, self.V, self.S = batch, V, S
        self.places = batch.words.flatten()

    def observed(self) -> Weights:
        """What the right tags use."""
        return self.of_path(self.batch.tags)

    def of_path(self, tags: Tensor) -> Weights:
        """What other tags [B, L] use; −1 at padding."""
        certain = LinearChain(
            torch.zeros(*tags.shape, self.S, dtype=torch.float64),
            torch.zeros(self.S, self.S, dtype=torch.float64),
            mask=self.batch.mask, validate=False, backend=BACKEND,
        ).clamp(tags)  # fmt: skip
        return self.expected(certain)

    def expected(self, chain: LinearChain) -> Weights:
        """What the model expects."""
        used = chain.expected_counts
        words = used.emissions.new_zeros(self.V, self.S)
        words.index_add_(0, self.places, used.emissions.flatten(0, 1))
        return Weights(words, used.transitions.sum(0))


# ---------------------------------------------------------------------- the run


def train(corpus: Corpus, settings: CorpusSettings) -> Run:
    """Train, and say what happened at every iteration.

    Args:
        corpus: The sentences with their tags.
        settings: How.

    Returns:
        The run; it ends early where a weight leaves the range of float64.
    """
    batch = corpus.batch()
    gathered = Gathered(batch, len(corpus.words), len(corpus.tags))
    with torch.inference_mode():  # no gradient is asked of it: a third faster
        passed = [start(corpus, settings)]
        for weights in _PATHS[settings.optimiser](gathered, settings, passed[0]):
            if len(passed) > settings.iterations or not weights.are_finite:
                break
            if weights.equal(passed[-1]):  # it stands still, and will from here on
                passed += [weights] * (settings.iterations + 1 - len(passed))
                break
            passed.append(weights)
        every = Weights(*map(torch.stack, zip(*passed, strict=True)))
        run = _told(corpus, settings, every, len(passed) <= settings.iterations)
        short = (run.norms < settings.tolerance).nonzero()
        return _until(run, int(short[0])) if len(short) else run


def start(corpus: Corpus, settings: CorpusSettings) -> Weights:
    """The weights before the first iteration: zeros, or drawn from a normal distribution."""
    V, S = len(corpus.words), len(corpus.tags)
    seed = STARTS.index(settings.start)
    draw = torch.Generator().manual_seed(seed)
    words = 2 * torch.randn(V, S, generator=draw, dtype=torch.float64) * bool(seed)
    tags = 2 * torch.randn(S, S, generator=draw, dtype=torch.float64) * bool(seed)
    return Weights(words, tags * settings.transitions)


def _told(corpus: Corpus, settings: CorpusSettings, weights: Weights, overflowed: bool) -> Run:
    """Every number of a run, `_AT_ONCE` iterations in one batch."""
    told = [_told_of(corpus, settings, part) for part in _parts(weights)]
    nll, norms, decoded = (torch.cat(part) for part in zip(*told, strict=True))
    return Run(corpus, settings, weights, nll, norms, decoded, overflowed)


def _told_of(
    corpus: Corpus, settings: CorpusSettings, weights: Weights
) -> tuple[Tensor, Tensor, Tensor]:
    """[N, B] −log p of the sentences, [N] lengths of gradients, [N, B, L] Viterbi's tags."""
    batch = corpus.batch()
    N, (B, L) = len(weights.words), batch.words.shape
    chain = chains(weights, batch)
    gold = batch.tags.clamp(min=0).repeat(N, 1)
    nll = -chain.log_prob(gold).reshape(N, B)
    decoded = chain.viterbi().tags
    S, V = len(corpus.tags), len(corpus.words)
    observed = Gathered(batch, V, S).observed()
    is_perceptron = settings.optimiser == "perceptron"
    subtracted = chain.clamp(decoded) if is_perceptron else chain
    marginals = subtracted.marginals.reshape(N, B * L, S)
    words = marginals.new_zeros(N, V, S).index_add(1, batch.words.flatten(), marginals)
    pairs = subtracted.pair_marginals.reshape(N, B * (L - 1), S, S).sum(1)
    λ, learns = 0.0 if is_perceptron else settings.penalty, float(settings.transitions)
    slope = Weights(
        observed.words - words - λ * weights.words,
        (observed.tags - pairs - λ * weights.tags) * learns,
    )
    return nll.clamp(min=0.0), slope.squared().sqrt(), decoded.reshape(N, B, L)


def _until(run: Run, n: int) -> Run:
    """The same run, ended after n iterations."""
    until = slice(n + 1)
    return replace(
        run,
        weights=Weights(*(table[until] for table in run.weights)),
        nll=run.nll[until],
        norms=run.norms[until],
        decoded=run.decoded[until],
        overflowed=False,
    )


Steps = Iterator[Weights]


def _ascent(gathered: Gathered, settings: CorpusSettings, weights: Weights) -> Steps:
    """Plain gradient ascent: w ← w + η · gradient."""
    slope = _slope(gathered, settings)
    while True:
        up = slope(weights)
        weights = Weights(*(w + settings.rate * g for w, g in zip(weights, up, strict=True)))
        yield weights


def _slope(gathered: Gathered, settings: CorpusSettings) -> Callable[[Weights], Weights]:
    """The gradient of L: observed − expected − λ w."""
    observed, λ = gathered.observed(), settings.penalty

    def at(weights: Weights) -> Weights:
        expected = gathered.expected(_shared(weights, gathered.batch))
        words = observed.words - expected.words - λ * weights.words
        tags = observed.tags - expected.tags - λ * weights.tags
        return Weights(words, tags * settings.transitions)

    return at


def _shared(weights: Weights, batch: CorpusTensors) -> LinearChain:
    """The corpus under one set of weights, [B] rows that share their transitions."""
    return LinearChain(
        weights.words[batch.words], weights.tags, mask=batch.mask, validate=False, backend=BACKEND
    )


def _adam(gathered: Gathered, settings: CorpusSettings, weights: Weights) -> Steps:
    """Adam: each weight has a rate of its own, from the mean and the spread of its gradients."""
    moved = Weights(*(table.clone() for table in weights))
    optimiser = Adam(moved, lr=settings.rate, maximize=True)
    slope = _slope(gathered, settings)
    while True:
        moved.words.grad, moved.tags.grad = slope(moved)
        optimiser.step()
        yield Weights(*(table.clone() for table in moved))


def _lbfgs(gathered: Gathered, settings: CorpusSettings, weights: Weights) -> Steps:
    """L-BFGS: guesses the curvature from the last gradients, and searches along each line."""
    moved = Weights(*(table.clone() for table in weights))
    optimiser = LBFGS(
        moved, lr=settings.rate, max_iter=1, max_eval=20,
        line_search_fn="strong_wolfe",
    )  # fmt: skip
    slope = _slope(gathered, settings)
    gold = gathered.batch.tags.clamp(min=0)

    def loss() -> Tensor:
        moved.words.grad, moved.tags.grad = (-table for table in slope(moved))
        chain = _shared(moved, gathered.batch)
        return -chain.log_prob(gold).sum() + settings.penalty / 2 * moved.squared()

    while True:
        optimiser.step(loss)
        yield Weights(*(table.clone() for table in moved))


def _perceptron(gathered: Gathered, settings: CorpusSettings, weights: Weights) -> Steps:
    """Structured perceptron: the counts of Viterbi's path in the place of the expected ones."""
    observed = gathered.observed()
    while True:
        found = gathered.of_path(_shared(weights, gathered.batch).viterbi().tags)
        weights = Weights(
            weights.words + observed.words - found.words,
            weights.tags + (observed.tags - found.tags) * settings.transitions,
        )
        yield weights


_PATHS: dict[str, Callable[[Gathered, CorpusSettings, Weights], Steps]] = {
    "ascent": _ascent,
    "adam": _adam,
    "lbfgs": _lbfgs,
    "perceptron": _perceptron,
}


# ---------------------------------------------------------------------- a plane


WeightPlace = tuple[str, tuple[int, int]]  # a field of `Weights`, and an index into it


def plane(
    run: Run, n: int, first: WeightPlace, second: WeightPlace, xs: list[float], ys: list[float]
) -> list[list[float]]:
    """The objective where two weights vary, and the others are as after n iterations.

    Returns:
        [len(ys)][len(xs)] values of L.
    """
    size = len(xs) * len(ys)
    weights = Weights(*(table[n].repeat(size, 1, 1) for table in run.weights))
    for (table, (i, j)), values in (
        (first, xs * len(ys)), (second, [y for y in ys for _ in xs])
    ):  # fmt: skip
        getattr(weights, table)[:, i, j] = torch.tensor(values, dtype=torch.float64)
    log_p = torch.cat([_log_likelihood(run.corpus, part) for part in _parts(weights)])
    value = log_p - run.settings.penalty / 2 * weights.squared()
    return value.reshape(len(ys), len(xs)).tolist()


def _log_likelihood(corpus: Corpus, weights: Weights) -> Tensor:
    """[N] Σ_q log p(y^q | x^q)."""
    batch, N = corpus.batch(), len(weights.words)
    gold = batch.tags.clamp(min=0).repeat(N, 1)
    return chains(weights, batch).log_prob(gold).reshape(N, -1).sum(1)
