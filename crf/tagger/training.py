"""Training: the CRF's negative log-likelihood, end to end, by Adam.

Each epoch ends with the accuracy on the development sentences (for spans: their F1). What is kept
is not the last step's weights but their exponential moving average, which is steadier; and of
those, the best epoch's.

Under `torchrun`, each process takes its share of every batch, and the gradients are averaged
(`DistributedDataParallel`): W processes with batches of n sentences do what one does with W·n.
"""

import contextlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pad_sequence
from torch.optim import SGD, Adam

from . import checkpoint as checkpoints
from .auxiliary_losses import AuxiliaryClassifiers
from .continuing import all_tags, digest, extended
from .encoder import Hyperparameters
from .evaluation import test
from .features import Features, Featuriser, normalise
from .model import Tagger
from .reading import TaggingDataset
from .storage import CONSTRAINED, TOKENISERS, check_sizes

_OPTIMISERS = {"adam": Adam, "sgd": SGD}
_PARTS = {"model": "tagger", "hints": "hints", "average": "average"}  # of a checkpoint and a run


@dataclass(frozen=True)
class Settings:
    """Settings of training; together with the data they determine the weights."""

    epochs: int = 14
    """Largest number of passes over the training sentences."""
    patience: int = 4
    """Stop after this many epochs without a better accuracy on the development sentences."""
    loss: str = "crf"
    """"crf": the CRF's NLL; "softmax": each token's cross-entropy, which is the NLL with all
    transitions fixed at 0."""
    scheme: str | None = None
    """BIO, BIOES, BILOU or BMES: the CRF forbids what this scheme forbids. None forbids nothing."""
    tokeniser: str = "unicode"
    """Name of the tokeniser for raw text, see `crf.tagger.tokeniser`."""
    written_as: str | None = None
    """"IOB1" or "IO", see `Tagger`."""
    batch_size: int = 32
    """Sentences per step and process."""
    learning_rate: float = 3e-3
    """Learning rate of the optimiser."""
    optimiser: str = "adam"
    """"adam", or "sgd": plain gradient descent."""
    schedule: bool = True
    """Whether the learning rate rises linearly in the first epoch and then falls linearly to 0."""
    clip: float | None = 5.0
    """Largest Euclidean norm of a gradient; longer ones are scaled down. None: no limit."""
    averaging: float = 0.998
    """Share that the weights' moving average keeps at each step; 0 for no average."""
    min_count: int = 1
    """Words that occur fewer times in training are treated as unknown."""
    hide_rare: bool = True
    """Whether training replaces a word seen n times by the unknown one with probability 1/(1+n)."""
    feature_dropout: float = 0.1
    """Share of the affixes that training replaces by the unknown affix."""
    xavier: bool = False
    """Whether to draw initial matrices as Glorot and Bengio (2010) do, not as torch's layers do."""
    precision: str = "float32"
    """"bf16": the network computes in bfloat16 where that is safe; the CRF in float32 always."""
    hints: float = 0.2
    """Weight of the auxiliary losses, by which the encoder also learns the treebank's other columns
    (finer tags, features, relations). Their classifiers are not saved. 0 for none."""
    empty: float = 1.0
    """Share of the sentences without any span that an epoch uses, drawn again for each epoch. Less
    than 1 saves time, because most sentences have no span and teach little."""
    seed: int = 0
    """Seed of the initial weights, the order of the data and dropout."""
    sizes: Hyperparameters = field(default_factory=Hyperparameters)
    """Sizes of the network."""

    def __post_init__(self) -> None:
        choices = {"loss": ("crf", "softmax"), "precision": ("float32", "bf16")}
        choices |= {"scheme": (None, *CONSTRAINED), "tokeniser": TOKENISERS}
        choices |= {"optimiser": tuple(_OPTIMISERS)}
        for name, allowed in choices.items():
            if (value := getattr(self, name)) not in allowed:
                raise ValueError(f"{name}: expected one of {allowed}, got {value!r}")
        for name in ("epochs", "patience", "batch_size", "min_count"):
            if (value := getattr(self, name)) < 1:
                raise ValueError(f"{name}: expected a whole number from 1, got {value!r}")
        if not 0 <= self.empty <= 1:
            raise ValueError(f"empty: expected a share from 0 to 1, got {self.empty!r}")
        if not 0 < self.learning_rate < math.inf:
            raise ValueError(
                f"learning_rate: expected a finite number above 0, got {self.learning_rate!r}"
            )


def plain() -> Settings:
    """The textbook's model and training: word embedding → one BiLSTM → linear → CRF, Adam.

    No affixes, characters, auxiliary losses, averaging, schedule or clipping.
    """
    return Settings(
        learning_rate=1e-3,
        schedule=False,
        clip=None,
        averaging=0.0,
        min_count=2,
        hide_rare=False,
        feature_dropout=0.0,
        xavier=True,
        hints=0.0,
        sizes=Hyperparameters(word_dim=100, affix_dim=0, char_filters=0, hidden=128, dropout=0.5),
    )


class Epoch(NamedTuple):
    """Loss and metrics of one epoch, an entry of the history."""

    epoch: int  # counted from 1
    loss: float  # mean NLL of a training sentence, in nats, under dropout
    accuracy: float  # of the tokens of the development sentences, Viterbi, averaged weights
    span_f1: float | None = None
    """F1 of the spans of the development sentences, if the tags are BIO labels."""

    @property
    def score(self) -> float:
        """Score that chooses the epoch: the spans' F1 if there are spans, else the accuracy."""
        return self.accuracy if self.span_f1 is None else self.span_f1


class Progress(NamedTuple):
    """Report of `train` after each step, and after each epoch with `finished`."""

    epoch: int
    step: int  # steps done in this epoch
    steps: int  # steps in an epoch
    loss: float  # mean NLL in nats per sentence: of the step's batch; when finished, of the epoch
    finished: Epoch | None


class StopTraining(Exception):  # noqa: N818  # no error
    """Raised by `report` to stop training; `train` then returns the best epoch so far."""


class TrainingResult(NamedTuple):
    """Result of `train`: the tagger of the best epoch, and the history of all epochs."""

    tagger: Tagger
    history: list[Epoch]


def train(
    training: TaggingDataset,
    dev: TaggingDataset,
    settings: Settings | None = None,
    *,
    checkpoint: str | Path | None = None,
    report: Callable[[Progress], None] | None = None,
    device: str | torch.device = "cpu",
    clusters: Mapping[str, str] | None = None,
    start: Tagger | None = None,
) -> TrainingResult:
    """Train a tagger; torch's global random state stays unchanged.

    Args:
        training: The sentences to learn from.
        dev: Development sentences; the epoch with the best accuracy on them is kept.
        settings: The settings; the defaults are those of the shipped tagger.
        checkpoint: A file that is written after each epoch. If it exists, training continues from
            it and gives the same weights as an uninterrupted run.
        report: Called after each step, with several processes in the first only. With one process
            it may raise `StopTraining`.
        device: Device of the network.
        clusters: Each word's path in a tree of clusters; the settings' sizes say whether the
            network uses it.
        start: A tagger whose training continues, with settings as `continuing.settings_of` has
            them; default: a new one.

    Raises:
        CheckpointError: The checkpoint is damaged or belongs to other data or settings.
    """
    settings = settings or Settings()
    device = torch.device(device)
    path = Path(checkpoint) if checkpoint is not None else None
    report = report if rank() == 0 else None
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(settings.seed)
        tags = tuple(sorted({*training.tags, *dev.tags}))
        run = RunState(training, tags, settings, device, clusters, start)
        from_ = {"from": digest(start)} if start else {}
        fingerprint = checkpoints.fingerprint(asdict(settings) | from_, training, dev)
        if path is not None and path.exists():
            run.restore(checkpoints.read(path, fingerprint))
        with contextlib.suppress(StopTraining):
            while not run.finished:
                loss = run.one_epoch(report)
                run.choose(from_first(lambda loss=loss: run.measure(loss, dev)))
                if path is not None and rank() == 0:
                    checkpoints.write(path, fingerprint, run.snapshot())
                if report:
                    report(Progress(run.epoch, run.steps, run.steps, loss, run.history[-1]))
        run.average.load_state_dict(run.best)
    return TrainingResult(run.average.eval(), run.history)


def rank() -> int:
    """The number of this process among those of one training run; 0 if it is alone."""
    return distributed.get_rank() if distributed.is_initialized() else 0


def processes() -> int:
    """Return the number of processes that train together."""
    return distributed.get_world_size() if distributed.is_initialized() else 1


def from_first(compute: Callable[[], Any]) -> Any:
    """Compute in the first process and return the value in all of them."""
    if processes() == 1:
        return compute()
    box = [compute() if rank() == 0 else None]
    distributed.broadcast_object_list(box)
    return box[0]


class _Objective(nn.Module):
    """The loss of some sentences; a module, so that it can be computed data-parallel."""

    def __init__(self, tagger: Tagger, hints: AuxiliaryClassifiers, weight: float) -> None:
        super().__init__()
        self.tagger, self.hints, self.weight = tagger, hints, weight

    def forward(self, features: Features, gold: Tensor, rows: list[int]) -> tuple[Tensor, Tensor]:
        """The mean NLL, and what is to be minimised; both in nats per sentence."""
        states = self.tagger.encoder(features)
        nll = self.tagger.crf(self.tagger.projection(states), gold, features.mask)
        return nll, nll + self.weight * self.hints.loss(states, rows)


class RunState:
    """The state of a training run: everything that a checkpoint must hold, and the loop's body."""

    def __init__(
        self,
        training: TaggingDataset,
        tags: tuple[str, ...],
        settings: Settings,
        device: torch.device,
        clusters: Mapping[str, str] | None,
        start: Tagger | None = None,
    ) -> None:
        self.data, self.settings, self.device = training, settings, device
        if start:
            tags = all_tags(start, tags)
            self.tagger = extended(start, training, tags, settings.min_count)
        else:
            words = (sentence.words for sentence in training)
            clusters = clusters if settings.sizes.clusters else None
            featuriser = Featuriser.from_sentences(words, settings.min_count, clusters)
            self.tagger = _new_tagger(tags, featuriser, settings)
        if settings.loss == "softmax":  # with transitions of 0 the CRF is a softmax at each token
            for parameter in self.tagger.crf.parameters():
                nn.init.zeros_(parameter).requires_grad_(False)
        featuriser = self.tagger.featuriser
        tag_index = {tag: index for index, tag in enumerate(tags)}
        self.gold = [torch.tensor([tag_index[tag] for tag in s.tags]) for s in training]
        check_sizes(self.tagger.contents())
        self.average = _tagger(tags, featuriser, settings)
        self.average.load_state_dict(self.tagger.state_dict())
        hinted = training if settings.hints else TaggingDataset([])
        self.hints = AuxiliaryClassifiers(hinted, self.tagger.encoder.output_dim)
        for module in (self.tagger, self.average, self.hints):
            module.to(device)
        self.best = deepcopy(self.average.state_dict())
        objective = _Objective(self.tagger, self.hints, settings.hints)
        self.parameters = [p for p in objective.parameters() if p.requires_grad]
        self.objective = DistributedDataParallel(objective) if processes() > 1 else objective
        self.optimiser = _OPTIMISERS[settings.optimiser](self.parameters)
        self.unknown_probability = _unknown_probability(training, featuriser)
        self.history: list[Epoch] = []
        self.batch_size = settings.batch_size * processes()
        outside = [settings.empty < 1 and set(s.tags) == {"O"} for s in training]
        self.full = [row for row, is_outside in enumerate(outside) if not is_outside]
        self.outside = [row for row, is_outside in enumerate(outside) if is_outside]
        self.sentences = len(self.full) + int(settings.empty * len(self.outside))
        self.steps = -(-self.sentences // self.batch_size)

    @property
    def epoch(self) -> int:
        return len(self.history)

    @property
    def best_epoch(self) -> int:
        return max(self.history, key=lambda epoch: epoch.score).epoch if self.history else 0

    @property
    def finished(self) -> bool:
        stale = self.epoch - self.best_epoch
        return self.epoch >= self.settings.epochs or stale >= self.settings.patience

    def one_epoch(self, report: Callable[[Progress], None] | None) -> float:
        """Every training sentence once; returns the mean loss."""
        self.tagger.train()
        batches = self.batches()  # the same in every process
        self.part_ways()
        total = 0.0
        for step, rows in enumerate(batches):
            loss = self.one_step(rows, self.epoch * self.steps + step)
            total += loss * len(rows)
            if report:
                report(Progress(self.epoch + 1, step + 1, self.steps, loss, None))
        return total / self.sentences

    def part_ways(self) -> None:
        """Let each process draw its own dropout; the first's generator is that of the run."""
        if rank():
            torch.manual_seed(self.settings.seed + 1_000_003 * rank() + self.epoch)
        if self.device.type == "cuda":
            torch.cuda.manual_seed(int(torch.randint(2**31, ())))

    def one_step(self, rows: list[int], step: int) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate(step)
        mine = rows[rank() :: processes()]
        # Averaged over the processes, the loss is the mean over the whole batch.
        share = len(mine) * processes() / len(rows)
        mine = mine or rows[:1]
        features = self.corrupt(self.tagger.featuriser([self.data[row].words for row in mine]))
        features = Features(*(part.to(self.device) for part in features))
        gold = pad_sequence([self.gold[row] for row in mine], batch_first=True, padding_value=-1)
        with torch.autocast(
            self.device.type, torch.bfloat16, enabled=self.settings.precision == "bf16"
        ):
            nll, loss = self.objective(features, gold.to(self.device), mine)
        self.optimiser.zero_grad()
        (share * loss).backward()
        if self.settings.clip is not None:
            clip_grad_norm_(self.parameters, self.settings.clip)
        self.optimiser.step()
        # A young average follows quickly, or it would remember the random beginning.
        keep = min(self.settings.averaging, (1 + step) / (10 + step))
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.tagger.parameters(), strict=True)
            for average, parameter in pairs:
                average.lerp_(parameter, 1 - keep)
        mean = share * nll.detach() / processes()
        if processes() > 1:
            distributed.all_reduce(mean)
        return mean.item()

    def learning_rate(self, step: int) -> float:
        if not self.settings.schedule:
            return self.settings.learning_rate
        rise = (step + 1) / self.steps
        fall = 1 - step / (self.settings.epochs * self.steps)
        return self.settings.learning_rate * min(1.0, rise) * fall

    def batches(self) -> list[list[int]]:
        """Sentences of about the same length together (little padding), in random order."""
        torch.set_rng_state(from_first(torch.get_rng_state))
        rows = torch.tensor(self.full)
        if self.outside:
            sample = torch.randperm(len(self.outside))[: self.sentences - len(self.full)]
            rows = torch.cat([rows, torch.tensor(self.outside)[sample]])
        lengths = torch.tensor([len(self.data[row].words) for row in rows.tolist()])
        nearly_sorted = (lengths + 2 * torch.rand(len(lengths))).argsort()
        batches = rows[nearly_sorted].split(self.batch_size)
        return [batches[index].tolist() for index in torch.randperm(len(batches)).tolist()]

    def corrupt(self, features: Features) -> Features:
        """Hide rare words and some affixes, so that the tagger learns to do without them."""
        words, affixes = features.words, features.affixes
        if self.settings.hide_rare:
            hidden = torch.rand(words.shape) < self.unknown_probability[words]
            words = words.masked_fill(hidden & features.mask, 1)
        if self.settings.feature_dropout:
            dropped = torch.rand(affixes.shape) < self.settings.feature_dropout
            affixes = affixes.masked_fill(dropped & features.mask.unsqueeze(2), 1)
        return features._replace(words=words, affixes=affixes)

    def measure(self, loss: float, dev: TaggingDataset) -> Epoch:
        """The epoch that has just ended."""
        measured = test(self.average, dev, ("viterbi",))
        f1 = measured.spans["viterbi"].span_f1 if measured.spans else None
        return Epoch(self.epoch + 1, loss, measured.decoders["viterbi"].accuracy, f1)

    def choose(self, epoch: Epoch) -> None:
        self.history.append(epoch)
        if self.best_epoch == self.epoch:
            self.best = deepcopy(self.average.state_dict())

    def snapshot(self) -> checkpoints.Snapshot:
        """Everything that the rest of the run depends on; the data's next order is in `rng`."""
        parts = {name: getattr(self, part).state_dict() for name, part in _PARTS.items()}
        parts["best"] = self.best
        moments = self.optimiser.state_dict()["state"]
        parts |= {f"adam/{number}": of_one for number, of_one in moments.items()}
        tensors = {f"{part}/{name}": x for part, held in parts.items() for name, x in held.items()}
        tensors["rng"] = torch.get_rng_state()
        return checkpoints.Snapshot(tensors, [list(epoch) for epoch in self.history])

    def restore(self, snapshot: checkpoints.Snapshot) -> None:
        parts: dict[str, dict[str, Tensor]] = defaultdict(dict)
        for name, tensor in snapshot.tensors.items():
            part, _, rest = name.rpartition("/")
            parts[part][rest] = tensor
        for name, part in _PARTS.items():
            getattr(self, part).load_state_dict(parts[name])
        self.best = parts["best"]
        moments = {int(p[5:]): of_one for p, of_one in parts.items() if p.startswith("adam/")}
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": moments, "param_groups": groups})
        torch.set_rng_state(snapshot.tensors["rng"])
        self.history = [Epoch(*epoch) for epoch in snapshot.history]  # pyright: ignore


def _tagger(tags: tuple[str, ...], featuriser: Featuriser, settings: Settings) -> Tagger:
    written = {"tokeniser": settings.tokeniser, "written_as": settings.written_as}
    return Tagger(tags, featuriser, settings.sizes, settings.scheme, **written)


def _new_tagger(tags: tuple[str, ...], featuriser: Featuriser, settings: Settings) -> Tagger:
    tagger = _tagger(tags, featuriser, settings)
    if settings.xavier:
        for parameter in tagger.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
    return tagger


def _unknown_probability(training: TaggingDataset, featuriser: Featuriser) -> Tensor:
    """1 / (1 + count) by word index: the rarer a word, the more often it is hidden."""
    counts = Counter(
        featuriser.words.index(normalise(word)) for sentence in training for word in sentence.words
    )
    return torch.tensor([1 / (1 + counts[index]) for index in range(len(featuriser.words))])
