"""File formats of tagged sentences, recognised by their content: lines → rows of cells.

    CoNLL-U       ten tab-separated columns, words numbered; CoNLL-U Plus names its columns itself
    columns       a word a line, a blank line between sentences; by spaces or tabs, two or more
    JSON lines    an object a sentence: {"tokens": [...], "tags": [...]}

docs/formats.md shows an example of each.

Sources: https://universaldependencies.org/format.html and ext-format.html; Tjong Kim Sang and De
Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeGuard

import conllu
from conllu.exceptions import ParseException

from ..strict_json import JsonError, read_json
from .lines import MAX_LINE, LineError

CONLLU, COLUMNS, JSON = "CoNLL-U", "columns", "JSON lines"
CONLLU_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
TOKEN_KEYS = ("tokens", "words")
PLUS, DOCSTART = "# global.columns =", "-DOCSTART-"
MAX_WORDS = 100_000  # of a sentence
_LIKE_JSON = re.compile(r"\s*(\[\s*)?\{\s*(\"|$)|\s*\[\s*$")  # but not the word "{" and its label

Lines = Sequence[tuple[int, str]]  # with their numbers, from 1


class FileRows(NamedTuple):
    """One sentence as it stands in the file."""

    numbers: list[int]  # the line of each word
    cells: list[list[str]]  # the columns of each word, as many as the layout has names


@dataclass(frozen=True)
class Layout:
    """How a file is laid out."""

    kind: str  # `CONLLU`, `COLUMNS` or `JSON`
    names: tuple[str, ...]  # of the columns: FORM, UPOS, …; 1, 2, …; keys of the JSON objects
    word: int = 0  # which of them holds the words
    separator: str = "\t"  # between columns: a tab, or a space for one or more of them
    numbered: bool = False  # whether the first column counts the words of each sentence from 1
    # what the last column holds in the first lines: with it, "# O" is a word, no comment
    known: frozenset[str] = frozenset()

    def sentences(self, lines: Iterable[tuple[int, str]]) -> Iterator[FileRows]:
        """Parse lines, one sentence at a time.

        Raises:
            LineError: A line does not fit the layout.
        """
        if self.kind == JSON:
            return (self._object(*line) for line in lines if line[1].strip())
        return (self._rows(block) for block in blocks(lines))

    def split(self, line: str) -> list[str]:
        """The cells of a line of columns."""
        if self.separator == "\t":
            return [cell.strip(" ") for cell in line.split("\t")]
        return [cell for cell in line.split(" ") if cell]

    def _rows(self, block: Lines) -> FileRows:
        rows, of_conllu = FileRows([], []), self.kind == CONLLU
        for number, line in block:
            cells = line.split("\t") if of_conllu else self.split(line)
            fits = len(cells) == len(self.names)
            is_odd = not rows.cells and cells[-1] not in self.known  # first, ends in no label
            if line[0] == "#" and (of_conllu or not fits or is_odd):
                continue
            if not fits:
                by = "spaces" if self.separator == " " else "tabs"
                raise LineError(
                    number,
                    f"expected {len(self.names)} columns separated by {by}, got {len(cells)}; is "
                    "a label missing?",
                )
            if self.numbered:
                if of_conllu and not _is_number(cells[0]):  # a range, an empty node, or what?
                    _check_id(number, cells[0])
                    continue
                if cells[0] != str(place := len(rows.cells) + 1):
                    got = cells[0] if _is_number(cells[0]) else repr(cells[0][:20])
                    raise LineError(
                        number,
                        f"expected token {place}, got {got}; a blank line must follow each "
                        "sentence",
                    )
            rows.numbers.append(number)
            rows.cells.append(cells)
        return rows

    def _object(self, number: int, line: str) -> FileRows:
        found = parse_object(number, line)
        columns: list[list[object]] = []
        for name in self.names:
            if not _is_plain_list(column := found.get(name)):
                raise LineError(number, f'"{name}": expected a list of strings or whole numbers')
            columns.append(column)
        if len(set(map(len, columns))) > 1:
            lengths = ", ".join(f"{len(c)} {n}" for n, c in zip(self.names, columns, strict=True))
            raise LineError(number, f"expected lists of one length, got {lengths}")
        cells = [[str(cell) for cell in row] for row in zip(*columns, strict=True)]
        return FileRows([number] * len(cells), cells)


def _is_plain_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and all(type(cell) in (str, int) for cell in value)


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


def recognise(head: Lines) -> Layout:
    """Recognise a file's format by its first lines.

    Raises:
        LineError: They are of no format.
    """
    filled = [(number, line) for number, line in head if line.strip()]
    if filled and _LIKE_JSON.match(filled[0][1]):
        return _json_layout(*filled[0])
    for number, line in filled:
        if line.startswith(PLUS):
            return _plus_layout(number, line)
    words = [one for one in filled if one[1][0] != "#" and not one[1].startswith(DOCSTART)]
    if not words:
        return Layout(COLUMNS, ("1", "2"))  # no sentence, which the caller says
    number, line = words[0]
    by_tabs = "\t" in line
    layout = Layout(COLUMNS, (), separator="\t" if by_tabs else " ")
    rows = [layout.split(line) for _, line in words]
    width = Counter(map(len, rows)).most_common(1)[0][0]
    if by_tabs and width == len(CONLLU_COLUMNS) and line[0].isdecimal():
        return Layout(CONLLU, CONLLU_COLUMNS, 1, numbered=True)
    is_one = sum(len(layout.split(line)) == width for _, line in filled) == 1
    if width < 2 or (is_one and not by_tabs):
        raise LineError(
            number,
            "expected a word and its label on each line, separated by a space or a tab, or "
            "CoNLL-U, or JSON lines; this reads like plain text",
        )
    names = tuple(str(n + 1) for n in range(width))
    layout = replace(layout, names=names, known=frozenset(cells[-1] for cells in rows if cells))
    words_only = (numbered for numbered in head if not numbered[1].startswith("#"))
    if {layout.split(block[0][1])[0] for block in blocks(words_only)} != {"1"}:
        return layout
    if width == 2:
        raise LineError(number, "expected words and labels, got numbers and words; where are they?")
    return replace(layout, word=1, numbered=True)


def _plus_layout(number: int, line: str) -> Layout:
    names = tuple(line[len(PLUS) :].split())
    if "FORM" not in names or len(names) < 2:
        raise LineError(number, f"expected a column FORM and others, got {' '.join(names)[:80]}")
    return Layout(CONLLU, names, names.index("FORM"), numbered=names[0] == "ID")


def _json_layout(number: int, line: str) -> Layout:
    found = parse_object(number, line)
    lists = {k: len(v) for k, v in found.items() if _is_plain_list(v) and k.isprintable()}
    word = next((key for key in TOKEN_KEYS if key in lists), "")
    names = [key for key, length in lists.items() if length == lists.get(word)]
    if not word or len(names) < 2:
        raise LineError(
            number,
            'expected an object a line with lists of one length, {"tokens": […], "tags": […]}, got '
            f"the keys {', '.join(map(ascii, found))[:80] or 'none'}",
        )
    return Layout(JSON, tuple(names), names.index(word))


def parse_object(number: int, line: str) -> dict[str, Any]:
    """Parse a line of JSON lines.

    Raises:
        LineError: It is no JSON object.
    """
    try:
        found = read_json(line, 4 * MAX_LINE)
    except JsonError as error:
        raise LineError(number, f"expected a whole JSON object on each line ({error})") from error
    if not isinstance(found, dict):
        raise LineError(number, "expected a JSON object on each line, got another value")
    return found


def _is_number(cell: str) -> bool:
    return cell.isascii() and cell.isdecimal()


def _check_id(number: int, cell: str) -> None:
    """Refuse what is no multiword range (3-4) and no empty node (5.1)."""
    try:
        found = conllu.parse_token_and_metadata(f"{cell}\t_", fields=("id", "form"))[0]["id"]
    except ParseException as error:
        raise LineError(number, str(error)) from error
    if not isinstance(found, tuple):
        raise LineError(number, "column ID is empty; number the words of each sentence from 1")
