"""Training a log-linear chain on a small corpus: weights for word × tag and for tag × tag.

    score(x, y) = Σ_t w[x_t, y_t] + Σ_t T[y_t, y_(t+1)]
    L(w) = Σ_q log p(y^q | x^q) − λ/2 ‖w‖²,    ∂L/∂w_k = observed_k − expected_k − λ w_k

L is concave: wherever one starts, uphill leads to the one top (if λ > 0).
The corpus is one batch with its mask, of as many rows more as there are sets of weights.

Sources: Sutton and McCallum (2012), section 5.1; Collins (2002), "Discriminative training methods
for hidden Markov models" (the perceptron).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import NamedTuple

import pandas as pd
import torch
from torch import Tensor
from torch.optim import LBFGS, SGD, Adam

from crf import LinearChain
from pages.learning.corpus import Corpus

BACKEND = "plain"
OPTIMISERS = ("ascent", "adam", "lbfgs", "perceptron")
STARTS = ("zeros", "random 1", "random 2")
_LARGEST = 1e150  # of a weight: beyond, sums along a path and squares leave float64


class Weights(NamedTuple):
    """The parameters: N sets of them, as after each of N iterations."""

    words: Tensor  # [N, V, S] of each word with each tag
    tags: Tensor  # [N, S, S] from row to column

    def squared(self) -> Tensor:
        """[N] ‖w‖²."""
        return sum((table.flatten(1).square().sum(1) for table in self), torch.tensor(0.0))


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

    @property
    def is_perceptron(self) -> bool:
        """Whether it goes by Viterbi’s paths: then probabilities play no part in it."""
        return self.optimiser == "perceptron"


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
    def objective(self) -> Tensor:
        """[N+1] L(w): the log-likelihood minus the penalty."""
        return -self.nll.sum(1) - self.settings.penalty / 2 * self.weights.squared()

    @property
    def wrong(self) -> Tensor:
        """[N+1, B] how many tokens of each sentence are decoded wrong."""
        batch = self.corpus.batch
        return ((self.decoded != batch.tags) & batch.mask).sum(-1)

    def at(self, iterations: Sequence[int]) -> LinearChain:
        """The corpus with the weights after each of some iterations, one after the other."""
        chosen = list(iterations)
        return chains(Weights(*(table[chosen] for table in self.weights)), self.corpus)

    def record(self) -> pd.DataFrame:
        """Every iteration's numbers as one table, a row for each."""
        corpus, tags = self.corpus, self.corpus.tags
        is_perceptron = self.settings.is_perceptron
        measure, each = ("wrong", self.wrong) if is_perceptron else ("nll", self.nll)
        columns: dict[str, object] = {"iteration": range(self.iterations + 1)}
        if not is_perceptron:
            columns["objective"] = self.objective.numpy()
        columns[measure] = each.sum(1).numpy()
        columns["update_norm" if is_perceptron else "gradient_norm"] = self.norms.numpy()
        for b, sentence in enumerate(corpus.sentences):
            columns[f"{measure}_{b + 1}"] = each[:, b].numpy()
            rows = self.decoded[:, b, : len(sentence)].tolist()
            columns[f"tags_{b + 1}"] = [" ".join(tags[s] for s in row) for row in rows]
        for letter, table, names in (
            ("w", self.weights.words, corpus.words), ("T", self.weights.tags, tags)
        ):  # fmt: skip
            for i, name in enumerate(names):
                columns |= {f"{letter}[{name},{t}]": table[:, i, j] for j, t in enumerate(tags)}
        return pd.DataFrame(columns)


# ---------------------------------------------------------------------- the model


def chains(weights: Weights, corpus: Corpus) -> LinearChain:
    """The corpus under N sets of weights: a batch of N · B chains, set by set."""
    batch, N, S = corpus.batch, len(weights.words), len(corpus.tags)
    B, L = batch.words.shape
    emissions = weights.words[:, batch.words].reshape(N * B, L, S)
    steps = weights.tags[:, None, None].expand(N, B, L - 1, S, S).reshape(N * B, L - 1, S, S)
    return LinearChain(
        emissions, steps, mask=batch.mask.repeat(N, 1), validate=False, backend=BACKEND
    )


def _log_p(chain: LinearChain, corpus: Corpus, N: int) -> Tensor:
    """[N, B] log p of the right tags under N sets of weights."""
    gold = corpus.batch.tags.clamp(min=0).repeat(N, 1)
    return chain.log_prob(gold).reshape(N, -1)


def gradient(
    chain: LinearChain, corpus: Corpus, settings: CorpusSettings, weights: Weights
) -> Weights:
    """Observed − expected − λ w; for the perceptron observed − what Viterbi's path uses."""
    if settings.is_perceptron:
        chain = chain.clamp(chain.viterbi().tags)
    N, (B, L), S = len(weights.words), corpus.batch.words.shape, len(corpus.tags)
    marginals = chain.marginals.reshape(N, B * L, S)
    expected = torch.zeros_like(weights.words)
    expected = expected.index_add(1, corpus.batch.words.flatten(), marginals)
    pairs = chain.pair_marginals.reshape(N, B * (L - 1), S, S).sum(1)
    words, tags = corpus.observed
    λ = 0.0 if settings.is_perceptron else settings.penalty
    return Weights(
        words - expected - λ * weights.words,
        (tags - pairs - λ * weights.tags) * float(settings.transitions),
    )


def objective(corpus: Corpus, settings: CorpusSettings, weights: Weights) -> Tensor:
    """[N] L(w) of N sets of weights."""
    log_p = _log_p(chains(weights, corpus), corpus, len(weights.words)).sum(1)
    return log_p - settings.penalty / 2 * weights.squared()


# ---------------------------------------------------------------------- the run


def train(corpus: Corpus, settings: CorpusSettings) -> Run:
    """Train; the run ends early where a weight leaves the range of float64."""
    with torch.inference_mode():  # no gradient is asked of it: a third faster
        passed = list(islice(_passes(corpus, settings), settings.iterations + 1))
        return _measured(corpus, settings, passed)


class Trainer:
    """A training that can compute further iterations later, starting where it stopped."""

    def __init__(self, corpus: Corpus, settings: CorpusSettings) -> None:
        self._asked = corpus, settings
        self._passes = _passes(corpus, settings)
        self._passed: list[Weights] = []

    def run(self, iterations: int) -> Run:
        """The run of the first so many iterations; as `train` gives it."""
        corpus, settings = self._asked
        with torch.inference_mode():
            more = iterations + 1 - len(self._passed)
            self._passed += islice(self._passes, max(more, 0))
            passed = self._passed[: iterations + 1]
            return _measured(corpus, replace(settings, iterations=iterations), passed)


def _passes(corpus: Corpus, settings: CorpusSettings) -> Iterator[Weights]:
    """The weights before the first iteration and after each, while they are in range."""
    before = start(corpus, settings)
    yield before
    for weights in _climb(corpus, settings, before):
        if not all(bool((table.abs() < _LARGEST).all()) for table in weights):
            return
        if all(map(torch.equal, weights, before)):  # it stands still from here on
            yield from repeat(weights)
        yield weights
        before = weights


def _measured(corpus: Corpus, settings: CorpusSettings, passed: list[Weights]) -> Run:
    every = Weights(*map(torch.cat, zip(*passed, strict=True)))
    chain = chains(every, corpus)
    norms = gradient(chain, corpus, settings, every).squared().sqrt()
    short = (norms < settings.tolerance).nonzero()
    until = slice(int(short[0]) + 1 if len(short) else len(passed))
    decoded = chain.viterbi().tags.reshape(len(passed), *corpus.batch.words.shape)
    return Run(
        corpus, settings, Weights(*(table[until] for table in every)),
        -_log_p(chain, corpus, len(passed)).clamp(max=0.0)[until], norms[until], decoded[until],
        overflowed=len(passed) <= settings.iterations and not len(short),
    )  # fmt: skip


def start(corpus: Corpus, settings: CorpusSettings) -> Weights:
    """The weights before the first iteration: zeros, or drawn from a normal distribution."""
    V, S = len(corpus.words), len(corpus.tags)
    seed = STARTS.index(settings.start)
    draw = torch.Generator().manual_seed(seed)
    words = 2 * torch.randn(V, S, generator=draw, dtype=torch.float64) * bool(seed)
    tags = 2 * torch.randn(S, S, generator=draw, dtype=torch.float64) * bool(seed)
    return Weights(words[None], tags[None] * settings.transitions)


def _climb(corpus: Corpus, settings: CorpusSettings, weights: Weights) -> Iterator[Weights]:
    """The weights after each iteration of an optimiser of PyTorch, which minimises −L."""
    moved = Weights(*map(torch.clone, weights))
    if settings.optimiser == "lbfgs":
        optimiser = LBFGS(
            moved, settings.rate, max_iter=1, max_eval=20, line_search_fn="strong_wolfe"
        )
    else:
        kind = Adam if settings.optimiser == "adam" else SGD
        optimiser = kind(moved, 1.0 if settings.is_perceptron else settings.rate)

    def loss() -> Tensor:
        chain = chains(moved, corpus)
        slope = gradient(chain, corpus, settings, moved)
        moved.words.grad, moved.tags.grad = -slope.words, -slope.tags
        if settings.optimiser != "lbfgs":  # only its line search asks for the value
            return moved.words.new_zeros(())
        return settings.penalty / 2 * moved.squared().sum() - _log_p(chain, corpus, 1).sum()

    while True:
        optimiser.step(loss)
        yield Weights(*map(torch.clone, moved))


# ---------------------------------------------------------------------- counting


def counted(corpus: Corpus) -> LinearChain:
    """The HMM whose probabilities are relative frequencies; what was never seen is forbidden.

    Source: Rabiner (1989), section III.
    """
    words, steps = corpus.observed
    first = torch.tensor([right[0] for right in corpus.tag_of])
    start = first.bincount(minlength=len(corpus.tags)).double()
    return LinearChain(
        _log_shares(words.T).T[corpus.batch.words], _log_shares(steps), _log_shares(start),
        mask=corpus.batch.mask, backend=BACKEND,
    )  # fmt: skip


def _log_shares(counts: Tensor) -> Tensor:
    """Each row's logs of relative frequencies; −∞ where nothing was counted."""
    total = counts.sum(-1, keepdim=True)
    return (counts / total.clamp(min=1.0)).log()
