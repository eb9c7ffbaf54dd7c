"""How good a tagger is, how sure it is, and where it errs: from its card, and on the sample.

A card's columns are sentences of which the tagger is about equally sure, the least sure ones
first; see `crf.tagger.evaluation.sure_columns`.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from crf.tagger import Sentence
from pages.shared.course.state import State
from pages.shared.ui import taggers
from pages.words.training import bundled

Z = 1.96  # of a normal distribution, 95 % lie within
TWINS = {"local": "local", "bilstm": "bilstm", "names": "ner"}  # choice → the tagger with the CRF
SHOWN = 8  # tags with mistakes that have a row of their own
FEWEST_WORDS, EXAMPLES = 5, 3  # of the sentences that show a mistake
DISLIKED = 12  # transitions with the lowest weights that are listed
BATCH = 64


class JudgedTagger(NamedTuple):
    """One tagger by its card."""

    name: str  # "crf" or "softmax"
    card: Mapping[str, Any]

    @property
    def right(self) -> float:
        """Share of the sentences that are wholly right."""
        if "sentence_accuracy" in self.card:
            return self.card["sentence_accuracy"] or 0.0
        return self.rest(0) or 0.0

    @property
    def columns(self) -> list[Mapping[str, float]]:
        """Its columns of sentences; older cards have none."""
        return self.card.get("sureness", [])

    @property
    def promised(self) -> float | None:
        """Share of the sentences that it expects to be right."""
        total = sum(column["sentences"] for column in self.columns)
        return sum(column["promised"] for column in self.columns) / total if total else None

    @property
    def broken(self) -> int | None:
        """Tags that break BIO; None where there is no such rule."""
        return self.card.get("invalid_tags")

    def rest(self, cut: int) -> float | None:
        """Share that is right of the sentences that stay with the machine from column `cut` on."""
        columns = self.columns[cut:]
        total = sum(column["sentences"] for column in columns)
        return sum(column["right"] for column in columns) / total if total else None


def choices(state: State) -> list[str]:
    """The taggers that can be judged: the shipped ones, and one's own if it is on screen."""
    key = state.given.source
    is_own = key.startswith(taggers.OWN) or key in taggers.given_entries()
    return [*TWINS, *(["own"] if is_own else [])]


def tagger_of(state: State, choice: str) -> str:
    """The key of the tagger with the CRF."""
    return state.given.source if choice == "own" else TWINS[choice]


def twins(state: State, choice: str) -> list[JudgedTagger]:
    """The tagger, and the same network with a softmax, if it was measured."""
    card = taggers.metrics(tagger_of(state, choice))
    models = [JudgedTagger("crf", card)] if card else []
    twin = taggers.metrics("ner-softmax") if choice == "names" else (card or {}).get("softmax")
    return models + ([JudgedTagger("softmax", twin)] if twin else [])


def interval(right: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    Source: Wilson (1927), "Probable inference, the law of succession, and statistical inference".

    >>> [round(x, 3) for x in interval(50, 100)]
    [0.404, 0.596]
    """
    p, z = right / n, Z * Z / n
    middle, half = p + z / 2, Z * math.sqrt(p * (1 - p) / n + z / (4 * n))
    return (middle - half) / (1 + z), (middle + half) / (1 + z)


def picture_of(judged: JudgedTagger) -> Payload:
    """A row of columns; shares from 0 to 1."""
    columns = [
        {
            "right": one["right"] / one["sentences"],
            "promised": one["promised"] / one["sentences"],
            "between": interval(one["right"], one["sentences"]),
        }
        for one in judged.columns
    ]
    return {
        "name": judged.name,
        "right": judged.right,
        "promised": judged.promised,
        "nll": judged.card.get("nll"),
        "broken": judged.broken,
        "columns": columns,
        "rests": [judged.rest(cut) for cut in range(len(columns))],
    }


# ---------------------------------------------------------------------- mistakes


class Confusions(NamedTuple):
    """How often right tags were given other tags; tags with few mistakes are one row, "other"."""

    tags: tuple[str, ...]  # of the rows and columns; the last is "" for all others, if any are left
    counts: list[list[int]]  # words by right tag (row) and tag given (column)

    @property
    def ranked(self) -> list[tuple[int, int]]:
        """The mistakes between named tags, the most frequent first: (right, given)."""
        rows = range(len(self.tags) - (self.tags[-1:] == ("",)))
        pairs = [(a, b) for a, b in product(rows, repeat=2) if a != b and self.counts[a][b]]
        return sorted(pairs, key=lambda pair: -self.counts[pair[0]][pair[1]])


def confusions(card: Mapping[str, Any], tags: Sequence[str], most: int = SHOWN) -> Confusions:
    """Those of a card, the tags with most mistakes first.

    >>> card = {"confusion": [[9, 1, 0], [2, 9, 0], [0, 0, 9]]}
    >>> confusions(card, ["A", "B", "C"], 2)
    Confusions(tags=('A', 'B', ''), counts=[[9, 1, 0], [2, 9, 0], [0, 0, 9]])
    """
    table, every = card.get("confusion", ()), range(len(tags))
    if not table:
        return Confusions((), [])

    def mistakes(k: int) -> int:
        return sum(table[k]) + sum(row[k] for row in table) - 2 * table[k][k]

    ranked = sorted(every, key=lambda k: (-mistakes(k), k))
    groups = [[k] for k in sorted(ranked[:most])] + [sorted(ranked[most:])] * (len(tags) > most)
    counts = [[sum(table[a][b] for a in rows for b in of) for of in groups] for rows in groups]
    names = tuple(tags[group[0]] for group in groups[:most])
    return Confusions(names + ("",) * (len(tags) > most), counts)


class Measured(NamedTuple):
    """A sentence as the tagger tags it: words, right tags, its tags, their probabilities."""

    words: tuple[str, ...]
    right: tuple[str, ...]
    found: tuple[str, ...]
    sure: tuple[float, ...]

    def wrong(self, mistake: tuple[str, str] | None = None) -> list[int]:
        """The words that are tagged wrong, all or with one mistake: (right tag, tag given)."""
        pairs = enumerate(zip(self.right, self.found, strict=True))
        return [t for t, pair in pairs if pair[0] != pair[1] and mistake in (None, pair)]


@lru_cache(maxsize=4)
def sample(part: str, tags: tuple[str, ...]) -> tuple[Sentence, ...]:
    """The bundled sample’s sentences, with parts of speech or names, if their tags are these."""
    sentences = getattr(bundled(taggers.task_of(tags)), part)
    return tuple(sentence for sentence in sentences if set(sentence.tags) <= set(tags))


@lru_cache(maxsize=4)
def measured(key: str, sentences: tuple[Sentence, ...]) -> tuple[Measured, ...]:
    """Tagged sentences as the tagger tags them, the shortest first."""
    tagger, results = taggers.get(key), []
    for first in range(0, len(sentences), BATCH):
        batch = sentences[first : first + BATCH]
        chain = tagger.chain([list(s.words) for s in batch], "plain")
        paths, marginals = chain.viterbi().tags.tolist(), chain.marginals
        for b, (s, path) in enumerate(zip(batch, paths, strict=True)):
            tags = tuple(tagger.tags[k] for k in path[: len(s.words)])
            sure = tuple(marginals[b, t, path[t]].item() for t in range(len(s.words)))
            results.append(Measured(tuple(s.words), tuple(s.tags), tags, sure))
    return tuple(sorted(results, key=lambda one: len(one.words)))


def judged_by(key: str) -> tuple[Sentence, ...]:
    """Sentences here that the tagger has not learnt from; of an uploaded one there are none."""
    if key in taggers.shipped_entries():
        return sample("dev", taggers.get(key).tags)
    data = taggers.data_of(key)
    return tuple(data[1]) if data else ()


def examples(key: str, mistake: tuple[str, str]) -> list[Payload]:
    """The shortest sentences with a mistake: the words, the wrong one, how sure the tagger was."""
    sentences = []
    for one in measured(key, judged_by(key)):
        if len(one.words) >= FEWEST_WORDS and (places := one.wrong(mistake)):
            t = places[0]
            sentences.append({"words": list(one.words), "token": t, "p": one.sure[t]})
    return sentences[:EXAMPLES]


# ---------------------------------------------------------------------- transitions, calibration


def disliked(
    transitions: Sequence[Sequence[float]],
    tags: Sequence[str],
    sentences: Sequence[Sentence],
) -> list[tuple[str, float, int]]:
    """The transitions with the lowest weights: names, weight, how often the sentences have them.

    What is forbidden, −∞, has no weight.
    """
    counts = Counter(pair for s in sentences for pair in pairwise(s.tags))
    pairs = zip((w for row in transitions for w in row), product(tags, repeat=2), strict=True)
    allowed = sorted(pair for pair in pairs if pair[0] > -math.inf)[:DISLIKED]
    return [(f"{a} → {b}", weight, counts[a, b]) for weight, (a, b) in allowed]


class CalibrationBin(NamedTuple):
    """Words whose chosen tag has about the same probability."""

    words: int
    sure: float  # the mean probability of their tags
    right: float  # share of them that is right


def calibration(found: Sequence[Measured]) -> list[CalibrationBin]:
    """Words in ten bins by the probability of their tag; empty bins are left out.

    Source: Guo, Pleiss, Sun and Weinberger (2017), "On calibration of modern neural networks".
    """
    bins: dict[int, list[tuple[float, bool]]] = {}
    for one in found:
        for p, right, tag in zip(one.sure, one.right, one.found, strict=True):
            bins.setdefault(min(int(10 * p), 9), []).append((p, right == tag))
    return [
        CalibrationBin(len(b), sum(p for p, _ in b) / len(b), sum(r for _, r in b) / len(b))
        for _, b in sorted(bins.items())
    ]


def calibration_error(bins: Sequence[CalibrationBin]) -> float:
    """ECE: the mean distance between how sure the model is and how often it is right."""
    total = sum(one.words for one in bins)
    return sum(one.words * abs(one.sure - one.right) for one in bins) / max(total, 1)
