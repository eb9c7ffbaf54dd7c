"""Evaluate a tagger: compare its tags with the treebank's.

Spans are scored as CoNLL's `conlleval` and seqeval do: exact boundaries and type. A label that
breaks its scheme is an error of the tagger, yet may begin a span: see `crf.schemes`.

Source: Tjong Kim Sang and De Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from .. import Constraints
from ..schemes import faults, scheme_of_tags, spans
from .decoders import DECODERS
from .model import AnyTagger
from .reading import Sentence

CHUNK = 4096  # sentences that are in memory together, so that those of like length can be a batch


class Accuracy(NamedTuple):
    """Shares of right tags, 0–1."""

    accuracy: float  # of the tokens
    sentence_accuracy: float  # of the sentences: every token right
    unknown_word_accuracy: float | None
    """Accuracy on tokens whose word training did not contain; None if there are none."""


class SpanScores(NamedTuple):
    """Precision, recall and F1 of predicted spans, 0–1; 0 where the denominator is 0."""

    span_precision: float  # share of the predicted spans that are gold spans
    span_recall: float  # share of the gold spans that were predicted
    span_f1: float  # the harmonic mean of both
    invalid_tags: int  # predicted labels that break the scheme


class SureColumn(NamedTuple):
    """Sentences of which a tagger is about equally sure."""

    sentences: int
    right: int  # how many of them the first decoder tags right, every token
    promised: float  # how many the tagger expects: the sum of its paths' probabilities


def sure_columns(found: Iterable[tuple[float, bool]], most: int = 20) -> list[SureColumn]:
    """Put sentences into columns of like size, the least sure ones first.

    Args:
        found: For each sentence p(path | words) and whether the path is right.
        most: Number of columns; fewer, where a column would have less than 20 sentences.

    Example:
        >>> sure_columns([(0.9, True), (0.5, False)])
        [SureColumn(sentences=2, right=1, promised=1.4)]
    """
    ranked = sorted(found)
    columns = max(min(most, len(ranked) // 20), 1)
    ends = [len(ranked) * k // columns for k in range(columns + 1)]
    parts = [ranked[a:b] for a, b in pairwise(ends)]
    return [
        SureColumn(len(part), sum(right for _, right in part), round(sum(p for p, _ in part), 4))
        for part in parts
        if part
    ]


class ClassScores(NamedTuple):
    """Precision, recall and F1 of one type of span, or of one tag, 0–1."""

    precision: float  # share of its predictions that are right
    recall: float  # share of its gold occurrences that were predicted
    f1: float  # the harmonic mean of both
    support: int  # its gold occurrences


class SpanCounts:
    """Counts of spans, sentence by sentence.

    Args:
        scheme: That the predicted labels should follow.

    Example:
        >>> counts = SpanCounts()
        >>> counts.add(["B-LOC", "I-LOC", "O", "B-PER"], ["B-LOC", "O", "B-PER", "B-PER"])
        >>> counts.scores().span_precision, counts.by_type()["PER"]
        (0.33..., ClassScores(precision=0.5, recall=1.0, f1=0.66..., support=1))
    """

    def __init__(self, scheme: str = "BIO") -> None:
        self.scheme = scheme
        self.right, self.gold, self.predicted = Counter[str](), Counter[str](), Counter[str]()
        self.invalid_tags = 0

    def add(self, gold: Sequence[str], predicted: Sequence[str]) -> None:
        """Count one sentence's labels."""
        expected, answers = set(spans(gold)), set(spans(predicted))
        self.gold.update(span.kind for span in expected)
        self.predicted.update(span.kind for span in answers)
        self.right.update(span.kind for span in expected & answers)
        self.invalid_tags += len(faults(predicted, self.scheme))

    def scores(self) -> SpanScores:
        """Return the scores of all types together."""
        totals = (counter.total() for counter in (self.right, self.gold, self.predicted))
        return SpanScores(*class_scores(*totals)[:3], self.invalid_tags)

    def by_type(self) -> dict[str, ClassScores]:
        """Return the scores of each type, in alphabetical order."""
        return {
            kind: class_scores(self.right[kind], self.gold[kind], self.predicted[kind])
            for kind in sorted({*self.gold, *self.predicted})
        }


def class_scores(right: int, gold: int, predicted: int) -> ClassScores:
    """Return precision, recall and F1 from counts.

    Example:
        >>> class_scores(1, 2, 4)
        ClassScores(precision=0.25, recall=0.5, f1=0.33..., support=2)
    """
    total = max(gold + predicted, 1)
    return ClassScores(right / max(predicted, 1), right / max(gold, 1), 2 * right / total, gold)


class Evaluation(NamedTuple):
    """Metrics that `test` measures on the treebank's own tokens."""

    tokens: int
    sentences: int
    unknown_words: int  # tokens whose word training did not contain (case and digits apart)
    nll: float
    """Mean of −log p(gold tags | words), in nats, over the sentences whose tags the tagger has."""
    decoders: dict[str, Accuracy]
    """Accuracy by decoder, see `DECODERS`; the headline metrics are the first decoder's."""
    confusion: list[list[int]]
    """[S, S] number of tokens by gold tag (row) and the first decoder's tag (column)."""
    spans: dict[str, SpanScores]  # by the decoder's name; empty unless the tags are labels of spans
    unseen: dict[str, int]
    """Number of tokens by gold tag that the tagger does not have; each counts as wrong."""
    classes: dict[str, ClassScores]
    """Scores of the first decoder by type of span, or by tag if the tags are plain."""
    sureness: list[SureColumn]
    """How sure the tagger is of the first decoder's paths, and how often these are right."""

    @property
    def headline(self) -> Accuracy | SpanScores:
        """Metrics of the first decoder, on spans where the tags are labels of spans."""
        return next(iter((self.spans or self.decoders).values()))

    def summary(self) -> dict[str, float | None]:
        """Return the headline metrics."""
        sizes = {"tokens": self.tokens, "sentences": self.sentences}
        nll = {} if self.spans else {"nll": self.nll}
        return sizes | self.headline._asdict() | nll

    def report(self) -> dict[str, Any]:
        """Return the metrics of the headline and of each span type or tag, and the unseen tags."""
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
    """Tag the dataset's sentences and compare the tags with the gold tags.

    Memory use grows with the number of sentences by two numbers for each.

    Args:
        tagger: A tagger of any kind.
        dataset: At least one sentence with gold tags, in the tagger's label scheme.
        decoders: Names from `DECODERS`; the first gives the headline metrics.
        batch_size: Number of sentences per batch; it does not change the result.
        constraints: Constraints at decoding; default: those that the tagger was trained with.
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
    """Counts that add up batch by batch."""

    def __init__(self, tagger: AnyTagger, decoders: Sequence[str]) -> None:
        self.tagger, scheme = tagger, label_scheme(tagger)
        self.index = {tag: i for i, tag in enumerate(tagger.tags)}
        S = len(self.index)
        self.confusion = torch.zeros(S, S, dtype=torch.long)
        self.predicted = torch.zeros(S, dtype=torch.long)
        self.right = {decoder: [0, 0, 0] for decoder in decoders}
        self.spans = {d: SpanCounts(scheme) for d in decoders} if scheme else {}
        self.unseen = Counter[str]()
        self.tokens = self.sentences = self.unknown_words = self.complete = 0
        self.nll = 0.0
        self.sure: list[tuple[float, bool]] = []  # p(path | words), and whether it is right

    def add(self, batch: Sequence[Sentence], chain: Any) -> None:
        gold, mask, unknown = self.gold(batch)
        self.tokens += int(mask.sum())
        self.sentences += len(batch)
        self.unknown_words += int(unknown.sum())
        has_all = ((gold >= 0) | ~mask).all(dim=1)
        self.complete += int(has_all.sum())
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
                S, has_gold = len(self.index), mask & (gold >= 0)
                pairs = gold[has_gold] * S + tags[has_gold]
                self.confusion += torch.bincount(pairs, minlength=S * S).view(S, S)
                self.predicted += torch.bincount(tags[mask].clamp(min=0), minlength=S)
                sure = chain.log_prob(tags.clamp(min=0).to(chain.mask.device)).exp().tolist()
                self.sure += zip(sure, (correct | ~mask).all(dim=1).tolist(), strict=True)

    def gold(self, batch: Sequence[Sentence]) -> tuple[Tensor, Tensor, Tensor]:
        """Gold tags (−1: unseen), mask, and which tokens are unknown words; each [B, L]."""
        index = self.index
        tags = [torch.tensor([index.get(t, -1) for t in s.tags], dtype=torch.long) for s in batch]
        gold = pad_sequence(tags, batch_first=True, padding_value=-1)
        unknown = [torch.tensor(self.tagger.unknown(s.words), dtype=torch.bool) for s in batch]
        lengths = torch.tensor(list(map(len, tags)))
        mask = torch.arange(gold.shape[1]) < lengths[:, None]
        self.unseen.update(tag for s in batch for tag in s.tags if tag not in index)
        return gold, mask, pad_sequence(unknown, batch_first=True)

    def evaluation(self) -> Evaluation:
        accuracies = {
            decoder: Accuracy(
                tokens / self.tokens,
                sentences / self.sentences,
                unknown / self.unknown_words if self.unknown_words else None,
            )
            for decoder, (tokens, sentences, unknown) in self.right.items()
        }
        return Evaluation(
            self.tokens,
            self.sentences,
            self.unknown_words,
            self.nll / max(self.complete, 1),
            accuracies,
            self.confusion.tolist(),
            {decoder: counts.scores() for decoder, counts in self.spans.items()},
            dict(self.unseen),
            next(iter(self.spans.values())).by_type() if self.spans else self.by_tag(),
            sure_columns(self.sure),
        )

    def by_tag(self) -> dict[str, ClassScores]:
        gold, right = self.confusion.sum(dim=1), self.confusion.diagonal()
        scores = {
            tag: class_scores(int(right[i]), int(gold[i]), int(self.predicted[i]))
            for tag, i in self.index.items()
        }
        scores |= {tag: class_scores(0, count, 0) for tag, count in self.unseen.items()}
        return dict(sorted(scores.items()))
