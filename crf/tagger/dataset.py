"""A treebank as the tagger reads it: sentences of words, each with its tag."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple, cast

import conllu
from conllu.exceptions import ParseException
from torch.utils.data import Dataset

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")

MAX_BYTES = 512 << 20


class DataFileError(ValueError):
    """A treebank file that cannot be read; the message names the file, the line and the fault."""


class Sentence(NamedTuple):
    """Words with a tag each."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    hints: tuple[tuple[str, ...], ...] = ()
    """What else the treebank says of each word: xpos, feats, deprel; training may learn from it."""


class TaggingDataset(Dataset[Sentence]):
    """Tagged sentences; indexed like a list.

    Example:
        >>> dataset = TaggingDataset([Sentence(("Fish", "fish"), ("NOUN", "VERB"))])
        >>> len(dataset), dataset[0].tags, dataset.tags
        (1, ('NOUN', 'VERB'), ('NOUN', 'VERB'))
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = list(sentences)

    @classmethod
    def from_conllu(cls, path: str | Path) -> "TaggingDataset":
        """Read the words (column FORM) and their tags (column UPOS) of a CoNLL-U file.

        Multiword ranges (`3-4`) and empty nodes (`5.1`) are no words and are left out.

        Args:
            path: A `.conllu` file, or a `.conllu.gz` file.

        Raises:
            DataFileError: The file is missing, not CoNLL-U or has no tagged sentence.
        """
        return cls._read(Path(path), _conllu_sentence, "a CoNLL-U treebank")

    @classmethod
    def from_iob2(cls, path: str | Path) -> "TaggingDataset":
        """Read the words and BIO tags of an IOB2 file: columns number, word, tag; tab-separated.

        Further columns are ignored; a blank line follows each sentence.

        Args:
            path: An `.iob2` file, or an `.iob2.gz` file.

        Raises:
            DataFileError: The file is missing, not IOB2 (a name that begins with I- included) or
                has no sentence.
        """
        return cls._read(Path(path), _iob2_sentence, "an IOB2 file")

    @classmethod
    def _read(
        cls, path: Path, parse: Callable[[list[tuple[int, str]]], Sentence], kind: str
    ) -> "TaggingDataset":
        try:
            if (size := path.stat().st_size) > MAX_BYTES:
                raise DataFileError(
                    f"{path}: expected at most {MAX_BYTES >> 20:,} MiB, which memory can hold, got "
                    f"{size >> 20:,}; train on a part of it"
                )
            with _open(path) as lines:
                sentences = [parse(block) for block in _blocks(lines)]
        except UnicodeDecodeError as error:
            raise DataFileError(f"{path}: expected UTF-8 text, got {error.reason}") from error
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise DataFileError(f"{path}: the gzip file is damaged: {error}") from error
        except OSError as error:
            raise DataFileError(f"{path}: {error.strerror or error}") from error
        except _LineError as error:
            raise DataFileError(f"{path}, line {error.number}: {error.fault}") from error
        sentences = [sentence for sentence in sentences if sentence.words]
        if not sentences:
            raise DataFileError(f"{path}: no sentence in it; expected {kind}")
        return cls(sentences)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that occur, sorted."""
        return tuple(sorted({tag for sentence in self.sentences for tag in sentence.tags}))

    def __getitem__(self, index: int) -> Sentence:
        return self.sentences[index]

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[Sentence]:
        return iter(self.sentences)


def with_hints(dataset: TaggingDataset, treebank: TaggingDataset) -> TaggingDataset:
    """The same sentences with the hints of those that the treebank has too, word for word.

    Args:
        dataset: Sentences without hints.
        treebank: Sentences with hints, as `from_conllu` reads them; their tags become hints too.

    Raises:
        ValueError: No sentence is in both.
    """
    known = {
        sentence.words: tuple(
            (tag, *hints) for tag, hints in zip(sentence.tags, sentence.hints, strict=True)
        )
        for sentence in treebank
    }
    hinted = [sentence._replace(hints=known.get(sentence.words, ())) for sentence in dataset]
    if not any(sentence.hints for sentence in hinted):
        raise ValueError(
            "hints: expected a CoNLL-U file with the sentences of the training file, got one that "
            "has none of them; give the treebank that the names were annotated in"
        )
    return TaggingDataset(hinted)


_AS_TEXT = {column: lambda line, i: line[i] for column in ("xpos", "feats", "head", "deps", "misc")}


class _LineError(Exception):
    def __init__(self, number: int, fault: str) -> None:
        self.number, self.fault = number, fault


def _open(path: Path) -> IO[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    return cast(IO[str], opened(path, "rt", encoding="utf-8-sig", newline=None))


def _blocks(lines: IO[str]) -> Iterator[list[tuple[int, str]]]:
    """The numbered lines of one sentence at a time, comments left out."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            yield block
            block = []
        elif not line.startswith("#"):
            block.append((number, line.rstrip("\n")))
    yield block


def _conllu_sentence(block: list[tuple[int, str]]) -> Sentence:
    words, tags, hints = [], [], []
    for number, line in block:
        if (columns := line.count("\t") + 1) != len(COLUMNS):
            raise _LineError(
                number, f"expected {len(COLUMNS)} tab-separated columns, got {columns}"
            )
        index, form, _, tag, xpos, feats, _, relation, _, _ = line.split("\t")
        if not (
            index.isascii() and index.isdecimal()
        ):  # a multiword range, an empty node, or what?
            try:
                conllu.parse_token_and_metadata(line, fields=COLUMNS, field_parsers=_AS_TEXT)
            except ParseException as error:
                raise _LineError(number, str(error)) from error
            continue
        if int(index) != len(words) + 1:
            raise _LineError(
                number,
                f"expected token {len(words) + 1}, got {int(index)}; "
                "a blank line must follow each sentence",
            )
        for column, entry in (("FORM", form), ("UPOS", "" if tag == "_" else tag)):
            if not entry:
                raise _LineError(number, f"column {column} is empty; every token needs one")
        words.append(form)
        tags.append(tag)
        hints.append((xpos, feats, relation.partition(":")[0]))
    return Sentence(tuple(words), tuple(tags), tuple(hints))


def _iob2_sentence(block: list[tuple[int, str]]) -> Sentence:
    words: list[str] = []
    tags: list[str] = []
    for number, line in block:
        columns = line.split("\t")
        if len(columns) < 3:
            raise _LineError(
                number,
                f"expected tab-separated columns (number, word, tag), got {len(columns)}",
            )
        index, word, tag = columns[:3]
        if index != str(len(words) + 1):
            raise _LineError(
                number,
                f"expected token {len(words) + 1}, got {index[:20]!r}; "
                "a blank line must follow each sentence",
            )
        if not word:
            raise _LineError(number, "the word is empty; every token needs one")
        prefix, _, kind = tag.partition("-")
        if tag != "O" and not (prefix in ("B", "I") and kind):
            raise _LineError(number, f"expected O, B-TYPE or I-TYPE, got {tag[:40]!r}")
        if prefix == "I" and (not tags or tags[-1] not in (f"B-{kind}", f"I-{kind}")):
            raise _LineError(number, f"{tag[:40]} follows no B-{kind[:38]}; a name begins with B-")
        words.append(word)
        tags.append(tag)
    return Sentence(tuple(words), tuple(tags))
