r"""Several sentences as one batch: a padded array of words, its mask, one model for all rows.

    batch = Batch.of(problem, "the old man\n_ the boat")
    batch.chain().log_partition        # [B], by the core, all rows in one recursion

A line is a row, `_` a padded cell: `_ the boat` is padded on the left, `the _ boat` has a hole,
`_` alone is a sentence without words. Rows that are shorter than the longest are padded on the
right. The model is the problem's: its tags, transitions, start and end, and its words' emissions.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from typing import Any

import torch
from torch import Tensor

from crf.chain import LinearChain
from pages.shared.course.problem import Matrix, Problem, Row, clean_name
from pages.shared.course.problem_checks import LARGEST_TOKENS, refuse
from pages.shared.figures.text import LessonText, Told

PAD = "_"
MOST_ROWS = 4
LONGEST = 20_000  # characters
OPERATIONS = ("shuffled", "right", "left", "middle", "nan", "forbidden")  # of `operations`

Words = tuple[str, ...]


def say(what: Told | str, /, **facts: Any) -> str:
    """Sentences of the lesson’s tables of cases, as plain text."""
    return LessonText.of("batches").line(what, **facts)


@dataclass(frozen=True)
class Batch:
    """B sentences of at most L words, padded to L."""

    model: Problem  # tags, transitions, start, end, and the scores of the words it knows
    rows: tuple[Words, ...]  # [B][L] words; `PAD` where the mask is False

    @classmethod
    def of(cls, model: Problem, text: str) -> "Batch":
        r"""A batch as somebody typed it.

        Raises:
            ProblemError: No row, too many rows, or a row that is too long.

        Example:
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
        """As one types it: without the padding on the right that comes by itself."""
        rows = [row[: _until(row)] or (PAD,) for row in self.rows]
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

    @property
    def names(self) -> list[str]:
        """[B]: what the rows are called."""
        return [f"row {b}" for b in range(1, len(self.rows) + 1)]

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
        known, found = _lexicon(self.model), [word for row in self.rows for word in row]
        return tuple(dict.fromkeys(w for w in found if w != PAD and w.lower() not in known))

    @property
    def transitions(self) -> Matrix:
        """[S][S] log-scores; if the problem has a matrix for each step, the first one's."""
        model, S = self.model, len(self.model.tags)
        has_none = model.per_step and not model.transitions
        return ((0.0,) * S,) * S if has_none else model.matrix(1)

    def tensors(self, *padding: float) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """What the core takes: emissions, transitions, start, end and mask, in float64.

        The padded cells' emissions hold the padding; several take turns by column; none: 0.
        """
        model, (_, L, _) = self.model, self.shape
        tables = (self.emissions, self.transitions, model.start, model.end)
        emissions, transitions, start, end = (torch.tensor(x, dtype=torch.float64) for x in tables)
        mask = torch.tensor(self.mask).reshape(self.shape[:2])
        held = torch.tensor(list(islice(cycle(padding or (0.0,)), L)), dtype=torch.float64)
        emissions = torch.where(mask[:, :, None], emissions.reshape(self.shape), held[:, None])
        return emissions, transitions, start, end, mask

    def chain(self) -> LinearChain:
        """All rows as one `LinearChain`."""
        return LinearChain(*self.tensors(), backend="plain")

    def problem(self, row: int) -> Problem:
        """One row alone, for the other lessons; it must have a word."""
        words, model = self.words(row), self.model
        emissions = self._emissions(words)
        return Problem(model.tags, words, emissions, self.transitions, model.start, model.end)

    def _emissions(self, row: Words) -> Matrix:
        model, nothing = self.model, (0.0,) * len(self.model.tags)
        words = [word.lower() for word in row if word != PAD]
        if words == [_one_word(token).lower() for token in model.tokens]:  # the sentence itself:
            scores = iter(model.emissions)  # each place has its own
            return tuple(nothing if word == PAD else next(scores) for word in row)
        known, met = _lexicon(model), Counter[str]()
        found = []
        for word in (w.lower() for w in row):
            every = known.get(word, ())  # a word that comes again has the scores of its next place
            found.append(every[met[word] % len(every)] if every else nothing)
            met[word] += 1
        return tuple(found)


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
        if len(line) > LARGEST_TOKENS:
            expected = f"at most {LARGEST_TOKENS} words"
            raise refuse(f"sentence {number}", expected, str(len(line)), "shorten it")
    return [tuple(map(clean_name, line)) for line in lines]


def padded(rows: Sequence[Words]) -> tuple[Words, ...]:
    """The rows, padded on the right to the length of the longest."""
    longest = max(map(len, rows))
    return tuple((*row, *(PAD,) * (longest - len(row))) for row in rows)


def _until(row: Words) -> int:
    """Up to where a row has words."""
    return max((t for t, word in enumerate(row, 1) if word != PAD), default=0)


def presets(model: Problem) -> dict[str, tuple[str, str]]:
    r"""Batches made of the problem's own words: name → (title, text).

    >>> presets(Problem.blank(["A"], ["x", "y"]))["short"]
    ('4, 1 and 0 words', 'x y x y\nx\n_')
    """

    def words(number: int, skip: int = 0) -> Words:
        return tuple(islice(cycle(map(_one_word, model.tokens)), skip, skip + number))

    whole = words(min(max(len(model.tokens), 2), 8))  # a sentence, and its last words
    end = whole[2:] or whole[:1]
    four, five = words(4), words(5, skip=3 if len(model.tokens) != 3 else 2)  # another beginning
    holes = (*four[:2], PAD, *four[2:], PAD, PAD, *four[:1])
    texts = {
        "ragged": (f"{len(whole)} and {len(end)} words", (whole, end)),
        "short": ("4, 1 and 0 words", (four, four[:1], (PAD,))),
        "left": ("Padded on the left", (words(8), (PAD, PAD, PAD, *five))),
        "holes": ("Holes", (five, holes)),
    }
    return {name: (title, "\n".join(map(" ".join, rows))) for name, (title, rows) in texts.items()}


def _one_word(token: str) -> str:
    """A token as the batch's text can hold it: no blanks, and not taken for padding."""
    word = "-".join(token.split())
    return word if word != PAD else "-"


def _lexicon(model: Problem) -> dict[str, list[Row]]:
    """The problem's emissions by word, of each of its places."""
    known: dict[str, list[Row]] = {}
    for token, scores in zip(model.tokens, model.emissions, strict=True):
        known.setdefault(_one_word(token).lower(), []).append(scores)
    return known
