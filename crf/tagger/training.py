"""Training: the CRF's negative log-likelihood, end to end, by Adam.

Each epoch ends with the accuracy on the development sentences. What is kept is not the last step's
weights but their exponential moving average, which is steadier; and of those, the best epoch's.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pad_sequence

from . import checkpoint as checkpoints
from .dataset import TaggingDataset
from .evaluation import test
from .features import Features, Featuriser, normalise
from .hints import HintClassifiers
from .model import Hyperparameters, Tagger


@dataclass(frozen=True)
class Settings:
    """How to train; with the data, the settings determine the weights."""

    epochs: int = 14
    """At most so many passes over the training sentences."""
    patience: int = 4
    """Stop after so many epochs without a better accuracy on the development sentences."""
    batch_size: int = 32
    """Sentences per step."""
    learning_rate: float = 3e-3
    """Adam's, after a linear rise during the first epoch; it then falls linearly to zero."""
    clip: float = 5.0
    """The longest gradient, in the Euclidean norm; a longer one is shortened to it."""
    averaging: float = 0.998
    """The moving average keeps this share of itself at each step."""
    feature_dropout: float = 0.1
    """Share of the affixes that are replaced by the unknown affix."""
    hints: float = 0.2
    """Weight of the auxiliary losses: the encoder also learns the treebank's other columns (finer
    tags, features, relations), from classifiers that are thrown away in the end. 0: no such."""
    seed: int = 0
    """Of all randomness: initial weights, order of the data, dropout."""
    sizes: Hyperparameters = field(default_factory=Hyperparameters)
    """Of the network."""


class Epoch(NamedTuple):
    """One line of the history."""

    epoch: int
    """Counted from 1."""
    loss: float
    """Mean NLL of a training sentence, in nats, under dropout."""
    accuracy: float
    """Of the tokens of the development sentences, Viterbi, averaged weights."""


class Progress(NamedTuple):
    """What `train` reports after each step, and with `finished` after each epoch."""

    epoch: int
    step: int
    """Steps done in this epoch."""
    steps: int
    """Steps in an epoch."""
    loss: float
    """Mean NLL so far in this epoch, in nats per sentence."""
    finished: Epoch | None


class Result(NamedTuple):
    """What `train` returns."""

    tagger: Tagger
    history: list[Epoch]


def train(
    training: TaggingDataset,
    dev: TaggingDataset,
    settings: Settings | None = None,
    *,
    checkpoint: str | Path | None = None,
    report: Callable[[Progress], None] | None = None,
) -> Result:
    """Train a tagger.

    Global random state is left as it was.

    Args:
        training: The sentences to learn from.
        dev: The sentences that choose the epoch.
        settings: How; the defaults are those of the tagger we ship.
        checkpoint: A file that is written after each epoch. If it is there already, training goes
            on from it, to the very weights that an uninterrupted run gives.
        report: Called after each step.

    Raises:
        CheckpointError: The checkpoint is damaged or belongs to other data or settings.
    """
    settings = settings or Settings()
    path = Path(checkpoint) if checkpoint is not None else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        run = _Run(training, tuple(sorted({*training.tags, *dev.tags})), settings)
        fingerprint = checkpoints.fingerprint(settings, training, dev)
        if path is not None and path.exists():
            run.restore(checkpoints.read(path, fingerprint))
        while not run.finished:
            loss = run.one_epoch(report)
            run.choose(loss, test(run.average, dev, ("viterbi",)).decoders["viterbi"].accuracy)
            if path is not None:
                checkpoints.write(path, fingerprint, run.snapshot())
            if report:
                report(Progress(run.epoch, run.steps, run.steps, loss, run.history[-1]))
        run.average.load_state_dict(run.best)
    return Result(run.average.eval(), run.history)


class _Run:
    """The state of a training run: everything that a checkpoint must hold, and the loop's body."""

    def __init__(self, training: TaggingDataset, tags: tuple[str, ...], settings: Settings) -> None:
        self.data, self.settings = training, settings
        featuriser = Featuriser.from_sentences(sentence.words for sentence in training)
        tag_index = {tag: index for index, tag in enumerate(tags)}
        self.gold = [torch.tensor([tag_index[tag] for tag in s.tags]) for s in training]
        self.tagger = Tagger(tags, featuriser, settings.sizes)
        self.average = Tagger(tags, featuriser, settings.sizes)
        self.average.load_state_dict(self.tagger.state_dict())
        self.best = _copy(self.average)
        hinted = training if settings.hints else TaggingDataset([])
        self.hints = HintClassifiers(hinted, self.tagger.encoder.output_dim)
        self.parameters = [*self.tagger.parameters(), *self.hints.parameters()]
        self.optimiser = torch.optim.Adam(self.parameters)
        self.unknown_probability = _unknown_probability(training, featuriser)
        self.history: list[Epoch] = []
        self.steps = -(-len(training) // settings.batch_size)

    @property
    def epoch(self) -> int:
        return len(self.history)

    @property
    def best_epoch(self) -> int:
        return max(self.history, key=lambda epoch: epoch.accuracy).epoch if self.history else 0

    @property
    def finished(self) -> bool:
        stale = self.epoch - self.best_epoch
        return self.epoch >= self.settings.epochs or stale >= self.settings.patience

    def one_epoch(self, report: Callable[[Progress], None] | None) -> float:
        """Every training sentence once; returns the mean loss."""
        self.tagger.train()
        total = 0.0
        for step, rows in enumerate(self.batches()):
            total += self.one_step(rows, self.epoch * self.steps + step) * len(rows)
            if report:
                seen = min((step + 1) * self.settings.batch_size, len(self.data))
                report(Progress(self.epoch + 1, step + 1, self.steps, total / seen, None))
        return total / len(self.data)

    def one_step(self, rows: list[int], step: int) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate(step)
        features = self.tagger.featuriser([self.data[row].words for row in rows])
        gold = pad_sequence([self.gold[row] for row in rows], batch_first=True, padding_value=-1)
        states = self.tagger.encoder(self.corrupt(features))
        loss = self.tagger.crf(self.tagger.projection(states), gold, features.mask)
        self.optimiser.zero_grad()
        (loss + self.settings.hints * self.hints.loss(states, rows)).backward()
        clip_grad_norm_(self.parameters, self.settings.clip)
        self.optimiser.step()
        # A young average follows quickly, or it would remember the random beginning.
        keep = min(self.settings.averaging, (1 + step) / (10 + step))
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.tagger.parameters(), strict=True)
            for average, parameter in pairs:
                average.lerp_(parameter, 1 - keep)
        return loss.item()

    def learning_rate(self, step: int) -> float:
        rise = (step + 1) / self.steps
        fall = 1 - step / (self.settings.epochs * self.steps)
        return self.settings.learning_rate * min(1.0, rise) * fall

    def batches(self) -> Iterator[list[int]]:
        """Sentences of about the same length together (little padding), in random order."""
        lengths = torch.tensor([len(sentence.words) for sentence in self.data])
        nearly_sorted = (lengths + 2 * torch.rand(len(lengths))).argsort()
        batches = nearly_sorted.split(self.settings.batch_size)
        for index in torch.randperm(len(batches)).tolist():
            yield batches[index].tolist()

    def corrupt(self, features: Features) -> Features:
        """Hide rare words and some affixes, so that the tagger learns to do without them."""
        hidden = torch.rand(features.words.shape) < self.unknown_probability[features.words]
        dropped = torch.rand(features.affixes.shape) < self.settings.feature_dropout
        return features._replace(
            words=features.words.masked_fill(hidden & features.mask, 1),
            affixes=features.affixes.masked_fill(dropped & features.mask.unsqueeze(2), 1),
        )

    def choose(self, loss: float, accuracy: float) -> None:
        self.history.append(Epoch(self.epoch + 1, loss, accuracy))
        if self.best_epoch == self.epoch:
            self.best = _copy(self.average)

    def snapshot(self) -> checkpoints.Snapshot:
        """Everything that the rest of the run depends on; the data's next order is in `rng`."""
        return checkpoints.Snapshot(
            self.tagger.state_dict(),
            self.hints.state_dict(),
            self.average.state_dict(),
            self.best,
            self.optimiser.state_dict()["state"],
            torch.get_rng_state(),
            [list(epoch) for epoch in self.history],
        )

    def restore(self, snapshot: checkpoints.Snapshot) -> None:
        self.tagger.load_state_dict(snapshot.model)
        self.hints.load_state_dict(snapshot.hints)
        self.average.load_state_dict(snapshot.average)
        self.best = snapshot.best
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": snapshot.optimiser, "param_groups": groups})
        torch.set_rng_state(snapshot.rng)
        self.history = [Epoch(int(n), loss, accuracy) for n, loss, accuracy in snapshot.history]


def _unknown_probability(training: TaggingDataset, featuriser: Featuriser) -> Tensor:
    """1 / (1 + count) by word index: the rarer a word, the more often it is hidden."""
    counts = Counter(
        featuriser.words.index(normalise(word)) for sentence in training for word in sentence.words
    )
    return torch.tensor([1 / (1 + counts[index]) for index in range(len(featuriser.words))])


def _copy(tagger: Tagger) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in tagger.state_dict().items()}
