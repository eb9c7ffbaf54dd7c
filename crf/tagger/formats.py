"""File formats of sentences: lines → rows of cells.

    CoNLL-U       ten tab-separated columns, words numbered; CoNLL-U Plus names its columns itself
    columns       a word a line, a blank line between sentences; by spaces or tabs, two or more
    JSON lines    an object a sentence: {"tokens": [...], "tags": [...]}; or an array of them;
                  or a text and the spans in it, see span_formats.py
    text          a sentence a line: what looks like none of these

docs/formats.md shows an example of each; layouts.py tells them apart. A file that looks
like one of them and breaks it is refused with the line; it is never read as text.

Sources: https://universaldependencies.org/format.html and ext-format.html; Tjong Kim Sang and De
Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeGuard

import conllu
from conllu.exceptions import ParseException

from ..strict_json import JsonError, read_json
from .lines import MAX_LINE, LineError

CONLLU, COLUMNS, JSON, TEXT = "CoNLL-U", "columns", "JSON lines", "text"
CONLLU_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
PLUS, DOCSTART = "# global.columns =", "-DOCSTART-"
MAX_WORDS = 100_000  # of a sentence
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],]|[^"{}\[\],\s]+')
WRITE_COLUMNS = (
    "write one word on each line, a tab, its label, and a blank line after each sentence"
)
SPANS_EXAMPLE = '{"text": "…", "spans": [{"start": 0, "end": 3, "label": "PER"}]}'
COLUMNS_BY = {"\t": "tabs", " ": "spaces"}

Lines = Sequence[tuple[int, str]]  # with their numbers, from 1


class FileRows(NamedTuple):
    """One sentence as it stands in the file."""

    numbers: list[int]  # the line of each word
    cells: list[list[str]]  # the columns of each word, as many as the layout has names
    lines: Lines = ()  # of CoNLL-U: all lines, comments too
    text: str | None = None  # of {"text": …}: not yet split into words
    start: int = 0  # the line on which it begins
    fields: Mapping[str, Any] = {}  # of JSON: the whole object
    misfits: Sequence[str] = ()  # of spans: those that do not begin and end where words do
    nested: int = 0  # of spans: how many others lie in another one


@dataclass(frozen=True)
class Layout:
    """How a file is laid out."""

    kind: str  # `CONLLU`, `COLUMNS`, `JSON` or `TEXT`
    names: tuple[str, ...]  # of the columns: FORM, UPOS, …; 1, 2, …; keys of the JSON objects
    word: int = 0  # which of them holds the words
    separator: str = "\t"  # between columns: a tab, or a space for one or more of them
    counter: int | None = None  # which of them counts the words of each sentence
    start: int = 1  # the number at which it starts to count
    left_out: tuple[int, ...] = ()  # columns of numbers in front of the words
    header: int = 0  # the line that names the columns, if any
    features: tuple[tuple[int, str, str], ...] = ()
    """The last of the columns are values such as B-PER in NER=B-PER: of this column, with this
    name, and what stands for a missing one."""
    # what the last column holds in the first lines: with it, "# O" is a word, no comment
    known: frozenset[str] = frozenset()
    is_array: bool = False  # of JSON: whether the objects stand in an array, over any lines
    doubt: str = ""  # of text: why it might be columns
    of_object: Callable[[int, dict[str, Any]], FileRows] | None = None
    """Of JSON with spans: how an object becomes words and labels, see `span_formats`."""

    def sentences(
        self, lines: Iterable[tuple[int, str]], *, are_first: bool = False
    ) -> Iterator[FileRows]:
        """Parse lines, one sentence at a time; `are_first`: there may be more than these.

        Raises:
            LineError: A line does not fit the layout.
        """
        if self.kind == JSON:
            objects = array_objects(lines, are_first=are_first) if self.is_array else lines
            return (self._object(*line) for line in objects if line[1].strip())
        return (self._rows(block) for block in blocks(lines))

    def split(self, line: str) -> list[str]:
        """The cells of a line of columns."""
        if self.separator == "\t":
            return [cell.strip(" ") for cell in line.split("\t")]
        return [cell for cell in line.split(" ") if cell]

    def with_features(self, cells: list[str]) -> list[str]:
        """The cells of a line, and its features' values."""
        return cells + [_feature(cells[place], *how) for place, *how in self.features]

    def _rows(self, block: Lines) -> FileRows:
        of_conllu = self.kind == CONLLU
        rows = FileRows([], [], block if of_conllu else (), start=block[0][0])
        width = len(self.names) - len(self.features)
        for number, line in block:
            if number == self.header:
                continue
            cells = line.split("\t") if of_conllu else self.split(line)
            fits = len(cells) == width
            # The first of a sentence, which ends in no label; "#" alone in its column is a word.
            is_odd = not rows.cells and cells[-1] not in self.known
            is_odd = is_odd and not (self.separator == "\t" and cells[0] == "#")
            if line.lstrip(" ")[0] == "#" and (of_conllu or not fits or is_odd):
                continue
            if not fits:
                raise LineError(number, _misfit(line, cells, width, self.separator, of_conllu))
            if self.counter is not None:
                count = cells[self.counter]
                if of_conllu and not is_number(count):  # a range, an empty node, or what?
                    _check_id(number, count)
                    continue
                if count != str(place := len(rows.cells) + self.start):
                    got = count if is_number(count) else repr(count[:20])
                    raise LineError(
                        number,
                        f"expected token {place}, got {got}; a blank line must follow each "
                        "sentence",
                    )
            rows.numbers.append(number)
            rows.cells.append(self.with_features(cells) if self.features else cells)
        return rows

    def _object(self, number: int, line: str) -> FileRows:
        fields = parse_object(number, line)
        if self.of_object:
            return self.of_object(number, fields)
        columns: list[list[object]] = []
        for place, name in enumerate(self.names):
            column = fields.get(name)
            if place == self.word and not _is_words(column):
                if (text := text_of(column)) is not None:
                    return FileRows([], [], text=text, start=number, fields=fields)
                raise LineError(number, f'"{name}": expected a list of words, in quotes')
            if not is_plain_list(column):
                raise LineError(number, f'"{name}": expected a list of strings or whole numbers')
            columns.append(column)
        if len(set(map(len, columns))) > 1:
            lengths = ", ".join(f"{len(c)} {n}" for n, c in zip(self.names, columns, strict=True))
            raise LineError(number, f"expected lists of equal length, got {lengths}")
        cells = [[str(cell) for cell in row] for row in zip(*columns, strict=True)]
        return FileRows([number] * len(cells), cells, start=number, fields=fields)


def is_plain_list(value: object) -> TypeGuard[list[object]]:
    """Whether JSON's value can be a column: a list of strings or whole numbers."""
    return isinstance(value, list) and all(type(cell) in (str, int) for cell in value)


def text_of(value: object) -> str | None:
    """The text of an object: a string, or the text in the `data` of Label Studio."""
    if isinstance(value, dict):
        texts = [one for one in value.values() if isinstance(one, str)]
        value = value.get("text", texts[0] if len(texts) == 1 else None)
    return value if isinstance(value, str) else None


def _is_words(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and all(isinstance(cell, str) for cell in value)


def _feature(cell: str, name: str, missing: str) -> str:
    for feature in cell.split("|"):
        key, equals, value = feature.partition("=")
        if equals and key == name:
            return value
    return missing


def _misfit(line: str, cells: Sequence[str], width: int, separator: str, of_conllu: bool) -> str:
    """What a line has instead of so many columns, and why, if that can be seen."""
    by, got = COLUMNS_BY[separator], len(cells)
    columns = f"{width} columns" if width > 1 else "1 column"
    fault = f"expected {columns} separated by {by}, got {got}"
    if separator == "\t" and len(line.split()) == width:
        return f"{fault}; it has spaces where the other lines have tabs"
    if separator == " " and "\t" in line:
        return (
            f"{fault}; it has a tab where the other lines have spaces: use one of them throughout"
        )
    if any(line.count(comma) == width - 1 for comma in ",;") and got == 1 < width:
        return f"{fault}; it has commas where the other lines have {by}"
    if got > width and separator == " ":
        return (
            f"{fault}; if a word or a label has a space in it, separate the columns of all lines "
            "by tabs"
        )
    if got > width:
        return f"{fault}; is a line end missing?"
    return f"{fault}; is {'the line cut off' if of_conllu else 'a label missing'}?"


def blocks(lines: Iterable[tuple[int, str]]) -> Iterator[Lines]:
    """The numbered lines between blank ones and -DOCSTART- lines, both left out.

    Raises:
        LineError: There are `MAX_WORDS` and more without a blank line.
    """
    block: list[tuple[int, str]] = []
    for number, line in lines:
        if not line.strip() or line.startswith(DOCSTART):
            if block:
                yield block
                block = []
        else:
            block.append((number, line))
            if len(block) > MAX_WORDS:
                raise LineError(
                    number, f"no blank line in {MAX_WORDS:,} lines; one must follow each sentence"
                )
    if block:
        yield block


def array_objects(
    lines: Iterable[tuple[int, str]], *, are_first: bool = False
) -> Iterator[tuple[int, str]]:
    r"""The objects of a JSON array, each with the line on which it begins.

    Args:
        lines: Its lines, numbered.
        are_first: Whether there may be more than these.

    Raises:
        LineError: There is something else in the array, or it ends too soon.

    Example:
        >>> list(array_objects([(1, '[{"a": 1},'), (2, '{"a":'), (3, "2}]")]))
        [(1, '{"a": 1}'), (2, '{"a":\n2}')]
    """
    depth = begin = size = 0
    is_open, separated, parts = None, True, list[str]()  # of the array; of the object
    number = 1
    for number, line in lines:
        at = 0
        for match in _JSON_PART.finditer(line):
            part = match[0]
            if depth == 0:
                expected = "[" if is_open is None else "{],"
                if part not in expected or (part == "{" and not separated) or is_open is False:
                    raise LineError(
                        number,
                        f"expected an array of objects, got {part[:20]!a}; write each text and its "
                        f"spans as a line of JSON, {SPANS_EXAMPLE}",
                    )
                is_open = {"[": True, "]": False}.get(part, is_open)
                separated = part in "[,"
                if part == "{":
                    depth, begin, at = 1, number, match.start()
                continue
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(part, 0)
            if depth == 0:
                parts.append(line[at : match.end()])
                yield begin, "\n".join(parts)
                parts, size = [], 0
        if depth:
            parts.append(line[at:])
            size += len(line)
            if size > 4 * MAX_LINE:
                raise LineError(begin, "the object does not end; is a brace or a quote missing?")
    if is_open is not False and not are_first:
        raise LineError(number, "the JSON array does not end; is the file cut off?")


def parse_object(number: int, line: str) -> dict[str, Any]:
    """Parse a line of JSON lines.

    Raises:
        LineError: It is no JSON object.
    """
    try:
        value = read_json(line, 4 * MAX_LINE)
    except JsonError as error:
        raise LineError(number, f"expected a whole JSON object on each line ({error})") from error
    if not isinstance(value, dict):
        raise LineError(number, "expected a JSON object on each line, got another value")
    return value


def is_number(cell: str) -> bool:
    """Whether a cell counts, in digits."""
    return cell.isascii() and cell.isdecimal()


def _check_id(number: int, cell: str) -> None:
    """Refuse what is no multiword range (3-4) and no empty node (5.1)."""
    try:
        token_id = conllu.parse_token_and_metadata(f"{cell}\t_", fields=("id", "form"))[0]["id"]
    except ParseException as error:
        raise LineError(number, str(error)) from error
    if not isinstance(token_id, tuple):
        raise LineError(number, "column ID is empty; number the words of each sentence from 1")
