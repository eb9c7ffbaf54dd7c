"""Tagged sentences in memory, as training takes them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from torch.utils.data import Dataset

from ..schemes import SchemeStatistics
from .lines import DataFileError
from .reading import Sentence, TaggedFile

__all__ = ["DataFileError", "Sentence", "TaggingDataset", "read_together", "with_hints"]

MAX_BYTES = 512 << 20


class TaggingDataset(Dataset[Sentence]):
    """Tagged sentences; indexed like a list.

    Example:
        >>> dataset = TaggingDataset([Sentence(("Fish", "fish"), ("NOUN", "VERB"))])
        >>> len(dataset), dataset[0].tags, dataset.tags
        (1, ('NOUN', 'VERB'), ('NOUN', 'VERB'))
    """

    def __init__(self, sentences: Iterable[Sentence]) -> None:
        self.sentences = list(sentences)

    @classmethod
    def read(cls, source: str | Path | bytes, name: str = "", **options: Any) -> "TaggingDataset":
        """Read the sentences of a file of any format that `TaggedFile` recognises.

        Args:
            source: A path, or the bytes of an upload.
            name: Of an upload.
            options: As for `TaggedFile`.

        Raises:
            DataFileError: As for `TaggedFile`; or there are more than `MAX_BYTES`.
        """
        return cls.of(TaggedFile(source, name, max_bytes=MAX_BYTES, **options))

    @classmethod
    def of(cls, file: TaggedFile) -> "TaggingDataset":
        """Take a file's sentences into memory, each word once however often it occurs."""
        once: dict[str, str] = {}

        def shared(texts: Iterable[str]) -> tuple[str, ...]:
            return tuple(once.setdefault(text, text) for text in texts)

        return cls(
            Sentence(shared(words), shared(tags), tuple(map(shared, hints)))
            for words, tags, hints in file
        )

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


def read_together(*paths: Path, **options: Any) -> list[TaggedFile]:
    """Open files that share their column and their label scheme; IOB1 is given as BIO.

    Args:
        paths: Of the files; the first one's column is that of all.
        options: As for `TaggedFile`.

    Raises:
        DataFileError: As for `TaggedFile`; or one has more than `MAX_BYTES`.
    """
    scheme = options.pop("scheme", "")
    options |= {"max_bytes": MAX_BYTES, "settle": False}
    files = [TaggedFile(paths[0], **options)]
    options["column"] = files[0].label
    files += [TaggedFile(path, **options) for path in paths[1:]]
    together = SchemeStatistics()
    for file in files:
        together.merge(file.statistics)
    for file in files:
        file.settle(scheme, together)
        if file.scheme == "IOB1":
            file.rewrite("BIO")
    return files


def with_hints(dataset: TaggingDataset, treebank: TaggingDataset) -> TaggingDataset:
    """The same sentences with the hints of those that the treebank has too, word for word.

    Args:
        dataset: Sentences without hints.
        treebank: Sentences with hints, of a CoNLL-U file; their tags become hints too.

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
