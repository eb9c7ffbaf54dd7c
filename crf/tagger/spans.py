"""Scores of predicted spans, as CoNLL's `conlleval` and seqeval count: exact boundaries and type.

A label that breaks its scheme is an error of the tagger, yet may begin a span: see `crf.schemes`.

Source: Tjong Kim Sang and De Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..schemes import faults, spans


class SpanScores(NamedTuple):
    """How well predicted spans fit the gold ones; shares are 0–1, and 0 where none is possible."""

    span_precision: float
    """Share of the predicted spans that are gold spans."""
    span_recall: float
    """Share of the gold spans that were predicted."""
    span_f1: float
    """The harmonic mean of both."""
    invalid_tags: int
    """Predicted labels that break the scheme."""


class ClassScores(NamedTuple):
    """How well one type of span, or one tag, is predicted; shares are 0–1."""

    precision: float
    """Share of its predictions that are right."""
    recall: float
    """Share of its gold occurrences that were predicted."""
    f1: float
    """The harmonic mean of both."""
    support: int
    """Its gold occurrences."""


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
        expected, found = set(spans(gold)), set(spans(predicted))
        self.gold.update(span.kind for span in expected)
        self.predicted.update(span.kind for span in found)
        self.right.update(span.kind for span in expected & found)
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
