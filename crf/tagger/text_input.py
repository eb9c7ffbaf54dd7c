"""Read input for tagging: text with a sentence per line, or sentences already split into words.

Offsets are those of the sentence's text: the line; in CoNLL-U its `# text`, or its words joined as
`SpaceAfter=No` says; in JSON the `text` beside the words; else the words with spaces between.

text        split by the tagger's own tokeniser
tokenised   words with spaces between them, a sentence a line
columns, conllu, jsonl   see `formats`; an object {"text": …} is split by the tokeniser
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .formats import TEXT, FileRows, Layout, is_number
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
    tokens: tuple[str, ...] | None = None
    """Words that are not what stands at their places: `da` and `lo` of `dámelo`."""
    fields: Mapping[str, Any] = {}
    """The object of JSON that it came as; its other fields go out again."""
    around: tuple[str, str] = ("", "")  # what is written before and after it

    @property
    def words(self) -> list[str]:
        """The words, in order."""
        if self.tokens is not None:
            return list(self.tokens)
        return [self.text[start:end] for start, end in self.spans]


def split_words(words: Sequence[str]) -> SplitText:
    """Words that were split already, with a space between each two.

    Example:
        >>> split_words(["Ada", "sang"])[:2]
        ('Ada sang', ((0, 3), (4, 8)))
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
            spans = tuple(split(rows.text))
            yield SplitText(rows.text, spans, number=rows.start, fields=rows.fields)
        elif rows.cells or not rows.lines:
            check_words(layout, rows)
            words = [row[layout.word] for row in rows.cells]
            if rows.lines and layout.names[layout.word] == "FORM":
                sentence = _of_conllu(layout, rows, words)
            else:
                text = rows.fields.get("text")
                text = text if isinstance(text, str) else ""
                spans = places(text, words)
                sentence = SplitText(text, spans) if spans else split_words(words)
            source = _source(layout, rows)
            yield sentence._replace(number=rows.start, source=source, fields=rows.fields)


def places(text: str, words: Sequence[str]) -> tuple[tuple[int, int], ...] | None:
    """Find words in a text, in order; None unless only blanks are left.

    Example:
        >>> places("Hi, Bob.", ["Hi", ",", "Bob", "."])
        ((0, 2), (2, 3), (4, 7), (7, 8))
    """
    spans, end = [], 0
    for word in words:
        start = text.find(word, end)
        if start < 0 or text[end:start].strip():
            return None
        end = start + len(word)
        spans.append((start, end))
    return None if text[end:].strip() else tuple(spans)


class _Surface(NamedTuple):
    """What stands in the text for one word or, in a multiword token, for several."""

    form: str
    words: int  # how many it stands for
    space: bool  # whether a space follows


def _of_conllu(layout: Layout, rows: FileRows, words: Sequence[str]) -> SplitText:
    """A sentence of CoNLL-U in its text; words of a multiword token share its place if need be."""
    of_words = set(rows.numbers)
    others = [line for number, line in rows.lines if number not in of_words]
    text, has_ranges = "", False
    for line in others:
        if not line.startswith("#"):
            has_ranges = True  # or empty nodes
        elif line[1:].partition("=")[0].strip() == "text":
            text = line.partition("=")[2].strip()
    if text and not has_ranges and (spans := places(text, words)):
        return SplitText(text, spans)
    surfaces = _surfaces(layout, rows)
    spans = places(text, [surface.form for surface in surfaces]) if text else None
    if not spans:
        text = "".join(f"{form} " if space else form for form, _, space in surfaces).rstrip(" ")
        spans = places(text, [surface.form for surface in surfaces]) or ()
    result, exact = list[tuple[int, int]](), True
    for (form, count, _), (start, end) in zip(surfaces, spans, strict=True):
        parts = words[len(result) : len(result) + count]
        if "".join(parts) == form:
            for part in parts:
                result.append((start, start + len(part)))
                start += len(part)
        else:
            result += [(start, end)] * count
            exact = False
    return SplitText(text, tuple(result), tokens=None if exact else tuple(words))


def _surfaces(layout: Layout, rows: FileRows) -> list[_Surface]:
    """What the sentence's words look like in its text."""
    misc = layout.names.index("MISC") if "MISC" in layout.names else None
    of_words, inside = set(rows.numbers), 0
    surfaces: list[_Surface] = []
    for number, line in rows.lines:
        if line.startswith("#") and number not in of_words:
            continue
        cells = line.split("\t")
        space = misc is None or "SpaceAfter=No" not in cells[misc].split("|")
        first, dash, last = cells[layout.counter or 0].partition("-")
        if number in of_words:
            inside -= 1
            if inside < 0:
                surfaces.append(_Surface(cells[layout.word], 1, space))
        elif dash and is_number(first) and is_number(last):
            inside = int(last) - int(first) + 1
            surfaces.append(_Surface(cells[layout.word], inside, space))
    return surfaces


def _source(layout: Layout, rows: FileRows) -> ConlluLines | None:
    if not rows.lines:
        return None
    of_words = set(rows.numbers)
    places = frozenset(n for n, (number, _) in enumerate(rows.lines) if number in of_words)
    names = layout.names[: len(layout.names) - len(layout.features)]
    return ConlluLines(tuple(line for _, line in rows.lines), places, names)
