"""Training with a network of Hugging Face below the CRF, instead of our own encoder.

    words → sub-tokens → network → scores of each word's first sub-token → ChainCRF

The folder that is written is read by `hugging_face.load`: a model for token classification, with
the CRF's tables beside its weights; what the label scheme forbids is −∞ in them.

Source: Devlin et al. (2019), arXiv:1810.04805, §5.3; the settings are those of its appendix A.3.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pad_sequence
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

from .. import ChainCRF, Constraints
from ..schemes import scheme_of_tags
from .evaluation import test
from .hugging_face import NAMES, HuggingFaceTagger, pretrained
from .reading import Sentence, TaggingDataset
from .storage import CONSTRAINED, ModelFileError
from .training import Epoch, Progress

WARM_UP = 0.1  # share of the steps in which the learning rate rises; then it falls to 0
CRF_RATE = 100  # times the network's learning rate: the tables begin at 0, the network does not


@dataclass(frozen=True)
class EncoderSettings:
    """Settings of a training; with the data and the folder they determine the weights."""

    epochs: int = 4
    patience: int = 2
    batch_size: int = 16
    learning_rate: float = 5e-5
    seed: int = 0
    constrained: bool = True
    """Whether the CRF forbids what the label scheme forbids."""


def train(
    folder: Path,
    training: TaggingDataset,
    dev: TaggingDataset,
    settings: EncoderSettings,
    *,
    report: Callable[[Progress], None] | None = None,
    device: str | torch.device = "cpu",
) -> tuple[HuggingFaceTagger, list[Epoch]]:
    """Train a network and a CRF together; torch's global random state stays unchanged.

    Args:
        folder: A network as `save_pretrained` writes it, with its tokeniser.
        training: The sentences to learn from.
        dev: Development sentences; the epoch with the best accuracy on them is kept.
        settings: The settings.
        report: Called after each step, and after each epoch.
        device: Device of the network.

    Raises:
        ModelFileError: The folder cannot be read, or a sentence is too long for the network.
    """
    tags = sorted({*training.tags, *dev.tags})
    with torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        model, tokenizer = pretrained(folder, tags)
        has_table = settings.constrained and scheme_of_tags(tags) in CONSTRAINED
        crf = ChainCRF(len(tags), Constraints.of(tags) if has_table else None)
        tagger = HuggingFaceTagger(model.to(device), tokenizer, tags, _tables(crf))
        _check_lengths(tagger, (*training, *dev))
        rates = [
            {"params": model.parameters(), "lr": settings.learning_rate},
            {"params": crf.parameters(), "lr": CRF_RATE * settings.learning_rate},
        ]
        optimiser = AdamW(rates, weight_decay=0.01)
        steps = -(-len(training) // settings.batch_size)
        total = settings.epochs * steps
        schedule = LambdaLR(
            optimiser, lambda k: min((k + 1) / (WARM_UP * total + 1), 1 - k / (total + 1))
        )
        history, best = list[Epoch](), (model.state_dict(), _tables(crf))
        while len(history) < settings.epochs and not _is_stale(history, settings.patience):
            model.train()
            sum_of_losses, order = 0.0, torch.randperm(len(training)).tolist()
            for step, first in enumerate(range(0, len(order), settings.batch_size), start=1):
                batch = [training[row] for row in order[first : first + settings.batch_size]]
                nll = loss(tagger, crf, batch)
                optimiser.zero_grad()
                nll.backward()
                clip_grad_norm_([*model.parameters(), *crf.parameters()], 1.0)
                optimiser.step()
                schedule.step()
                sum_of_losses += nll.item() * len(batch)
                if report:
                    report(Progress(len(history) + 1, step, steps, nll.item(), None))
            tagger = HuggingFaceTagger(model.eval(), tokenizer, tags, _tables(crf))
            history.append(_measured(tagger, dev, len(history) + 1, sum_of_losses / len(order)))
            if history[-1].score == max(epoch.score for epoch in history):
                best = deepcopy(model.state_dict()), _tables(crf)
            if report:
                report(Progress(len(history), steps, steps, history[-1].loss, history[-1]))
    model.load_state_dict(best[0])
    return HuggingFaceTagger(model, tokenizer, tags, best[1]), history


def loss(tagger: HuggingFaceTagger, crf: ChainCRF, batch: Sequence[Sentence]) -> Tensor:
    """Mean of −log p(gold tags | words) of some sentences, in nats."""
    rows = tagger.emissions([list(sentence.words) for sentence in batch])
    index = {tag: n for n, tag in enumerate(tagger.tags)}
    gold = [torch.tensor([index[tag] for tag in sentence.tags]) for sentence in batch]
    tags = pad_sequence(gold, batch_first=True, padding_value=-1)
    return crf(pad_sequence(rows, batch_first=True), tags.clamp(min=0), tags >= 0)


def save(tagger: HuggingFaceTagger, folder: Path) -> None:
    """Write the network, its tokeniser and the CRF's tables, as `hugging_face.load` reads them."""
    tables = {f"crf.{name}": t for name, t in zip(NAMES, tagger.tables, strict=True)}
    model: Any = tagger.model
    model.save_pretrained(folder, state_dict={**model.state_dict(), **tables})
    tagger.tokenizer.save_pretrained(folder)


def _tables(crf: ChainCRF) -> list[Tensor]:
    """The tables of a CRF, −∞ where a tag or a step is forbidden."""
    tables = [getattr(crf, name).detach().clone() for name in NAMES]
    if (allowed := crf.constraints) is not None:
        masks = (allowed.transitions, allowed.start, allowed.end)
        tables = [t.masked_fill(~mask, -torch.inf) for t, mask in zip(tables, masks, strict=True)]
    return tables


def _check_lengths(tagger: HuggingFaceTagger, sentences: Sequence[Sentence]) -> None:
    for sentence in sentences if tagger.longest else ():
        size = len(tagger.tokenizer(list(sentence.words), is_split_into_words=True)["input_ids"])
        if size > (tagger.longest or 0):
            raise ModelFileError(
                f"expected sentences of at most {tagger.longest} sub-tokens, got {size}: "
                f"{' '.join(sentence.words)[:60]}…; shorten it"
            )


def _is_stale(history: Sequence[Epoch], patience: int) -> bool:
    scores = [epoch.score for epoch in history]
    return bool(scores) and len(scores) - 1 - scores.index(max(scores)) >= patience


def _measured(tagger: HuggingFaceTagger, dev: TaggingDataset, epoch: int, nll: float) -> Epoch:
    measured = test(tagger, dev, ("viterbi",))
    f1 = measured.spans["viterbi"].span_f1 if measured.spans else None
    return Epoch(epoch, nll, measured.decoders["viterbi"].accuracy, f1)
