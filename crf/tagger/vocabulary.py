"""A vocabulary: strings to row numbers of an embedding table, and back."""

from collections.abc import Iterable, Iterator, Mapping


class Vocabulary:
    """A fixed list of strings with their indices; 0 is padding, 1 stands for everything unknown.

    Args:
        entries: The known strings, without the two reserved ones; their indices start at 2.

    Raises:
        ValueError: An entry comes twice or is one of the reserved two.

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
        """Keep what was seen at least `min_count` times, the most frequent first.

        Example:
            >>> Vocabulary.from_counts({"a": 1, "the": 5, "of": 5}, min_count=2).entries
            ('<PAD>', '<UNK>', 'of', 'the')
        """
        kept = [entry for entry, count in counts.items() if count >= min_count]
        return cls(sorted(kept, key=lambda entry: (-counts[entry], entry)))

    @property
    def known(self) -> tuple[str, ...]:
        """The entries without the two reserved ones."""
        return self.entries[2:]

    def index(self, entry: str) -> int:
        """The entry's index; 1 if it is unknown, as the reserved names themselves are."""
        return self._index.get(entry, 1)

    def __contains__(self, entry: object) -> bool:
        return entry in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)
