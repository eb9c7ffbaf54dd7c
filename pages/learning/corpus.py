"""A small corpus of tagged sentences, as one types it: a sentence per line, word/TAG.

the/DET dog/NOUN barks/VERB
they/PRON fish/VERB
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from pages.shared.course.problem_checks import (
    MAX_NAME,
    check_distinct,
    checked_names,
    refuse,
    short,
)

MOST_SENTENCES, MOST_WORDS, MOST_TAGS = 8, 10, 6  # words per sentence


@dataclass(frozen=True)
class Corpus:
    """Tagged sentences; each different word and each tag has a number."""

    tags: tuple[str, ...]  # names; some may be used nowhere
    words: tuple[str, ...]  # the different words, in order of appearance; case is ignored
    sentences: tuple[tuple[str, ...], ...]  # [B][m] words as they were typed
    word_of: tuple[tuple[int, ...], ...]  # [B][m] which of `words`
    tag_of: tuple[tuple[int, ...], ...]  # [B][m] which of `tags`: the right ones

    @property
    def unused(self) -> tuple[str, ...]:
        """Tags that no word has."""
        used = {tag for row in self.tag_of for tag in row}
        return tuple(name for s, name in enumerate(self.tags) if s not in used)

    def batch(self) -> "CorpusTensors":
        """The sentences as one padded batch."""
        B, L = len(self.sentences), max(map(len, self.sentences))
        words, tags = torch.zeros(B, L, dtype=torch.long), torch.full((B, L), -1)
        mask = torch.zeros(B, L, dtype=torch.bool)
        for b, (row, right) in enumerate(zip(self.word_of, self.tag_of, strict=True)):
            words[b, : len(row)] = torch.tensor(row)
            tags[b, : len(row)] = torch.tensor(right)
            mask[b, : len(row)] = True
        return CorpusTensors(words, tags, mask)

    def text(self) -> str:
        """As it is typed."""
        return "\n".join(
            " ".join(f"{word}/{self.tags[s]}" for word, s in zip(row, right, strict=True))
            for row, right in zip(self.sentences, self.tag_of, strict=True)
        )


class CorpusTensors(NamedTuple):
    """The corpus as tensors."""

    words: Tensor  # [B, L] word numbers, 0 at padding
    tags: Tensor  # [B, L] the right tags, −1 at padding
    mask: Tensor  # [B, L] bool


def parse(text: str, tags: Sequence[str] = ()) -> Corpus:
    """Read a corpus.

    Args:
        text: A sentence per line, each word with its tag behind the last slash.
        tags: Tags to have in any case, first; the text may use more.

    Raises:
        ProblemError: It is empty or too large, or a word cannot be used; the message says where
            and what to do.

    Example:
        >>> parse("They/PRON fish/VERB").words
        ('they', 'fish')
    """
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines:
        raise refuse("corpus", "a sentence", "an empty text", "write one like: dogs/NOUN bark/VERB")
    count = sum(map(len, lines))
    if len(lines) > MOST_SENTENCES or max(map(len, lines)) > MOST_WORDS:
        raise refuse(
            "corpus",
            f"at most {MOST_SENTENCES} lines of at most {MOST_WORDS} words",
            f"{len(lines)} lines with {count:,} words, up to {max(map(len, lines)):,} in a line",
            "shorten it: every weight should stay in sight",
        )
    pairs = [
        [_word(item, f"sentence {b + 1}, word {t + 1}") for t, item in enumerate(line)]
        for b, line in enumerate(lines)
    ]
    names = list(dict.fromkeys([*tags, *(tag for row in pairs for _, tag in row)]))
    checked_names("tags", names, MOST_TAGS)
    check_distinct(names)
    words = list(dict.fromkeys(word.casefold() for row in pairs for word, _ in row))
    return Corpus(
        tuple(names),
        tuple(words),
        tuple(tuple(word for word, _ in row) for row in pairs),
        tuple(tuple(words.index(word.casefold()) for word, _ in row) for row in pairs),
        tuple(tuple(names.index(tag) for _, tag in row) for row in pairs),
    )


def _word(item: str, where: str) -> tuple[str, str]:
    word, slash, tag = item.rpartition("/")
    if not slash or not tag:
        raise refuse(where, "word/TAG", short(item), "write its tag behind a slash: dog/NOUN")
    if not any(c.isalnum() for c in word):
        raise refuse(
            where,
            "a word with a letter or digit",
            short(word),
            f"write one: dog/{short(tag)[1:-1]}",
        )
    if not word.isprintable() or not tag.isprintable():
        raise refuse(where, "visible characters", short(item), "type the word again")
    for name in (word, tag):
        if len(name) > MAX_NAME:
            raise refuse(
                where,
                f"at most {MAX_NAME} characters",
                f"{len(name)} ({short(name)})",
                "shorten it",
            )
    return word, tag


class Preset(NamedTuple):
    """A corpus that shows something."""

    name: str  # in the address
    label: str  # in the menu
    text: str  # the corpus
    about: str  # what it shows


PRESETS = {
    preset.name: preset
    for preset in (
        Preset(
            "fish",
            "fish: noun or verb?",
            "they/PRON fish/VERB\n"
            "fish/NOUN swim/VERB\n"
            "they/PRON eat/VERB fish/NOUN\n"
            "they/PRON swim/VERB\n"
            "fish/NOUN eat/VERB fish/NOUN",
            "“fish” is a verb once and a noun four times: only its neighbours can tell.",
        ),
        Preset(
            "separable",
            "Every word has one tag",
            "the/DET dog/NOUN barks/VERB\n"
            "a/DET cat/NOUN sleeps/VERB\n"
            "the/DET old/ADJ cat/NOUN sleeps/VERB\n"
            "dogs/NOUN bark/VERB\n"
            "the/DET dog/NOUN sleeps/VERB",
            "Each word always has the same tag, so some weights get every sentence right.",
        ),
        Preset(
            "not-separable",
            "One sentence, two readings",
            "they/PRON can/AUX fish/VERB\n"
            "they/PRON can/VERB fish/NOUN\n"
            "they/PRON can/AUX swim/VERB\n"
            "fish/NOUN swim/VERB\n"
            "they/PRON eat/VERB fish/NOUN",
            "The same words are tagged in two ways: no weights get both sentences right.",
        ),
        Preset(
            "wrong-tag",
            "One wrong tag",
            "the/DET dog/NOUN barks/VERB\n"
            "the/DET cat/NOUN sleeps/VERB\n"
            "a/DET dog/NOUN sleeps/VERB\n"
            "a/DET cat/NOUN barks/VERB\n"
            "the/DET dog/VERB sleeps/VERB",
            "In the last sentence somebody has tagged “dog” as a verb.",
        ),
    )
}
