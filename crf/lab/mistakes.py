"""Mistakes of published implementations and students, each as a small change of the reference.

A new mistake is a call of `mistake` with a name, which has its sentence in `words.md`, and the
parts of the reference that it changes. Several changes may stand under one name: the same mistake
can be made in more than one place.
"""

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..figures.languages import language
from ..figures.texts import translations
from .reference import (
    NEG_INF,
    TABLES,
    Reference,
    ScoreRow,
    Scores,
    ScoreTable,
    logsumexp,
    mapped,
    transposed,
)

CATALOGUE: list[tuple[str, type[Reference]]] = []


def mistake(name: str, **parts: Callable[..., Any]) -> None:
    """Put a reference with some parts changed into the catalogue."""
    CATALOGUE.append((name, type("Mistaken", (Reference,), dict(parts))))


def explanations() -> dict[str, str]:
    """Return the explanation of each mistake and impossible result, by name, from `words.md`."""
    return {name: text for name, (_, text) in texts(language()).items()}


def title(name: str) -> str:
    """Return what a mistake or an impossible result is called in the reader's language."""
    return texts(language())[name][0]


@cache
def texts(language: str) -> dict[str, tuple[str, str]]:
    """The title and the explanation of each by name: `## name` or `## name: title`, then a text."""
    texts = translations(Path(__file__).with_name("words.md"))
    entries = {}
    for part in f"\n{texts.get(language, texts['en'])}".split("\n## ")[1:]:
        heading, _, words = part.partition("\n")
        name, _, called = (piece.strip() for piece in heading.partition(":"))
        entries[name] = (called or name, " ".join(words.split()))
    return entries


def answers(changed: type[Reference], function: str, scores: Scores) -> Iterator[Any]:
    """Yield what a function gives with this mistake: in all of its parts, or in one of them.

    A loss can be wrong in log Z alone or in the score alone; marginals and gradients in α alone or
    in β alone.
    """
    wrong, right = changed(scores), Reference(scores)
    yield wrong.answer(function)
    if function == "nll":
        yield wrong.log_partition() - right.score()
        yield right.log_partition() - wrong.score()
    if function in ("marginals", "gradients"):
        for part in ("forward", "backward"):
            mixed = Reference(scores)
            setattr(mixed, part, getattr(wrong, part))
            yield mixed.answer(function)


# ---------------------------------------------------------------------- scores misread

mistake("transitions transposed", transition=lambda self, i, j: self.x.transitions[j][i])
mistake("transition left out", transition=lambda self, i, j: 0.0)

mistake("start left out", first=lambda self, s: self.emission(0, s))
mistake("start added twice", first=lambda self, s: 2 * self.x.start[s] + self.emission(0, s))
mistake("end left out", last=lambda self, s: 0.0)
mistake("end added twice", last=lambda self, s: 2 * self.x.end[s])


def _end_in_the_last_column(self: Reference) -> ScoreTable:
    table, m = Reference.forward(self), self.tokens[-1]
    last = [alpha + end for alpha, end in zip(table[-1], self.x.end, strict=True)]
    return [*table[:m], *[last] * (self.L - m)]


mistake("end added twice", forward=_end_in_the_last_column)


def _usual_first(self: Reference, s: int) -> float:
    return self.x.start[s] + self.x.emissions[0][s]


for _first in ({}, {"first": _usual_first}):  # in all columns, or in all but the first
    mistake("emission left out", emission=lambda self, t, s: 0.0, **_first)
    mistake(
        "emission added twice", emission=lambda self, t, s: 2 * self.x.emissions[t][s], **_first
    )
mistake("first emission left out", first=lambda self, s: self.x.start[s])
mistake(
    "emission of the wrong token", emission=lambda self, t, s: self.x.emissions[max(t - 1, 0)][s]
)
mistake(
    "emission of the wrong token",
    emission=lambda self, t, s: self.x.emissions[min(t + 1, self.L - 1)][s],
)
mistake(
    "emission of the wrong token",
    with_emission=lambda self, t, message: Reference.with_emission(self, t - 1, message),
    outgoing=lambda self, column, t, s: [
        self.transition(s, j) + self.emission(t, s) + column[j] for j in range(self.S)
    ],
)


def _with_number_for_infinity(number: float) -> Callable[[Reference, Scores], Scores]:
    def taken(self: Reference, scores: Scores) -> Scores:
        tables = mapped(lambda value: number if value == NEG_INF else value, list(scores[:4]))
        return Scores(*tables, tags=scores.tags, mask=scores.mask)

    return taken


for _number in (-1e2, -1e3, -1e4, -1e5, -1e6, -1e9, -1e10):
    mistake("a number for −∞", taken=_with_number_for_infinity(_number))


# ---------------------------------------------------------------------- terms put together wrongly


def _largest(self: Reference, values: Sequence[float]) -> float:
    return max(values)


def _sum(self: Reference, values: Sequence[float]) -> float:
    return logsumexp(values)


mistake("max for sum", combine=_largest)
mistake("max for sum", combine=_largest, total=_sum)
mistake("max for sum", total=_largest)
mistake("sum for max", best=_sum)
mistake("logs added", combine=lambda self, values: sum(values))
mistake(
    "log of added logs",
    combine=lambda self, values: math.log(total) if (total := sum(values)) > 0 else math.nan,
)
mistake("terms averaged", combine=lambda self, values: logsumexp(values) - math.log(len(values)))
mistake(
    "factors added",
    incoming=lambda self, column, s: [
        logsumexp([column[i], self.transition(i, s)]) for i in range(self.S)
    ],
    outgoing=lambda self, column, t, s: [
        logsumexp([self.transition(s, j), self.emission(t + 1, j), column[j]])
        for j in range(self.S)
    ],
)
mistake(
    "only the best cell followed",
    incoming=lambda self, column, s: [max(column) + self.transition(self.pick(column), s)],
    outgoing=lambda self, column, t, s: Reference.outgoing(self, column, t, s)[
        (k := self.pick(column)) : k + 1
    ],
)
mistake(
    "neighbouring column left out",
    incoming=lambda self, column, s: [self.transition(i, s) for i in range(self.S)],
    outgoing=lambda self, column, t, s: Reference.outgoing(self, [0.0] * self.S, t, s),
)
mistake(
    "sum over the wrong axis",
    incoming=lambda self, column, s: [column[s] + self.transition(s, j) for j in range(self.S)],
    outgoing=lambda self, column, t, s: [
        self.transition(i, s) + self.emission(t + 1, s) + column[s] for i in range(self.S)
    ],
)
mistake(
    "column broadcast along the wrong axis",
    incoming=lambda self, column, s: [column[s] + self.transition(i, s) for i in range(self.S)],
    outgoing=lambda self, column, t, s: [
        self.transition(s, j) + self.emission(t + 1, s) + column[s] for j in range(self.S)
    ],
)


def _above(smallest: float, values: Sequence[float]) -> list[float]:
    return [value if value > smallest else NEG_INF for value in values]


def _sum_of_exps(largest: float, smallest: float) -> Callable[..., float]:
    """log Σ exp in a format where exp is ∞ above `largest`, a logarithm, and 0 below `smallest`."""

    def combine(self: Reference, values: Sequence[float]) -> float:
        total = logsumexp(_above(smallest, values))
        return math.inf if total >= largest else total

    return combine


def _products(smallest: float) -> Callable[..., ScoreRow]:
    """A column of probabilities, which are 0 below exp(smallest)."""
    return lambda self, t, row: _above(smallest, Reference.with_emission(self, t, row))


for _largest_exp, _smallest_exp in ((709.78, -745.13), (88.72, -103.28)):  # float64, float32
    mistake("exp overflow", combine=_sum_of_exps(_largest_exp, NEG_INF))
    for _column in ({}, {"with_emission": _products(_smallest_exp)}):
        mistake("underflow", combine=_sum_of_exps(math.inf, _smallest_exp), **_column)
mistake(
    "−∞ minus −∞",
    combine=lambda self, values: math.nan if max(values) == NEG_INF else logsumexp(values),
)


# ---------------------------------------------------------------------- masks


def _count_padding(self: Reference, scores: Scores) -> Scores:
    return scores._replace(mask=[True] * len(scores.mask))


def _mask_emissions(self: Reference, scores: Scores) -> Scores:
    rows = zip(scores.emissions, scores.mask, strict=True)
    masked = [[value * on for value in row] for row, on in rows]
    return scores._replace(emissions=masked, mask=[True] * len(masked))


def _mix(self: Reference, t: int, new: list[float], old: list[float]) -> list[float]:
    on = float(self.x.mask[t])
    return [a * on + b * (1 - on) for a, b in zip(new, old, strict=True)]


mistake("padding counted in", taken=_count_padding)
mistake("padding counted in", keep=lambda self, t, new, old: new)
mistake("mask multiplied", keep=lambda self, t, new, old: [x * self.x.mask[t] for x in new])
mistake("mask multiplied", keep=_mix)
mistake("mask multiplied", taken=_mask_emissions)


# ---------------------------------------------------------------------- Viterbi's way back


def _follow(pointer: Callable[[Reference, int, int], int]) -> Callable[..., None]:
    """Follow another column's backpointers, given both neighbours."""

    def trace_back(self: Reference, path: list[int], pointers: list[list[int]]) -> None:
        for before, t in zip(self.tokens[-2::-1], self.tokens[::-1], strict=False):
            path[before] = pointers[pointer(self, before, t)][path[t]]

    return trace_back


def _then(change: Callable[[Reference, list[int]], int]) -> Callable[[Reference], list[int]]:
    """The right path, with another first tag."""
    return lambda self: [change(self, path := Reference.viterbi(self)), *path[1:]]


def _each(choice: Callable[[Reference, int], int]) -> Callable[[Reference], list[int]]:
    """Each token's tag by itself."""
    return lambda self: [choice(self, t) if self.x.mask[t] else -1 for t in range(self.L)]


def _left_to_right(self: Reference) -> list[int]:
    path = [-1] * self.L
    path[0] = before = self.pick([self.first(s) for s in range(self.S)])
    for t in self.tokens[1:]:
        scores = [self.transition(before, s) + self.emission(t, s) for s in range(self.S)]
        path[t] = before = self.pick(scores)
    return path


def _best_of_column_with_end(self: Reference, t: int) -> int:
    table = self.deltas()
    return self.last_tag(table) if t == self.tokens[-1] else self.pick(table[t])


def _unreversed(place: Callable[[Reference], list[int]]) -> Callable[..., None]:
    """Follow the backpointers from the first column on, and put the tags into these tokens."""

    def trace_back(self: Reference, path: list[int], pointers: list[list[int]]) -> None:
        tag = path[self.tokens[-1]]
        for t, into in zip(self.tokens, place(self), strict=True):
            path[into] = tag = tag if t == 0 else pointers[t][tag]

    return trace_back


def _first_to_last(empty: int) -> Callable[..., None]:
    """Follow the backpointers in a path whose unfilled cells have another tag."""

    def trace_back(self: Reference, path: list[int], pointers: list[list[int]]) -> None:
        for before, t in itertools.pairwise(self.tokens):
            path[before] = pointers[t][path[t] if t == self.tokens[-1] else empty]

    return trace_back


def _like_forward_pointers(self: Reference) -> list[int]:
    path, table = [-1] * self.L, self.deltas()
    path[0], pointers = self.pick(table[0]), self.backpointers(table)
    for before, t in itertools.pairwise(self.tokens):
        path[t] = pointers[t][path[before]]
    return path


_ORDER = "backpointers followed in the wrong order"
mistake(_ORDER, trace_back=_unreversed(lambda self: self.tokens[::-1]))
mistake(_ORDER, trace_back=_unreversed(lambda self: self.tokens))
mistake(_ORDER, trace_back=_first_to_last(0))
mistake(_ORDER, trace_back=_first_to_last(-1))
mistake(_ORDER, viterbi=_like_forward_pointers)

_TURNED = "backpointers of the transposed table"
mistake(
    _TURNED,
    pointing=lambda self, column, s: [column[i] + self.transition(s, i) for i in range(self.S)],
)
mistake(
    _TURNED,
    pointing=lambda self, column, s: [column[s] + self.transition(s, i) for i in range(self.S)],
)
mistake("backpointers without the transition", pointing=lambda self, column, s: list(column))
mistake("backpointers off by one", trace_back=_follow(lambda self, before, t: before))
mistake(
    "backpointers off by one", trace_back=_follow(lambda self, before, t: min(t + 1, self.L - 1))
)
mistake("traceback from the wrong token", keep=lambda self, t, new, old: new)
mistake(
    "traceback from the wrong token",
    last_tag=lambda self, table: Reference.last_tag(self, table[:1]),
)
mistake(
    "traceback from the wrong token",
    last_tag=lambda self, table: Reference.last_tag(self, table[: max(self.tokens[-1], 1)]),
)
mistake(
    "first tag from START",
    viterbi=_then(lambda self, path: self.pick([self.first(s) for s in range(self.S)])),
)
mistake("first tag from START", viterbi=_then(lambda self, path: self.pick(self.x.start)))
mistake("no traceback", viterbi=_each(lambda self, t: self.pick(self.deltas()[t])))
mistake("no traceback", viterbi=_each(_best_of_column_with_end))
mistake("greedy for Viterbi", viterbi=_each(lambda self, t: self.pick(self.x.emissions[t])))
mistake("greedy for Viterbi", viterbi=_left_to_right)
mistake(
    "last of several best",
    pick=lambda self, values: max(range(len(values)), key=lambda k: (values[k], k)),
)


# ---------------------------------------------------------------------- β, loss, gradient


def _exp(value: float) -> float:
    return math.exp(value) if value < 709 else math.inf


def _softmax(rows: ScoreTable) -> ScoreTable:
    return [[_exp(value - logsumexp(row)) for value in row] for row in rows]


def _mean(function: Callable[[Reference], Any]) -> Callable[[Reference], Any]:
    return lambda self: mapped(lambda value: value / len(self.tokens), function(self))


mistake("β with its own emission", given_beta=lambda self, t, row: self.with_emission(t, row))
mistake(
    "marginals not divided by Z",
    marginals=lambda self: mapped(lambda a, b: _exp(a + b), self.forward(), self.backward()),
)
mistake("marginals of α alone", marginals=lambda self: _softmax(self.forward()))
mistake("softmax of the emissions", marginals=lambda self: _softmax(self.x.emissions))

mistake(
    "softmax before the CRF",
    taken=lambda self, scores: scores._replace(emissions=_softmax(scores.emissions)),
)
mistake(
    "log-softmax before the CRF",
    taken=lambda self, scores: scores._replace(emissions=_scaled(scores.emissions)),
)

mistake("sign of the loss", nll=lambda self: self.score() - self.log_partition())
mistake("log Z left out", nll=lambda self: -self.score())
mistake("score left out", nll=lambda self: self.log_partition())
mistake("mean for sum", nll=_mean(Reference.nll), gradients=_mean(Reference.gradients))
mistake("gradient without the observed counts", gradients=lambda self: self.expected())
mistake(
    "gradient without the expected counts",
    gradients=lambda self: mapped(lambda count: -count, self.observed()),
)
mistake(
    "sign of the gradient",
    gradients=lambda self: mapped(lambda count: -count, Reference.gradients(self)),
)


def _pairs_without_emission(self: Reference) -> list[Any]:
    class Forgetful(Reference):
        def counted(self, t: int, j: int) -> float:
            return 0.0

    counts = Forgetful(self.x).pair_counts()
    emissions, _, *ends = Reference.gradients(self)
    observed = self.observed()[1]
    return [emissions, mapped(operator.sub, counts, observed), *ends]


mistake("pair probabilities without the emission", gradients=_pairs_without_emission)


def _exchange(self: Reference) -> list[Any]:
    emissions, transitions, *ends = Reference.gradients(self)
    return [emissions, transposed(transitions), *ends]


mistake("gradient with its indices exchanged", gradients=_exchange)


# ---------------------------------------------------------------------- how the answer is given


def _finish(functions: tuple[str, ...], change: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda self, function, value: change(value) if function in functions else value


def _scaled(table: ScoreTable) -> ScoreTable:
    return [[x - logsumexp(row) if x > NEG_INF else x for x in row] for row in table]


mistake(
    "table in the wrong order",
    finish=_finish((*TABLES, "viterbi", "marginals"), lambda value: value[::-1]),
)
mistake("probabilities for logs", finish=_finish(TABLES, lambda table: mapped(_exp, table)))
mistake("columns divided by their sum", finish=_finish(TABLES, _scaled))
