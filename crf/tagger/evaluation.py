"""How good a tagger is: its tags against the treebank's."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .. import Constraints
from ..schemes import scheme_of_tags
from .decoders import DECODERS
from .model import AnyTagger
from .reading import Sentence
from .spans import ClassScores, SpanCounts, SpanScores, class_scores

CHUNK = 4096  # sentences that are in memory together, so that those of like length can be a batch


class Accuracy(NamedTuple):
    """Shares of what is right, 0–1."""

    accuracy: float
    """Of the tokens."""
    sentence_accuracy: float
    """Of the sentences: every token right."""
    unknown_word_accuracy: float | None
    """Of the tokens whose word training did not contain; None if there are none."""


class Evaluation(NamedTuple):
    """What `test` measures, with the treebank's own tokens."""

    tokens: int
    sentences: int
    unknown_words: int
    """Tokens whose word training did not contain (case and digits apart)."""
    nll: float
    """Mean of −log p(gold tags | words), in nats, over the sentences whose tags the tagger has."""
    decoders: dict[str, Accuracy]
    """By the decoder's name, see `DECODERS`; the headline figures are those of the first."""
    confusion: list[list[int]]
    """[S, S] tokens, by gold tag (row) and the first decoder's tag (column)."""
    spans: dict[str, SpanScores]
    """By the decoder's name; empty unless the tags are labels of spans."""
    unseen: dict[str, int]
    """Gold tags that the tagger does not have, with their tokens: each counts as wrong."""
    classes: dict[str, ClassScores]
    """By the type of span, or by tag if the tags are plain; of the first decoder."""

    @property
    def headline(self) -> Accuracy | SpanScores:
        """The figures of the first decoder: of spans where the tags are labels of spans."""
        return next(iter((self.spans or self.decoders).values()))

    def summary(self) -> dict[str, float | None]:
        """The headline figures."""
        sizes = {"tokens": self.tokens, "sentences": self.sentences}
        nll = {} if self.spans else {"nll": self.nll}
        return sizes | self.headline._asdict() | nll

    def report(self) -> dict[str, Any]:
        """The headline figures, those of each type of span or tag, and the unseen tags."""
        classes = {name: row._asdict() for name, row in self.classes.items()}
        return {
            **self.summary(),
            "types" if self.spans else "tags": classes,
            "unseen_tags": self.unseen,
        }


def test(
    tagger: AnyTagger,
    dataset: Iterable[Sentence],
    decoders: Sequence[str] = tuple(DECODERS),  # noqa: PT028
    batch_size: int = 64,  # noqa: PT028
    constraints: Constraints | None = None,  # noqa: PT028
) -> Evaluation:
    """Tag the dataset's sentences and compare. Memory does not grow with their number.

    Args:
        tagger: The tagger.
        dataset: Sentences with their gold tags, in the label scheme of the tagger's; at least one.
        decoders: Which of `DECODERS` to run; the first gives the headline figures.
        batch_size: Sentences per batch; it does not change the result.
        constraints: Forbid tags at decoding; default: what the tagger was trained with.
    """
    counts = _Counts(tagger, decoders)
    for batch in _batches(dataset, batch_size):
        # The network takes most of the time, so compiling kernels for the CRF would not pay.
        words = [sentence.words for sentence in batch]
        counts.add(batch, tagger.chain(words, backend="plain", constraints=constraints))
    return counts.evaluation()


def label_scheme(tagger: Any) -> str | None:
    """The label scheme of a tagger's tags, or None if they are plain; of any kind of tagger."""
    return getattr(tagger, "label_scheme", None) or scheme_of_tags(tagger.tags)


test.__test__ = False  # pyright: ignore[reportFunctionMemberAccess]  # not a test for pytest


def _batches(sentences: Iterable[Sentence], size: int) -> Iterator[list[Sentence]]:
    """Sentences of similar length together, so that there is little padding."""
    source = iter(sentences)
    while chunk := sorted(islice(source, CHUNK), key=lambda sentence: len(sentence.words)):
        yield from (chunk[first : first + size] for first in range(0, len(chunk), size))


class _Counts:
    """What is counted batch by batch."""

    def __init__(self, tagger: AnyTagger, decoders: Sequence[str]) -> None:
        self.tagger, scheme = tagger, label_scheme(tagger)
        self.index = {tag: i for i, tag in enumerate(tagger.tags)}
        S = len(self.index)
        self.confusion = torch.zeros(S, S, dtype=torch.long)
        self.predicted = torch.zeros(S, dtype=torch.long)
        self.right = {decoder: [0, 0, 0] for decoder in decoders}
        self.spans = {d: SpanCounts(scheme) for d in decoders} if scheme else {}
        self.unseen = Counter[str]()
        self.tokens = self.sentences = self.unknown_words = self.known = 0
        self.nll = 0.0

    def add(self, batch: Sequence[Sentence], chain: Any) -> None:
        gold, mask, unknown = self.gold(batch)
        self.tokens += int(mask.sum())
        self.sentences += len(batch)
        self.unknown_words += int(unknown.sum())
        has_all = ((gold >= 0) | ~mask).all(dim=1)
        self.known += int(has_all.sum())
        log_probs = chain.log_prob(gold.clamp(min=0).to(chain.mask.device)).double().cpu()
        self.nll -= float(log_probs[has_all].sum())
        for decoder, right in self.right.items():
            tags = DECODERS[decoder].tags(chain).cpu()
            correct = (tags == gold) & mask
            right[0] += int(correct.sum())
            right[1] += int((correct | ~mask).all(dim=1).sum())
            right[2] += int((correct & unknown).sum())
            if self.spans:
                for sentence, row in zip(batch, tags.tolist(), strict=True):
                    named = [self.tagger.tags[tag] for tag in row if tag >= 0]
                    self.spans[decoder].add(sentence.tags, named)
            if decoder == next(iter(self.right)):
                S, seen = len(self.index), mask & (gold >= 0)
                pairs = gold[seen] * S + tags[seen]
                self.confusion += torch.bincount(pairs, minlength=S * S).view(S, S)
                self.predicted += torch.bincount(tags[mask].clamp(min=0), minlength=S)

    def gold(self, batch: Sequence[Sentence]) -> tuple[Tensor, Tensor, Tensor]:
        """Gold tags (−1: unseen), mask, and which tokens are unknown words; each [B, L]."""
        length = max(len(sentence.words) for sentence in batch)
        gold = torch.full((len(batch), length), -1)
        mask = torch.zeros(len(batch), length, dtype=torch.bool)
        unknown = mask.clone()
        for row, (words, tags, _) in enumerate(batch):
            gold[row, : len(words)] = torch.tensor([self.index.get(tag, -1) for tag in tags])
            mask[row, : len(words)] = True
            unknown[row, : len(words)] = torch.tensor(self.tagger.unknown(words))
            self.unseen.update(tag for tag in tags if tag not in self.index)
        return gold, mask, unknown

    def evaluation(self) -> Evaluation:
        unknown_words = self.unknown_words
        return Evaluation(
            self.tokens,
            self.sentences,
            unknown_words,
            self.nll / max(self.known, 1),
            {
                decoder: Accuracy(
                    tokens / self.tokens,
                    sentences / self.sentences,
                    unknown / unknown_words if unknown_words else None,
                )
                for decoder, (tokens, sentences, unknown) in self.right.items()
            },
            self.confusion.tolist(),
            {decoder: counts.scores() for decoder, counts in self.spans.items()},
            dict(self.unseen),
            next(iter(self.spans.values())).by_type() if self.spans else self.by_tag(),
        )

    def by_tag(self) -> dict[str, ClassScores]:
        gold, right = self.confusion.sum(dim=1), self.confusion.diagonal()
        found = {
            tag: class_scores(int(right[i]), int(gold[i]), int(self.predicted[i]))
            for tag, i in self.index.items()
        }
        found |= {tag: class_scores(0, count, 0) for tag, count in self.unseen.items()}
        return dict(sorted(found.items()))
