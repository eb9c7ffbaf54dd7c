"""A small corpus of tagged sentences, as one types it, and training a log-linear chain on it.

    the/DET dog/NOUN barks/VERB
    they/PRON fish/VERB

There are weights for word × tag and for tag × tag:

    score(x, y) = Σ_t w[x_t, y_t] + Σ_t T[y_t, y_(t+1)]
    L(w) = Σ_q log p(y^q | x^q) − λ/2 ‖w‖²,    ∂L/∂w_k = observed_k − expected_k − λ w_k

L is concave: wherever one starts, uphill leads to the one top (if λ > 0).
The corpus is one batch with its mask, of as many rows more as there are sets of weights.

Sources: Sutton and McCallum (2012), section 5.1; Collins (2002), "Discriminative training methods
for hidden Markov models" (the perceptron).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice, pairwise, repeat
from threading import Lock, Thread
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.optim import LBFGS, SGD, Adam

from crf import LinearChain
from crf.figures.flow.payload import Payload
from pages.learning.sentence import BACKEND, fault, number, place, signed
from pages.shared.course.problem_checks import (
    MAX_NAME,
    check_distinct,
    checked_names,
    short,
)
from pages.shared.course.state import State, StatePart, one_of
from pages.shared.figures.text import LessonText

MOST_SENTENCES, MOST_WORDS, MOST_TAGS = 8, 10, 6  # words per sentence
PRESETS = ("fish", "separable", "not-separable", "wrong-tag")  # they stand in text.md
OPTIMISERS = ("ascent", "adam", "lbfgs", "perceptron")
STARTS = ("zeros", "random 1", "random 2")
ITERATIONS = 60
CHUNK = 5  # iterations that are computed at once where methods stand beside each other
_LARGEST = 1e150  # of a weight: beyond, sums along a path and squares leave float64
_TRAINING = Lock()


# ---------------------------------------------------------------------- the corpus


class CorpusTensors(NamedTuple):
    """The corpus as tensors."""

    words: Tensor  # [B, L] word numbers, 0 at padding
    tags: Tensor  # [B, L] the right tags, −1 at padding
    mask: Tensor  # [B, L] bool


@dataclass(frozen=True)
class Corpus:
    """Tagged sentences; each different word and each tag has a number."""

    tags: tuple[str, ...]  # names
    words: tuple[str, ...]  # the different words, in order of appearance; case is ignored
    sentences: tuple[tuple[str, ...], ...]  # [B][m] words as they were typed
    word_of: tuple[tuple[int, ...], ...]  # [B][m] which of `words`
    tag_of: tuple[tuple[int, ...], ...]  # [B][m] which of `tags`: the right ones

    @cached_property
    def batch(self) -> CorpusTensors:
        """The sentences as one padded batch."""
        words, tags = (
            pad_sequence([torch.tensor(row) for row in rows], True, -1)
            for rows in (self.word_of, self.tag_of)
        )
        return CorpusTensors(words.clamp(min=0), tags, tags >= 0)

    @cached_property
    def observed(self) -> tuple[Tensor, Tensor]:
        """How often a word has a tag, [V, S], and how often a tag follows another, [S, S]."""
        V, S = len(self.words), len(self.tags)
        words, tags = torch.zeros(V, S, dtype=torch.float64), torch.zeros(S, S, dtype=torch.float64)
        for row, right in zip(self.word_of, self.tag_of, strict=True):
            for at in zip(row, right, strict=True):
                words[at] += 1
            for at in pairwise(right):
                tags[at] += 1
        return words, tags


def corpus_text(name: str) -> str:
    """A corpus as it is typed: a preset by its name; any other text is one of the reader's own."""
    return LessonText.of("learning").plain(f"corpus-{name}") if name in PRESETS else name


@lru_cache(maxsize=16)
def parse(typed: str) -> Corpus:
    """Read a corpus: a sentence per line, each word with its tag behind the last slash.

    >>> parse("They/PRON fish/VERB").words
    ('they', 'fish')

    Raises:
        ProblemError: It is empty or too large, or a word cannot be used; the message says where
            and what to do.
    """
    lines = [line.split() for line in typed.splitlines() if line.strip()]
    if not lines:
        raise fault("corpus-faults.empty")
    longest = max(map(len, lines))
    if len(lines) > MOST_SENTENCES or longest > MOST_WORDS:
        raise fault(
            "corpus-faults.large",
            most=MOST_SENTENCES,
            words=MOST_WORDS,
            lines=len(lines),
            count=sum(map(len, lines)),
            longest=longest,
        )
    pairs = [
        [_word(word, b, t) for t, word in enumerate(line, 1)] for b, line in enumerate(lines, 1)
    ]
    names = list(dict.fromkeys(tag for row in pairs for _, tag in row))
    checked_names("tags", names, MOST_TAGS)
    check_distinct(names)
    words = list(dict.fromkeys(word.casefold() for row in pairs for word, _ in row))
    return Corpus(
        tuple(names),
        tuple(words),
        tuple(tuple(word for word, _ in row) for row in pairs),
        tuple(tuple(words.index(word.casefold()) for word, _ in row) for row in pairs),
        tuple(tuple(names.index(tag) for _, tag in row) for row in pairs),
    )


def _word(item: str, sentence: int, place: int) -> tuple[str, str]:
    word, slash, tag = item.rpartition("/")
    where = {"sentence": sentence, "place": place, "got": short(item)}
    if not slash or not tag:
        raise fault("corpus-faults.no-tag", **where)
    if not any(c.isalnum() for c in word) or not item.isprintable():
        raise fault("corpus-faults.no-word", **where)
    if max(len(word), len(tag)) > MAX_NAME:
        raise fault("corpus-faults.long", most=MAX_NAME, **where)
    return word, tag


# ---------------------------------------------------------------------- the model


class Weights(NamedTuple):
    """The parameters: N sets of them, as after each of N iterations."""

    words: Tensor  # [N, V, S] of each word with each tag
    tags: Tensor  # [N, S, S] from row to column

    def squared(self) -> Tensor:
        """[N] ‖w‖²."""
        return sum((table.flatten(1).square().sum(1) for table in self), torch.tensor(0.0))


class CorpusSettings(NamedTuple):
    """How to train."""

    optimiser: str = "ascent"  # one of `OPTIMISERS`
    # learning rate η; L-BFGS takes it as its longest step, the perceptron needs none
    rate: float = 0.5
    penalty: float = 0.0  # λ of the L2 penalty
    start: str = "zeros"  # one of `STARTS`
    # False keeps T at 0: then each token is classified by itself (a softmax)
    transitions: bool = True

    @property
    def is_perceptron(self) -> bool:
        """Whether it goes by Viterbi’s paths: then probabilities play no part in it."""
        return self.optimiser == "perceptron"


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


@lru_cache(maxsize=16)
def hmm_of(corpus: Corpus) -> LinearChain:
    """The HMM whose probabilities are relative frequencies; what was never seen is forbidden.

    Source: Rabiner (1989), section III.
    """

    def log_shares(counts: Tensor) -> Tensor:
        return (counts / counts.sum(-1, keepdim=True).clamp(min=1.0)).log()

    words, steps = corpus.observed
    first = torch.tensor([right[0] for right in corpus.tag_of])
    start = first.bincount(minlength=len(corpus.tags)).double()
    return LinearChain(
        log_shares(words.T).T[corpus.batch.words],
        log_shares(steps),
        log_shares(start),
        mask=corpus.batch.mask,
        backend=BACKEND,
    )


# ---------------------------------------------------------------------- the run


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
    def objective(self) -> Tensor:
        """[N+1] L(w): the log-likelihood minus the penalty."""
        return -self.nll.sum(1) - self.settings.penalty / 2 * self.weights.squared()

    @property
    def wrong(self) -> Tensor:
        """[N+1, B] how many tokens of each sentence are decoded wrong."""
        batch = self.corpus.batch
        return ((self.decoded != batch.tags) & batch.mask).sum(-1)

    @property
    def is_swinging(self) -> bool:
        """Whether gradient ascent goes down on its way, because η is too large."""
        return self.settings.optimiser == "ascent" and bool((self.objective.diff() < -1e-6).any())

    def at(self, iterations: Sequence[int]) -> LinearChain:
        """The chains after some iterations, set by set; a perceptron is certain of its paths."""
        which = list(iterations)
        chain = chains(Weights(*(table[which] for table in self.weights)), self.corpus)
        return chain.clamp(chain.viterbi().tags) if self.settings.is_perceptron else chain


class Trainer:
    """A training that can compute further iterations later, starting where it stopped."""

    def __init__(self, corpus: Corpus, settings: CorpusSettings) -> None:
        self._corpus, self._settings = corpus, settings
        self._iterator, self._weights = _iterate(corpus, settings), []

    def run(self, iterations: int) -> Run:
        """The first so many iterations; fewer where a weight leaves the range of float64."""
        corpus, settings = self._corpus, self._settings
        with torch.inference_mode():  # no gradient is asked of it: a third faster
            self._weights += islice(self._iterator, max(iterations + 1 - len(self._weights), 0))
            states = self._weights[: iterations + 1]
            weights = Weights(*map(torch.cat, zip(*states, strict=True)))
            chain, N = chains(weights, corpus), len(states)
            return Run(
                corpus,
                settings,
                weights,
                -_log_p(chain, corpus, N).clamp(max=0.0),
                norms=gradient(chain, corpus, settings, weights).squared().sqrt(),
                decoded=chain.viterbi().tags.reshape(N, *corpus.batch.words.shape),
                overflowed=N <= iterations,
            )


def _iterate(corpus: Corpus, settings: CorpusSettings) -> Iterator[Weights]:
    """The weights before the first iteration and after each, while they are in range."""
    V, S = len(corpus.words), len(corpus.tags)
    seed = STARTS.index(settings.start)
    draw = torch.Generator().manual_seed(seed)
    words = 2 * torch.randn(V, S, generator=draw, dtype=torch.float64) * bool(seed)
    tags = 2 * torch.randn(S, S, generator=draw, dtype=torch.float64) * bool(seed)
    before = Weights(words[None], tags[None] * settings.transitions)
    yield before
    for weights in _climb(corpus, settings, before):
        if not all(bool((table.abs() < _LARGEST).all()) for table in weights):
            return
        if all(map(torch.equal, weights, before)):  # it stands still from here on
            yield from repeat(weights)
        yield weights
        before = weights


def _climb(corpus: Corpus, settings: CorpusSettings, weights: Weights) -> Iterator[Weights]:
    """The weights after each iteration of an optimiser of PyTorch, which minimises −L."""
    parameters = Weights(*map(torch.clone, weights))
    if settings.optimiser == "lbfgs":
        optimiser = LBFGS(
            parameters, settings.rate, max_iter=1, max_eval=20, line_search_fn="strong_wolfe"
        )
    else:
        kind = Adam if settings.optimiser == "adam" else SGD
        optimiser = kind(parameters, 1.0 if settings.is_perceptron else settings.rate)

    def loss() -> Tensor:
        chain = chains(parameters, corpus)
        slope = gradient(chain, corpus, settings, parameters)
        parameters.words.grad, parameters.tags.grad = -slope.words, -slope.tags
        if settings.optimiser != "lbfgs":  # only its line search asks for the value
            return parameters.words.new_zeros(())
        return settings.penalty / 2 * parameters.squared().sum() - _log_p(chain, corpus, 1).sum()

    while True:
        optimiser.step(loss)
        yield Weights(*map(torch.clone, parameters))


_trainer = lru_cache(maxsize=64)(Trainer)


@lru_cache(maxsize=128)
def _run(corpus: Corpus, settings: CorpusSettings, iterations: int) -> Run:
    return _trainer(corpus, settings).run(iterations)


def train(corpus: Corpus, settings: CorpusSettings, iterations: int = ITERATIONS) -> Run:
    """A run, computed once; simultaneous requests take turns."""
    with _TRAINING:
        return _run(corpus, settings, iterations)


@cache
def prepare() -> None:
    """Train on the usual corpus in the background, once: the first training imports much of torch.

    So no reader waits for that, nor for the usual runs.
    """

    def usual_runs() -> None:
        corpus = parse(corpus_text(PRESETS[0]))
        train(corpus, CorpusSettings())
        for name in OPTIMISERS:
            train(corpus, CorpusSettings(name), CHUNK)

    Thread(target=usual_runs, name="training", daemon=True).start()


# ---------------------------------------------------------------------- what is on screen


def _corpus(text: str) -> str:
    if text not in PRESETS:
        parse(text)
    return text


CORPUS = {
    "corpus": StatePart(PRESETS[0], _corpus),  # a preset's name, or a text of one's own
    "weight": StatePart(place("w.1.1"), place),
    "method": one_of(*OPTIMISERS),
    "eta": number(0.5),
    "penalty": number(0.0),
    "start": one_of(*STARTS),
}


def corpus_of(state: State) -> Corpus:
    """The corpus on screen."""
    return parse(corpus_text(state.control("corpus", CORPUS)))


def settings_of(state: State) -> CorpusSettings:
    """The settings of the run on screen."""
    return CorpusSettings(
        *(state.control(n, CORPUS) for n in ("method", "eta", "penalty", "start"))
    )


def run_of(state: State) -> Run:
    """The run on screen."""
    return train(corpus_of(state), settings_of(state))


def weight_of(state: State) -> tuple[str, int, int]:
    """The weight that is followed: "w" or "T", its row and its column."""
    corpus = corpus_of(state)
    letter, at = state.control("weight", CORPUS)
    letter = "T" if letter in "Tt" else "w"
    rows = len(corpus.words if letter == "w" else corpus.tags)
    row, column = at if len(at) == 2 else (0, 0)
    return letter, min(row, rows - 1), min(column, len(corpus.tags) - 1)


def pulls(run: Run, n: int, weight: tuple[str, int, int]) -> list[Payload]:
    """Observed − expected of a weight at each place where it is used, after n iterations."""
    corpus, chain = run.corpus, run.at([n])
    letter, i, j = weight
    places = []
    for b, (of, gold) in enumerate(zip(corpus.word_of, corpus.tag_of, strict=True)):
        if letter == "w":
            uses = [
                (t, gold[t] == j, chain.marginals[b, t, j]) for t in range(len(of)) if of[t] == i
            ]
        else:
            pairs = chain.pair_marginals[b, :, i, j]
            uses = [(t, gold[t - 1 : t + 1] == (i, j), pairs[t - 1]) for t in range(1, len(of))]
        for t, observed, expected in uses:
            pull = observed - expected.item()
            places.append(
                {
                    "sentence": b,
                    "token": t,
                    "observed": float(observed),
                    "expected": expected.item(),
                    "pull": pull,
                    "text": signed(pull),
                }
            )
    return places
