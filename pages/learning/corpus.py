"""A small corpus of tagged sentences, as one types it: a sentence per line, word/TAG.

the/DET dog/NOUN barks/VERB
they/PRON fish/VERB
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from pages.shared.course.problem_checks import (
    MAX_NAME,
    ProblemError,
    check_distinct,
    checked_names,
    short,
)
from pages.shared.figures.text import LessonText

MOST_SENTENCES, MOST_WORDS, MOST_TAGS = 8, 10, 6  # words per sentence
PRESETS = ("fish", "separable", "not-separable", "wrong-tag")  # they stand in text.md


class CorpusTensors(NamedTuple):
    """The corpus as tensors."""

    words: Tensor  # [B, L] word numbers, 0 at padding
    tags: Tensor  # [B, L] the right tags, −1 at padding
    mask: Tensor  # [B, L] bool


@dataclass(frozen=True)
class Corpus:
    """Tagged sentences; each different word and each tag has a number."""

    tags: tuple[str, ...]  # names
    words: tuple[str, ...]  # the different words, in order of appearance; case is ignored
    sentences: tuple[tuple[str, ...], ...]  # [B][m] words as they were typed
    word_of: tuple[tuple[int, ...], ...]  # [B][m] which of `words`
    tag_of: tuple[tuple[int, ...], ...]  # [B][m] which of `tags`: the right ones

    @cached_property
    def batch(self) -> CorpusTensors:
        """The sentences as one padded batch."""
        words, tags = (
            pad_sequence([torch.tensor(row) for row in rows], True, -1)
            for rows in (self.word_of, self.tag_of)
        )
        return CorpusTensors(words.clamp(min=0), tags, tags >= 0)

    @cached_property
    def observed(self) -> tuple[Tensor, Tensor]:
        """How often a word has a tag, [V, S], and how often a tag follows another, [S, S]."""
        V, S = len(self.words), len(self.tags)
        words, tags = torch.zeros(V, S, dtype=torch.float64), torch.zeros(S, S, dtype=torch.float64)
        for row, right in zip(self.word_of, self.tag_of, strict=True):
            for place in zip(row, right, strict=True):
                words[place] += 1
            for place in pairwise(right):
                tags[place] += 1
        return words, tags


def text() -> LessonText:
    """The words of the lesson."""
    return LessonText.of("learning")


def preset_text(name: str) -> str:
    """A corpus of `PRESETS` as it is typed."""
    return text().plain(f"corpus-{name}")


def parse(typed: str) -> Corpus:
    """Read a corpus: a sentence per line, each word with its tag behind the last slash.

    >>> parse("They/PRON fish/VERB").words
    ('they', 'fish')

    Raises:
        ProblemError: It is empty or too large, or a word cannot be used; the message says where
            and what to do.
    """
    lines = [line.split() for line in typed.splitlines() if line.strip()]
    if not lines:
        raise fault("corpus-faults.empty")
    longest = max(map(len, lines))
    if len(lines) > MOST_SENTENCES or longest > MOST_WORDS:
        raise fault("corpus-faults.large", most=MOST_SENTENCES, words=MOST_WORDS, lines=len(lines),
            count=sum(map(len, lines)), longest=longest,
        )  # fmt: skip
    pairs = [
        [_word(word, b, t) for t, word in enumerate(line, 1)] for b, line in enumerate(lines, 1)
    ]
    names = list(dict.fromkeys(tag for row in pairs for _, tag in row))
    checked_names("tags", names, MOST_TAGS)
    check_distinct(names)
    words = list(dict.fromkeys(word.casefold() for row in pairs for word, _ in row))
    return Corpus(
        tuple(names), tuple(words), tuple(tuple(word for word, _ in row) for row in pairs),
        tuple(tuple(words.index(word.casefold()) for word, _ in row) for row in pairs),
        tuple(tuple(names.index(tag) for _, tag in row) for row in pairs),
    )  # fmt: skip


def _word(item: str, sentence: int, place: int) -> tuple[str, str]:
    word, slash, tag = item.rpartition("/")
    where = {"sentence": sentence, "place": place, "got": short(item)}
    if not slash or not tag:
        raise fault("corpus-faults.no-tag", **where)
    if not any(c.isalnum() for c in word) or not item.isprintable():
        raise fault("corpus-faults.no-word", **where)
    if max(len(word), len(tag)) > MAX_NAME:
        raise fault("corpus-faults.long", most=MAX_NAME, **where)
    return word, tag


def fault(name: str, /, **facts: int | str) -> ProblemError:
    """The error that says a case of the lesson's text."""
    return ProblemError(text().line(name, **facts))
