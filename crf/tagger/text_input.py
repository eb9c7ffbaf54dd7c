"""Read input for tagging: text with a sentence per line, or sentences already split into words.

text        split by the tagger's own tokeniser
tokenised   words with spaces between them, a sentence a line
columns, conllu, jsonl   see `formats`; an object {"text": …} is split by the tokeniser
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from .formats import TEXT, FileRows, Layout
from .reading import check_words
from .tokeniser import word_spans

Split = Callable[[str], Sequence[tuple[int, int]]]


class ConlluLines(NamedTuple):
    """The lines of a sentence of CoNLL-U, to be written again."""

    lines: tuple[str, ...]  # comments and words, as they came
    words: frozenset[int]  # the places of the words among them
    columns: tuple[str, ...]  # the columns' names


class SplitText(NamedTuple):
    """A sentence with the places of its words."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Each word's first character and the one after its last, in `text`."""
    source: ConlluLines | None = None
    number: int = 0  # of the line on which it begins

    @property
    def words(self) -> list[str]:
        """The words, in order."""
        return [self.text[start:end] for start, end in self.spans]


def split_words(words: Sequence[str]) -> SplitText:
    """Words that were split already, with a space between each two.

    Example:
        >>> split_words(["Ada", "sang"])
        SplitText(text='Ada sang', spans=((0, 3), (4, 8)), source=None, number=0)
    """
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return SplitText(" ".join(words), tuple(spans))


def sentences(
    lines: Iterable[tuple[int, str]], layout: Layout, split: Split
) -> Iterator[SplitText]:
    """Read the sentences of a layout, one at a time, as the lines come; `split` finds words.

    Raises:
        LineError: A line does not fit the layout.
    """
    if layout.kind == TEXT:
        for number, line in lines:
            spans = word_spans(line, "spaces") if layout.names == ("tokenised",) else split(line)
            yield SplitText(line, tuple(spans), number=number)
        return
    for rows in layout.sentences(lines):
        if rows.text is not None:
            yield SplitText(rows.text, tuple(split(rows.text)), number=rows.start)
        elif rows.cells or not rows.lines:
            check_words(layout, rows)
            sentence = split_words([row[layout.word] for row in rows.cells])
            yield sentence._replace(number=rows.start, source=_source(layout, rows))


def _source(layout: Layout, rows: FileRows) -> ConlluLines | None:
    if not rows.lines:
        return None
    of_words = set(rows.numbers)
    places = frozenset(n for n, (number, _) in enumerate(rows.lines) if number in of_words)
    names = layout.names[: len(layout.names) - len(layout.features)]
    return ConlluLines(tuple(line for _, line in rows.lines), places, names)
