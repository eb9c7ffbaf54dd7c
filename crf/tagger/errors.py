"""What a tagger gets wrong, one by one: types, borders, names missed and names invented.

    type       the same words, another type          border     the same type, other words
    both       other words, another type, yet words in common
    missed     no name where gold has one            invented   a name where gold has none
    tag        of plain tags: another tag

Sources: the classes of errors of MUC-5, Chinchor and Sundheim (1993), "MUC-5 evaluation metrics".
"""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Any, NamedTuple, TextIO

from torch import Tensor

from .. import Constraints, LinearChain
from ..schemes import OUTSIDE, Span, spans
from .decoders import DECODERS
from .evaluation import label_scheme
from .model import AnyTagger
from .reading import Sentence

KINDS = ("type", "border", "both", "missed", "invented")
HEADER = (
    "sentence word error gold gold_words gold_probability predicted predicted_words "
    "predicted_probability text"
).split()
BATCH = 64


class Wrong(NamedTuple):
    """An error: a name or, of plain tags, a word."""

    sentence: int  # its number in the file, from 1
    error: str  # one of `KINDS`, or "tag"
    gold: Span | None
    predicted: Span | None
    gold_probability: float | None
    """Of the right name or tag; None if there is none, or the tagger does not have its type."""
    predicted_probability: float | None
    words: tuple[str, ...]  # of the sentence

    def row(self) -> list[str]:
        """Return the cells of its line, in the order of `HEADER`."""
        first = self.gold or self.predicted
        assert first
        cells = [str(self.sentence), str(first.start + 1), self.error]
        for span, p in (
            (self.gold, self.gold_probability),
            (self.predicted, self.predicted_probability),
        ):
            words = self.words[span.start : span.end] if span else ()
            cells += [span.kind if span else "", " ".join(words), "" if p is None else f"{p:.4f}"]
        return [*cells, " ".join(self.words)]


def pair(
    gold: Sequence[Span], predicted: Sequence[Span]
) -> list[tuple[str, Span | None, Span | None]]:
    """Match the wrong names of a sentence: first equal borders, then equal types, then any overlap.

    Example:
        >>> found = pair([Span("ORG", 0, 2)], [Span("ORG", 1, 2), Span("LOC", 3, 4)])
        >>> [error for error, _, _ in found]
        ['border', 'invented']
    """
    left = [span for span in gold if span not in predicted]
    right = [span for span in predicted if span not in gold]
    found: list[tuple[str, Span | None, Span | None]] = []
    for error, fits in (
        ("type", lambda a, b: a[1:] == b[1:]),
        ("border", lambda a, b: a.kind == b.kind and a.start < b.end and b.start < a.end),
        ("both", lambda a, b: a.start < b.end and b.start < a.end),
    ):
        for a, b in product(tuple(left), tuple(right)):
            if a in left and b in right and fits(a, b):
                found.append((error, a, b))
                left.remove(a)
                right.remove(b)
    found += [("missed", span, None) for span in left]
    found += [("invented", None, span) for span in right]
    return sorted(found, key=lambda one: (one[1] or one[2] or Span("", 0, 0)).start)


def wrong_ones(
    tagger: AnyTagger,
    sentences: Iterable[Sentence],
    decoder: str = "viterbi",
    constraints: Constraints | None = None,
) -> Iterator[Wrong]:
    """Tag sentences and yield each error with its probabilities, in the order of the file.

    Args:
        tagger: A tagger of any kind.
        sentences: With gold tags, in the tagger's label scheme.
        decoder: A name from `DECODERS`.
        constraints: As for `evaluation.test`.
    """
    numbered, find = enumerate(sentences, start=1), _names if label_scheme(tagger) else _tags
    while batch := list(islice(numbered, BATCH)):
        chain = tagger.chain([s.words for _, s in batch], backend="plain", constraints=constraints)
        best = DECODERS[decoder].tags(chain).cpu()
        paths = [
            tuple(tagger.tags[tag] for tag in row[: len(sentence.words)])
            for row, (_, sentence) in zip(best.tolist(), batch, strict=True)
        ]
        rows = [n for n, (_, sentence) in enumerate(batch) if sentence.tags != paths[n]]
        if rows:
            chosen = [(*batch[n], paths[n]) for n in rows]
            yield from find(tagger, chain[rows], best[rows], chosen)


Chosen = Sequence[tuple[int, Sentence, tuple[str, ...]]]  # number, gold and predicted tags


def _tags(tagger: AnyTagger, chain: LinearChain, _: Tensor, chosen: Chosen) -> Iterator[Wrong]:
    """The words with a wrong tag."""
    index = {tag: n for n, tag in enumerate(tagger.tags)}
    marginals = chain.marginals.tolist()
    for row, (number, sentence, path) in zip(marginals, chosen, strict=True):
        for t, (gold, tag) in enumerate(zip(sentence.tags, path, strict=True)):
            if gold != tag:
                p = row[t][index[gold]] if gold in index else None
                two = Span(gold, t, t + 1), Span(tag, t, t + 1)
                yield Wrong(number, "tag", *two, p, row[t][index[tag]], sentence.words)


def _names(tagger: AnyTagger, chain: LinearChain, best: Tensor, chosen: Chosen) -> Iterator[Wrong]:
    """The wrong names."""
    index, right = {tag: n for n, tag in enumerate(tagger.tags)}, best.clone()
    for n, (_, sentence, _) in enumerate(chosen):
        for t, tag in enumerate(sentence.tags):
            right[n, t] = index.get(tag, index.get(OUTSIDE, 0))
    probabilities = [
        {Span(*one[:3]): one.probability for one in (*a, *b)}
        for a, b in zip(
            chain.entities(tagger.tags, paths=best),
            chain.entities(tagger.tags, paths=right),
            strict=True,
        )
    ]
    for found, (number, sentence, path) in zip(probabilities, chosen, strict=True):
        for error, gold, tag in pair(spans(sentence.tags), spans(path)):
            p, q = (found.get(span) if span else None for span in (gold, tag))
            yield Wrong(number, error, gold, tag, p, q, sentence.words)


class ErrorCounts:
    """Errors by type and by kind, and which type was taken for which."""

    def __init__(self) -> None:
        self.by_type: dict[str, Counter[str]] = {}
        """Of each gold type (of invented names: the predicted type) how often each error occurs."""
        self.confused: Counter[tuple[str, str]] = Counter()
        """Pairs of gold and predicted type, or of tags."""

    def add(self, wrong: Wrong) -> None:
        """Count one error."""
        one = wrong.gold or wrong.predicted
        assert one
        self.by_type.setdefault(one.kind, Counter())[wrong.error] += 1
        if wrong.gold and wrong.predicted and wrong.gold.kind != wrong.predicted.kind:
            self.confused[wrong.gold.kind, wrong.predicted.kind] += 1

    def report(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        confused = [[*pair, n] for pair, n in self.confused.most_common()]
        return {"types": {k: dict(v) for k, v in sorted(self.by_type.items())}, "pairs": confused}

    def table(self, most: int = 10) -> str:
        """Return the counts as text, with the most frequent confusions of types or tags."""
        lines = []
        kinds = [kind for kind in KINDS if any(row[kind] for row in self.by_type.values())]
        if kinds:
            width = max([4, *map(len, self.by_type)])
            lines.append(f"{'type':{width}}" + "".join(f"  {kind:>8}" for kind in kinds))
            for name, row in sorted(self.by_type.items(), key=lambda item: -item[1].total()):
                lines.append(f"{name:{width}}" + "".join(f"  {row[kind]:8,}" for kind in kinds))
        for (gold, predicted), n in self.confused.most_common(most):
            lines.append(f"{n:,} times {predicted or 'a name'} for {gold or 'a name'}")
        return "\n".join(lines) or "no errors"


def write(file: TextIO, wrong: Iterable[Wrong]) -> ErrorCounts:
    """Write errors, a line each, with tabs between the cells, and count them."""
    writer, counts = csv.writer(file, "excel-tab", lineterminator="\n"), ErrorCounts()
    writer.writerow(HEADER)
    for one in wrong:
        writer.writerow(one.row())
        counts.add(one)
    return counts
