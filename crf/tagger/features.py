"""Features of a word: the word itself, its affixes, its shape and its characters.

The *word* itself only helps if training has seen it. Its *affixes* (-ing, un-), its *shape*
(Xxxx for London, 0.0 for 3.14) and its *characters* carry over to words never seen. So does its
*cluster*, if the tagger has a table of words that occur in like places in a large text.

Source: Brown et al. (1992), "Class-based n-gram models of natural language"; for names Miller,
Guinness, Zamanian (2004), "Name tagging with word clusters and discriminative training".
"""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import torch
from torch import Tensor

AFFIXES = 8
"""Number of affixes of a word: suffixes of 1–4 letters, prefixes of 1–3 letters, the shape."""

CLUSTER_PREFIX = 6
"""Bits of the coarser of the two clusters of a word; the other is the whole path in the tree."""

MAX_CHARACTERS = 24
"""Characters of a word that are looked at: of a longer word the first and the last half of it."""


class Vocabulary:
    """A fixed list of strings with their indices; 0 is padding, 1 stands for everything unknown.

    Args:
        entries: The known strings, without the two reserved ones; their indices start at 2.

    Raises:
        ValueError: An entry occurs twice or is a reserved one.

    Example:
        >>> vocabulary = Vocabulary(["the", "boat"])
        >>> vocabulary.index("boat"), vocabulary.index("yacht"), len(vocabulary)
        (3, 1, 4)
    """

    PAD = "<PAD>"
    UNKNOWN = "<UNK>"

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = (self.PAD, self.UNKNOWN, *entries)
        if repeated := len(self.entries) - len(set(self.entries)):
            raise ValueError(
                f"entries: expected distinct strings other than {self.PAD} and {self.UNKNOWN}, "
                f"got {repeated} repeated; remove them"
            )
        self._index = {entry: index for index, entry in enumerate(self.entries) if index > 1}

    @classmethod
    def from_counts(cls, counts: Mapping[str, int], min_count: int = 1) -> "Vocabulary":
        """Make a vocabulary of the entries seen at least `min_count` times, frequent ones first.

        Example:
            >>> Vocabulary.from_counts({"a": 1, "the": 5, "of": 5}, min_count=2).entries
            ('<PAD>', '<UNK>', 'of', 'the')
        """
        entries = [entry for entry, count in counts.items() if count >= min_count]
        return cls(sorted(entries, key=lambda entry: (-counts[entry], entry)))

    @property
    def known(self) -> tuple[str, ...]:
        """The entries without the two reserved ones."""
        return self.entries[2:]

    def index(self, entry: str) -> int:
        """Return the entry's index; 1 if it is unknown or one of the reserved names."""
        return self._index.get(entry, 1)

    def __contains__(self, entry: object) -> bool:
        return entry in self._index

    def __len__(self) -> int:
        return len(self.entries)


class Features(NamedTuple):
    """A batch of sentences in numbers; B sentences, L tokens, U distinct words, C characters.

    Padding has index 0 everywhere and False in the mask.
    """

    words: Tensor  # [B, L] index of the word in the word vocabulary
    affixes: Tensor
    """[B, L, 8] indices of its affixes in the affix vocabulary; 10 with its two clusters."""
    spellings: Tensor  # [U, C] characters of the distinct words of the batch
    spelling: Tensor  # [B, L] the row of `spellings` that spells the token (row 0 is padding)
    mask: Tensor  # [B, L] bool: there is a token here


@lru_cache(maxsize=32_768)
def normalise(word: str) -> str:
    """Lower the case and fold the digits: "In 1999" and "in 2024" are the same two words.

    Example:
        >>> normalise("Mid-1999")
        'mid-0000'
    """
    return re.sub(r"\d", "0", word.lower())


def shape(word: str) -> str:
    """The kinds of the characters, a kind at most three times in a row.

    Example:
        >>> shape("London"), shape("McDonald's"), shape("$3,000"), shape("U.S.")
        ('Xxxx', "XxXxxx'x", '$0,000', 'X.X.')
    """
    kinds = (
        "0" if c.isdigit() else "X" if c.isupper() else "x" if c.isalpha() else c for c in word
    )
    return re.sub(r"(.)\1{3,}", r"\1\1\1", "".join(kinds)[:MAX_CHARACTERS], flags=re.DOTALL)


def affixes(word: str, clusters: Mapping[str, str] | None = None) -> list[str]:
    """Suffixes of 1–4 letters, prefixes of 1–3 letters, and the shape.

    If there is a table of clusters, also the word's whole path in it and the path's beginning.

    A word as short as the affix gives itself, with a mark: the suffix "ing" of "sing" is not
    the word "ing".

    Example:
        >>> affixes("Sing")
        ['-g', '-ng', '-ing', '-^sing', 's-', 'si-', 'sin-', 'Xxxx']
        >>> affixes("Ulm", {"ulm": "01101001"})[-2:]
        ['=01101001', '=011010…']
    """
    path = clusters.get(word.lower(), "") if clusters else ""
    cluster = [f"={path}", f"={path[:CLUSTER_PREFIX]}…"] if clusters else []
    word, form = normalise(word), shape(word)
    suffixes = [f"-{word[-n:]}" if n < len(word) else f"-^{word}" for n in (1, 2, 3, 4)]
    prefixes = [f"{word[:n]}-" if n < len(word) else f"{word}^-" for n in (1, 2, 3)]
    return [*suffixes, *prefixes, form, *cluster]


def characters(word: str) -> str:
    r"""The characters that are looked at, with marks around them; at most `MAX_CHARACTERS` + 2.

    Example:
        >>> characters("don't")
        "\x02don't\x03"
        >>> len(characters("a" * 500))
        26
    """
    half = MAX_CHARACTERS // 2
    text = word if len(word) <= MAX_CHARACTERS else word[:half] + word[-half:]
    return f"\x02{text}\x03"


class Featuriser:
    """Turns sentences into `Features`, by three vocabularies.

    Args:
        words: Of normalised words.
        affixes: Of affixes and shapes.
        characters: Case kept.
        clusters: The path of a word, in lower case, in the tree of clusters, as zeros and ones.
    """

    def __init__(
        self,
        words: Vocabulary,
        affixes: Vocabulary,
        characters: Vocabulary,
        clusters: Mapping[str, str] | None = None,
    ) -> None:
        self.words, self.affixes, self.characters = words, affixes, characters
        self.clusters = clusters or {}
        # A word comes again and again: look it up once. Bounded, since a server never restarts.
        self._indices = lru_cache(maxsize=32_768)(self._look_up)

    @classmethod
    def from_sentences(
        cls,
        sentences: Iterable[Sequence[str]],
        min_count: int = 1,
        clusters: Mapping[str, str] | None = None,
    ) -> "Featuriser":
        """Vocabularies of words seen `min_count` times, of affixes and characters seen twice."""
        words, affixes_, letters = Counter[str](), Counter[str](), Counter[str]()
        for token, count in Counter(chain.from_iterable(sentences)).items():
            words[normalise(token)] += count
            for affix in affixes(token, clusters):
                affixes_[affix] += count
            for character in characters(token):
                letters[character] += count
        return cls(
            Vocabulary.from_counts(words, min_count),
            Vocabulary.from_counts(affixes_, 2),
            Vocabulary.from_counts(letters, 2),
            clusters,
        )

    @property
    def affix_count(self) -> int:
        """Number of a token's affixes, with its clusters."""
        return AFFIXES + (2 if self.clusters else 0)

    def _look_up(self, token: str) -> tuple[bytes, int]:
        """Its word, its affixes and its characters, padded, as int64; how many characters."""
        spelt = [self.characters.index(character) for character in characters(token)]
        row = [
            self.words.index(normalise(token)),
            *(self.affixes.index(affix) for affix in affixes(token, self.clusters)),
            *(spelt + [0] * (MAX_CHARACTERS + 2 - len(spelt))),
        ]
        return array("q", row).tobytes(), len(spelt)

    def __call__(self, sentences: Sequence[Sequence[str]]) -> Features:
        """Look every token up and pad to the longest sentence and the longest word.

        Example:
            >>> featuriser = Featuriser.from_sentences([["the", "boat"], ["the", "man"]])
            >>> features = featuriser([["The", "boat"], ["Boat"]])
            >>> features.words.tolist(), features.mask.tolist()
            ([[2, 3], [3, 0]], [[True, True], [True, False]])
        """
        rows = {token: 0 for sentence in sentences for token in sentence}
        for row, token in enumerate(rows, start=1):
            rows[token] = row
        looked_up = [self._indices(token) for token in rows]

        first, last = 1 + self.affix_count, 1 + max((width for _, width in looked_up), default=1)
        nothing = bytes(8 * (first + MAX_CHARACTERS + 2))
        table = b"".join([nothing, *(row for row, _ in looked_up)])
        table = torch.frombuffer(bytearray(table), dtype=torch.long).view(1 + len(rows), -1)
        spellings = table[:, first : self.affix_count + last].contiguous()

        lengths = [len(sentence) for sentence in sentences]
        mask = torch.arange(max(lengths, default=0)) < torch.tensor(lengths).unsqueeze(1)  # [B, L]
        spelling = torch.zeros(mask.shape, dtype=torch.long)
        spelling[mask] = torch.tensor([rows[t] for s in sentences for t in s], dtype=torch.long)
        words, affixes = table[:, 0][spelling], table[:, 1:first][spelling]
        return Features(words, affixes, spellings, spelling, mask)
