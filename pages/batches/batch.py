r"""Several sentences as one batch: a padded array of words, its mask, one model for all rows.

    batch = Batch.of(problem, "the old man\n_ the boat")
    batch.chain().log_partition        # [B], by the core, all rows in one recursion
    Loop(batch).kept                   # columns before the current one

A line is a row, `_` a padded cell: `_ the boat` is padded on the left, `the _ boat` has a hole,
`_` alone is a sentence without words. Rows that are shorter than the longest are padded on the
right. The model is the problem's: its tags, transitions, start and end, and its words' emissions.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, cycle, islice
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from crf.core.potentials import first_tokens, last_tokens
from crf.core.results import ViterbiResult
from crf.core.scoring import score_terms
from pages.shared.course.problem import Matrix, Problem, Row, clean_name
from pages.shared.course.problem_checks import refuse

PAD = "_"
MOST_ROWS, MOST_WORDS = 4, 12
LONGEST = 2_000  # characters
CHANGES = ("shuffled", "left", "middle", "right", "nan", "forbidden")  # of `rearranged`

Words = tuple[str, ...]


@dataclass(frozen=True)
class Batch:
    """B sentences of at most L words, padded to L."""

    model: Problem  # tags, transitions, start, end, and the scores of the words it knows
    rows: tuple[Words, ...]  # [B][L] words; `PAD` where the mask is False

    @classmethod
    def of(cls, model: Problem, text: str) -> "Batch":
        r"""A batch as somebody typed it; `parse` says what is refused.

        >>> Batch.of(Problem.blank(["A", "B"], ["x"]), "x y\n_ x\n_").rows
        (('x', 'y'), ('_', 'x'), ('_', '_'))
        """
        return cls(model, padded(parse(text)))

    @property
    def shape(self) -> tuple[int, int, int]:
        """(B, L, S)."""
        return len(self.rows), len(self.rows[0]), len(self.model.tags)

    @property
    def text(self) -> str:
        """The batch as it would be typed, without padding on the right."""
        ends = (
            max((t for t, word in enumerate(row, 1) if word != PAD), default=0) for row in self.rows
        )
        rows = [row[:end] or (PAD,) for row, end in zip(self.rows, ends, strict=True)]
        if max(map(len, rows)) < self.shape[1]:
            rows[0] = self.rows[0]
        return "\n".join(map(" ".join, rows))

    @cached_property
    def mask(self) -> tuple[tuple[bool, ...], ...]:
        """[B][L]: which cells are words."""
        return tuple(tuple(word != PAD for word in row) for row in self.rows)

    @property
    def lengths(self) -> tuple[int, ...]:
        """[B]: how many words each row has."""
        return tuple(map(sum, self.mask))

    def words(self, row: int) -> Words:
        """A row without its padding."""
        return tuple(word for word in self.rows[row] if word != PAD)

    @cached_property
    def emissions(self) -> tuple[Matrix, ...]:
        """[B][L][S] log-scores, 0 in padded cells."""
        return tuple(self._emissions(row) for row in self.rows)

    @property
    def unknown(self) -> Words:
        """The words that the model has no scores for: they score 0 for every tag."""
        lexicon, words = _lexicon(self.model), [word for row in self.rows for word in row]
        return tuple(dict.fromkeys(w for w in words if w != PAD and w.lower() not in lexicon))

    @property
    def transitions(self) -> Matrix:
        """[S][S] log-scores; if the problem has a matrix for each step, the first one's."""
        model, S = self.model, len(self.model.tags)
        has_none = model.per_step and not model.transitions
        return ((0.0,) * S,) * S if has_none else model.matrix(1)

    def tensors(self, *padding: float) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """The arguments of the core: emissions, transitions, start, end and mask, in float64.

        The padded cells' emissions hold the padding; several take turns by column; none: 0.
        """
        model, (_, L, _) = self.model, self.shape
        tables = (self.emissions, self.transitions, model.start, model.end)
        emissions, transitions, start, end = (torch.tensor(x, dtype=torch.float64) for x in tables)
        mask = torch.tensor(self.mask).reshape(self.shape[:2])
        fill = torch.tensor(list(islice(cycle(padding or (0.0,)), L)), dtype=torch.float64)
        emissions = torch.where(mask[:, :, None], emissions.reshape(self.shape), fill[:, None])
        return emissions, transitions, start, end, mask

    def chain(self) -> LinearChain:
        """All rows as one `LinearChain`."""
        return LinearChain(*self.tensors(), backend="plain")

    def problem(self, row: int) -> Problem:
        """A row as a chain of its own; it must have a word."""
        model, every = self.model, zip(self.emissions[row], self.mask[row], strict=True)
        emissions = [scores for scores, is_word in every if is_word]
        return Problem.of(
            model.tags, self.words(row), emissions, self.transitions, model.start, model.end
        )

    def _emissions(self, row: Words) -> Matrix:
        model, nothing = self.model, (0.0,) * len(self.model.tags)
        words = [word.lower() for word in row if word != PAD]
        if words == [_one_word(token).lower() for token in model.tokens]:  # the sentence itself:
            scores = iter(model.emissions)  # each place has its own
            return tuple(nothing if word == PAD else next(scores) for word in row)
        lexicon, met = _lexicon(model), Counter[str]()
        emissions = []
        for word in (w.lower() for w in row):
            every = lexicon.get(word, ())  # a word that comes again has its next place's scores
            emissions.append(every[met[word] % len(every)] if every else nothing)
            met[word] += 1
        return tuple(emissions)


def parse(text: str) -> list[Words]:
    """The rows that somebody typed, not padded yet.

    Raises:
        ProblemError: No row, too many rows, or a row that is too long.
    """
    if len(text) > LONGEST:
        raise refuse("the batch", f"at most {LONGEST:,} characters", f"{len(text):,}", "shorten it")
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not 1 <= len(lines) <= MOST_ROWS:
        got = f"{len(lines)}" if lines else "none"
        advice = "take some out" if lines else f"write one a line; {PAD} has no word"
        raise refuse("the batch", f"1 to {MOST_ROWS} sentences", got, advice)
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_WORDS:
            expected = f"at most {MOST_WORDS} words"
            raise refuse(f"sentence {number}", expected, str(len(line)), "shorten it")
    return [tuple(map(clean_name, line)) for line in lines]


def padded(rows: Sequence[Words]) -> tuple[Words, ...]:
    """The rows, padded on the right to the length of the longest."""
    longest = max(map(len, rows))
    return tuple((*row, *(PAD,) * (longest - len(row))) for row in rows)


def usual(model: Problem) -> str:
    r"""Two sentences of the problem's own words: one of 8 words, one of 5.

    >>> usual(Problem.blank(["A"], ["The", "old", "boat"])).split("\n")
    ['The old boat The old boat The old', 'boat The old boat The']
    """
    five = _words(model, 5, skip=3 if len(model.tokens) != 3 else 2)
    return "\n".join(map(" ".join, (_words(model, 8), five)))


def presets(model: Problem) -> dict[str, str]:
    r"""Other batches made of the problem's own words: name → text.

    >>> presets(Problem.blank(["A"], ["x", "y"]))["short"]
    'x y x y\nx\n_'
    """
    four, (eight, five) = _words(model, 4), (tuple(row.split()) for row in usual(model).split("\n"))
    whole = _words(model, min(max(len(model.tokens), 2), 8))
    holes = (*four[:2], PAD, *four[2:], PAD, PAD, *four[:1])
    rows = {
        "three": (whole, whole[2:] or whole[:1], whole[1:]),
        "short": (four, four[:1], (PAD,)),
        "left": (eight, (PAD, PAD, PAD, *five)),
        "holes": (five, holes),
    }
    return {name: "\n".join(map(" ".join, each)) for name, each in rows.items()}


def _words(model: Problem, number: int, skip: int = 0) -> Words:
    """So many of the problem's words, from one of them on; after the last comes the first."""
    tokens = [_one_word(token) for token in model.tokens]
    # “the old man the boat”, not “the boat The old man”
    inside = [word.lower() if word.lower() in tokens else word for word in tokens]
    return tuple(islice(chain(tokens, cycle(inside)), skip, skip + number))


def _one_word(token: str) -> str:
    """A token as the batch's text can hold it: no blanks, and not taken for padding."""
    word = "-".join(token.split())
    return word if word != PAD else "-"


def _lexicon(model: Problem) -> dict[str, list[Row]]:
    """The problem's emissions by word, of each of its places."""
    lexicon: dict[str, list[Row]] = {}
    for token, scores in zip(model.tokens, model.emissions, strict=True):
        lexicon.setdefault(_one_word(token).lower(), []).append(scores)
    return lexicon


# ---------------------------------------------------------------------- what changes nothing


class Arranged(NamedTuple):
    """A batch that was rearranged."""

    batch: Batch  # the new batch
    order: tuple[int, ...]  # [B]: which row of the old batch each row is
    # what the padded cells' emissions hold, in turn from column to column
    padding: tuple[float, ...]


def rearranged(batch: Batch, changes: Collection[str]) -> Arranged:
    r"""The batch with some of `CHANGES` done to it.

    >>> batch = Batch.of(Problem.blank(["A"], ["x"]), "x y z\nx")
    >>> rearranged(batch, ("left", "shuffled")).batch.text
    '_ _ x\n_ _ x y z'
    """
    rows = list(batch.rows)
    for change, place in {"right": len, "left": lambda row: 0, "middle": _middle}.items():
        if change in changes:
            rows = [(*row[: place(row)], PAD, PAD, *row[place(row) :]) for row in rows]
    order = tuple(range(len(rows)))
    if "shuffled" in changes:
        order = (*order[1:], order[0])
    arranged = Batch(batch.model, tuple(rows[b] for b in order))
    fills = {"nan": math.nan, "forbidden": -math.inf}
    padding = tuple(fill for name, fill in fills.items() if name in changes)
    return Arranged(arranged, order, padding or (0.0,))


def _middle(row: Words) -> int:
    """Where the first half of a row's words ends."""
    words = [t for t, word in enumerate(row) if word != PAD]
    return words[(len(words) - 1) // 2] + 1 if words else len(row) // 2


class Results(NamedTuple):
    """The results for each sentence, in the old batch's order."""

    log_z: tuple[float, ...]  # [B] nats
    paths: tuple[tuple[int, ...], ...]  # [B] best paths, as tag indices


def results(arranged: Arranged) -> Results:
    """log Z and the best paths of a rearranged batch, in the order of the one it came from."""
    tensors = arranged.batch.tensors(*arranged.padding)
    rows = sorted(range(len(arranged.order)), key=arranged.order.__getitem__)
    chain = LinearChain(*tensors, backend="plain")
    paths = chain.viterbi().tags[rows].tolist()
    tags = tuple(tuple(s for s in path if s >= 0) for path in paths)
    return Results(tuple(chain.log_partition[rows].tolist()), tags)


# ---------------------------------------------------------------------- the loop


class CountedTerms(NamedTuple):
    """[B][L] scores of each row's best path; None where the code must not count what it reads."""

    emissions: list[list[float | None]]
    transitions: list[list[float | None]]
    start: list[list[float | None]]
    end: list[list[float | None]]


@dataclass(frozen=True)
class Loop:
    """The loop over the columns of a batch, all rows at once: what each step keeps and discards.

        column ← where(mask[:, t], new, column)

    Every α and δ is the core's, of the whole batch.
    """

    batch: Batch  # the batch, of shape [B, L, S]
    is_max: bool = False  # whether it computes δ with backpointers, and not α

    @cached_property
    def chain(self) -> LinearChain:
        """All rows as one chain."""
        return self.batch.chain()

    @cached_property
    def best(self) -> ViterbiResult:
        """Viterbi's result of the batch: tags [B, L], scores [B], backpointers [B, L, S]."""
        return self.chain.viterbi()

    @cached_property
    def columns(self) -> Tensor:
        """[B, L, S] log α or log δ of the core; 0 in padded cells."""
        return self.best.log_deltas if self.is_max else self.chain.log_alphas

    @cached_property
    def kept(self) -> Tensor:
        """[L + 1, B, S] the loop's value before each column, and after the last.

        Of a row that has ended it is its last word's column; of one that has not begun, `start`.
        """
        mask, start = self.chain.mask, self.chain.potentials.start
        values = [start.expand(len(mask), -1)]
        for t in range(mask.shape[1]):
            values.append(torch.where(mask[:, t, None], self.columns[:, t], values[-1]))
        return torch.stack(values)

    @cached_property
    def totals(self) -> tuple[float, ...]:
        """[B]: log Z, or the best path's score."""
        scores = self.best.scores if self.is_max else self.chain.log_partition
        return tuple(scores.tolist())

    @cached_property
    def begins(self) -> tuple[int, ...]:
        """[B]: the column of each row's first word; −1 for a row without words."""
        return _places(first_tokens(self.chain.mask))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """[B]: the column of each row's last word; −1 for a row without words."""
        return _places(last_tokens(self.chain.mask))

    @property
    def plain_steps(self) -> range:
        """The columns at which every row has begun before, so that the step is the plain one."""
        begun = [first for first in self.begins if first >= 0]
        return range(max(begun) + 1, self.batch.shape[1]) if begun else range(0)

    def step_sum(self, t: int) -> Tensor:
        """[B, S, S], from and to: α [B, S, 1] + transitions [1, S, S] + emissions [B, 1, S].

        Its logsumexp over *from*, dim 1, is the new column; t is one of `plain_steps`.
        """
        p = self.chain.potentials
        return self.kept[t][:, :, None] + p.transitions[None] + p.emissions[:, t][:, None]

    def counted_terms(self) -> CountedTerms:
        """The terms of each row's best path, where they count."""
        mask = self.chain.potentials.mask
        first, last = first_tokens(mask), last_tokens(mask)
        terms = score_terms(self.chain.potentials, self.best.tags.clamp(min=0))
        counted = (
            (terms.emissions, mask),
            (terms.transitions, mask & ~first),
            (terms.start, first),
            (terms.end, last),
        )
        return CountedTerms(
            *(
                [
                    [x if here else None for x, here in zip(*row, strict=True)]
                    for row in zip(values.tolist(), counts.tolist(), strict=True)
                ]
                for values, counts in counted
            )
        )


def _places(marks: Tensor) -> tuple[int, ...]:
    return tuple(int(row.long().argmax()) if row.any() else -1 for row in marks)


@lru_cache(maxsize=32)
def loop_of(batch: Batch, is_max: bool = False) -> Loop:
    """The recursion over a batch, computed once."""
    return Loop(batch, is_max)
