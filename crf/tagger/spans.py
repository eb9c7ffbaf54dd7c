"""Spans of BIO labels, as the field counts them: exact boundaries and type.

    O  B-LOC  I-LOC  O  I-PER    →    (LOC, 1, 3), (PER, 4, 5)

An I- that continues nothing is an error of the tagger, yet begins a span: that is the rule of
CoNLL's `conlleval`, and of seqeval, by which published figures are computed.

Source: Tjong Kim Sang and De Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Span(NamedTuple):
    """A name in a sentence."""

    kind: str
    """LOC, PER, ..."""
    start: int
    """Its first token, from 0."""
    end: int
    """The token after its last one."""


class SpanScores(NamedTuple):
    """How well predicted spans fit the gold ones; shares are 0–1, and 0 where none is possible."""

    span_precision: float
    """Share of the predicted spans that are gold spans."""
    span_recall: float
    """Share of the gold spans that were predicted."""
    span_f1: float
    """The harmonic mean of both."""
    invalid_tags: int
    """Predicted I- tags that continue no span of their type."""


def spans(labels: Sequence[str]) -> list[Span]:
    """The spans of one sentence's labels, from left to right.

    Example:
        >>> spans(["O", "B-LOC", "I-LOC", "B-LOC", "I-PER"])
        [Span(kind='LOC', start=1, end=3), Span(kind='LOC', start=3, end=4), Span(kind='PER', ...)]
    """
    found: list[Span] = []
    before = "O"
    for position, label in enumerate(labels):
        prefix, _, kind = label.partition("-")
        if prefix == "I" and _may_precede(before, kind):
            found[-1] = found[-1]._replace(end=position + 1)
        elif prefix != "O":
            found.append(Span(kind, position, position + 1))
        before = label
    return found


def invalid(labels: Sequence[str]) -> list[int]:
    """The positions of I- labels that continue no span of their type.

    Example:
        >>> invalid(["I-LOC", "I-LOC", "I-PER", "O", "I-PER"])
        [0, 2, 4]
    """
    before = ["O", *labels]
    return [
        position
        for position, label in enumerate(labels)
        if label[:1] == "I" and not _may_precede(before[position], label.partition("-")[2])
    ]


def compare(pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> SpanScores:
    """Score predictions.

    Args:
        pairs: Of each sentence the gold labels and the predicted ones.

    Example:
        >>> compare([(["B-LOC", "I-LOC", "O"], ["B-LOC", "O", "B-PER"])])
        SpanScores(span_precision=0.0, span_recall=0.0, span_f1=0.0, invalid_tags=0)
    """
    right = gold_spans = predicted_spans = invalid_tags = 0
    for gold, predicted in pairs:
        wanted, found = set(spans(gold)), set(spans(predicted))
        right += len(wanted & found)
        gold_spans += len(wanted)
        predicted_spans += len(found)
        invalid_tags += len(invalid(predicted))
    return SpanScores(
        right / max(predicted_spans, 1),
        right / max(gold_spans, 1),
        2 * right / max(gold_spans + predicted_spans, 1),
        invalid_tags,
    )


def _may_precede(label: str, kind: str) -> bool:
    return label in (f"B-{kind}", f"I-{kind}")
