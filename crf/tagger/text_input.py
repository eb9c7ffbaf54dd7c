"""What is to be tagged: text, a sentence a line; or sentences that are split into words already.

    text        split by the tagger's own tokeniser
    tokenised   words with spaces between them, a sentence a line
    columns     a word a line, in the first column; a blank line ends a sentence
    conllu      CoNLL-U: column FORM
    jsonl       an object a line, with a list "tokens"

Lines are fed one at a time, as they come; a sentence comes back when it is whole.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from .columns import choose
from .formats import COLUMNS, CONLLU, DOCSTART, JSON, MAX_WORDS, TOKEN_KEYS, parse_object, recognise
from .lines import LineError
from .tokeniser import word_spans

_KINDS = {CONLLU: "conllu", JSON: "jsonl", COLUMNS: "columns"}


class SplitText(NamedTuple):
    """A sentence with the places of its words."""

    text: str
    spans: tuple[tuple[int, int], ...]
    """Each word's first character and the one after its last, in `text`."""
    lines: tuple[str, ...] = ()  # of CoNLL-U: the sentence's lines, to be written again
    number: int = 0  # of the line on which it begins

    @property
    def words(self) -> list[str]:
        """The words, in order."""
        return [self.text[start:end] for start, end in self.spans]


def split_words(words: Sequence[str], lines: Sequence[str] = ()) -> SplitText:
    """Words that were split already, with a space between each two.

    Example:
        >>> split_words(["Ada", "sang"])
        SplitText(text='Ada sang', spans=((0, 3), (4, 8)), lines=(), number=0)
    """
    spans, start = [], 0
    for word in words:
        spans.append((start, start + len(word)))
        start += len(word) + 1
    return SplitText(" ".join(words), tuple(spans), tuple(lines))


def recognise_input(head: Sequence[tuple[int, str]]) -> str:
    """Recognise by the first lines whether they are text or words that are split already.

    Columns separated by spaces are recognised by a column of labels of spans, since two words a
    line may be text.

    Example:
        >>> recognise_input([(1, "Ada NNP B-PER"), (2, "sang VBD O")])
        'columns'
        >>> recognise_input([(1, "Ada sang."), (2, "Bob wept.")])
        'text'
    """
    try:
        layout = recognise(head)
        rows = [cells for sentence in layout.sentences(head) for cells in sentence.cells]
    except LineError:
        return "text"
    if layout.kind == COLUMNS and rows:
        by_spaces = layout.separator == " "
        has_spans = any(column.scheme for column in choose(layout, rows).columns)
        has_texts = any(" " in cell for cells in rows for cell in cells)
        if len(rows) < 2 or has_texts or (by_spaces and not has_spans):
            return "text"
    return _KINDS[layout.kind] if rows else "text"


class SentenceReader:
    """Collects lines of a kind, one of the five above, into sentences; `split` finds words."""

    def __init__(self, kind: str, split: Callable[[str], Sequence[tuple[int, int]]]) -> None:
        self.kind = kind
        self.split = partial(word_spans, tokeniser="spaces") if kind == "tokenised" else split
        self.block: list[str] = []
        self.first = 0  # its first line

    def all(self, lines: Iterable[tuple[int, str]]) -> Iterator[SplitText]:
        """Give the sentences of all lines."""
        for number, line in lines:
            yield from self.feed(number, line)
        yield from self.end()

    def feed(self, number: int, line: str) -> Iterator[SplitText]:
        """Take the next line; give the sentence that it ends, if any.

        Raises:
            LineError: It is not of the kind.
        """
        if self.kind == "jsonl":
            if line.strip():
                yield split_words(_tokens(number, line))._replace(number=number)
        elif self.kind in ("text", "tokenised"):
            yield SplitText(line, tuple(self.split(line)), number=number)
        elif line.strip() and not line.startswith(DOCSTART):
            self.first = number if not self.block else self.first
            self.block.append(line)
            if len(self.block) > MAX_WORDS:
                raise LineError(number, "no blank line; one must follow each sentence")
        else:
            yield from self.end()

    def end(self) -> Iterator[SplitText]:
        """Give the last sentence, if no blank line has ended it."""
        block, self.block = self.block, []
        if block and self.kind == "conllu":
            words = [line.split("\t")[1] for line in block if is_word(line)]
            yield split_words(words, block)._replace(number=self.first)
        elif block:
            rows = [line.split("\t") if "\t" in line else line.split(" ") for line in block]
            numbered = all(row[0] == str(n) and len(row) > 1 for n, row in enumerate(rows, start=1))
            yield split_words([row[numbered] for row in rows])._replace(number=self.first)


def is_word(line: str) -> bool:
    """Whether a line of CoNLL-U is a word: no comment, no multiword range, no empty node."""
    return "\t" in line and line.partition("\t")[0].isdecimal()


def _tokens(number: int, line: str) -> list[str]:
    found = parse_object(number, line)
    tokens = next((found[key] for key in TOKEN_KEYS if key in found), None)
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise LineError(number, 'expected a list of words, {"tokens": […]}')
    return tokens
