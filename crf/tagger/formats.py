"""File formats of sentences, recognised by their content: lines → rows of cells.

    CoNLL-U       ten tab-separated columns, words numbered; CoNLL-U Plus names its columns itself
    columns       a word a line, a blank line between sentences; by spaces or tabs, two or more
    JSON lines    an object a sentence: {"tokens": [...], "tags": [...]}; or an array of them
    text          a sentence a line: what looks like none of these

docs/formats.md shows an example of each. A file that looks like one of them and breaks it is
refused with the line; it is never read as text.

Sources: https://universaldependencies.org/format.html and ext-format.html; Tjong Kim Sang and De
Meulder (2003), "Introduction to the CoNLL-2003 shared task".
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple, TypeGuard

import conllu
from conllu.exceptions import ParseException

from ..schemes import has_letter
from ..strict_json import JsonError, read_json
from .cells import are_surely_labels, are_tags, describe
from .lines import MAX_LINE, LineError

CONLLU, COLUMNS, JSON, TEXT = "CoNLL-U", "columns", "JSON lines", "text"
CONLLU_COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
TOKEN_KEYS, TEXT_KEY = ("tokens", "words"), "text"
PLUS, DOCSTART = "# global.columns =", "-DOCSTART-"
MAX_WORDS = 100_000  # of a sentence
_WIDE = 8  # columns: so many words stand on each line of no text, with a column in capitals
_MAX_COLUMNS = 100  # a table with more is read as text, or refused
_LIKE_JSON = re.compile(r"\s*(\[\s*)?\{\s*(\"|$)|\s*\[\s*$")  # but not the word "{" and its label
_LIKE_ARRAY = re.compile(r"\s*\[\s*[\[\"]")
_METADATA = re.compile(r"#\s*[\w.:]+\s*=|-DOCSTART-")
_JSON_PART = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],]|[^"{}\[\],\s]+')
# Names in a header line; another cell of the line must name one of the columns beside the words.
WORD_NAMES = frozenset("token tokens word words form wordform".split())
_OTHER_NAMES = re.compile(
    r"#|id|idx|index|lemma|text|(u|x|c)?pos([ _-]?tags?)?|(ner?|chunk|iob2?|bio)([ _-].*)?"
    r"|(label|tag|entity|named[ _-]entity)s?([ _-].*)?",
    re.IGNORECASE,
)
_SENTENCE_ENDS = tuple('.?!…:"”’)。？！')
_COLUMNS_BY = {"\t": "tabs", " ": "spaces"}
WRITE_COLUMNS = (
    "write one word on each line, a tab, its label, and a blank line after each sentence"
)

Lines = Sequence[tuple[int, str]]  # with their numbers, from 1


class FileRows(NamedTuple):
    """One sentence as it stands in the file."""

    numbers: list[int]  # the line of each word
    cells: list[list[str]]  # the columns of each word, as many as the layout has names
    lines: Lines = ()  # of CoNLL-U: all of them, comments, too
    text: str | None = None  # of {"text": …}: not yet split into words
    start: int = 0  # the line on which it begins


@dataclass(frozen=True)
class Layout:
    """How a file is laid out."""

    kind: str  # `CONLLU`, `COLUMNS`, `JSON` or `TEXT`
    names: tuple[str, ...]  # of the columns: FORM, UPOS, …; 1, 2, …; keys of the JSON objects
    word: int = 0  # which of them holds the words
    separator: str = "\t"  # between columns: a tab, or a space for one or more of them
    counter: int | None = None  # which of them counts the words of each sentence
    start: int = 1  # from which it counts
    left_out: tuple[int, ...] = ()  # columns of numbers in front of the words
    header: int = 0  # the line that names the columns, if any
    features: tuple[tuple[int, str, str], ...] = ()
    """The last of the columns are values such as B-PER in NER=B-PER: of this column, with this
    name, and what stands for a missing one."""
    # what the last column holds in the first lines: with it, "# O" is a word, no comment
    known: frozenset[str] = frozenset()
    is_array: bool = False  # of JSON: whether the objects stand in an array, over any lines
    doubt: str = ""  # of text: why it might be columns

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
                if of_conllu and not _is_number(count):  # a range, an empty node, or what?
                    _check_id(number, count)
                    continue
                if count != str(place := len(rows.cells) + self.start):
                    got = count if _is_number(count) else repr(count[:20])
                    raise LineError(
                        number,
                        f"expected token {place}, got {got}; a blank line must follow each "
                        "sentence",
                    )
            rows.numbers.append(number)
            rows.cells.append(self.with_features(cells) if self.features else cells)
        return rows

    def _object(self, number: int, line: str) -> FileRows:
        found = parse_object(number, line)
        columns: list[list[object]] = []
        for place, name in enumerate(self.names):
            column = found.get(name)
            if place == self.word and not _is_words(column):
                if isinstance(column, str):
                    return FileRows([], [], text=column, start=number)
                raise LineError(number, f'"{name}": expected a list of words, in quotes')
            if not _is_plain_list(column):
                raise LineError(number, f'"{name}": expected a list of strings or whole numbers')
            columns.append(column)
        if len(set(map(len, columns))) > 1:
            lengths = ", ".join(f"{len(c)} {n}" for n, c in zip(self.names, columns, strict=True))
            raise LineError(number, f"expected lists of one length, got {lengths}")
        cells = [[str(cell) for cell in row] for row in zip(*columns, strict=True)]
        return FileRows([number] * len(cells), cells, start=number)


def _is_plain_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list) and all(type(cell) in (str, int) for cell in value)


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
    by, got = _COLUMNS_BY[separator], len(cells)
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
                    raise LineError(number, f"expected an array of objects, got {part[:20]!a}")
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


def forced(kind: str, head: Lines, words: str = "") -> Layout:
    """The layout of a file of a kind that is told: columns, conllu, jsonl, text or tokenised.

    Raises:
        LineError: The first lines are of another kind.
    """
    if kind in (TEXT, "tokenised"):
        return Layout(TEXT, (kind,))
    filled = [(number, line) for number, line in head if line.strip()]
    if not filled:
        return Layout(COLUMNS, ("1",))
    if kind == "jsonl":
        return _json_layout(filled, words, labelled=False)
    if kind == "conllu":
        plus = next((one for one in filled if one[1].startswith(PLUS)), None)
        return _plus_layout(*plus) if plus else Layout(CONLLU, CONLLU_COLUMNS, 1, counter=0)
    return _columns_layout(head) or Layout(COLUMNS, ("1",), separator="\t")


def recognise(
    head: Lines, *, words: str = "", tags: Collection[str] = (), labelled: bool = True
) -> Layout:
    """Recognise a file's format by its first lines.

    Args:
        head: The first lines.
        words: The key of the words, if the file is JSON.
        tags: Of the tagger that is to be used, if any.
        labelled: Whether the words must have labels; else, what looks like no format is text.

    Raises:
        LineError: They are of no format that can be read.
    """
    filled = [(number, line) for number, line in head if line.strip()]
    if filled and _is_json(filled[0][1]):
        return _json_layout(filled, words, labelled)
    for number, line in filled:
        if line.startswith(PLUS):
            return _plus_layout(number, line)
    rows = [one for one in filled if not one[1].lstrip(" ").startswith(("#", DOCSTART))]
    if not rows:
        is_text = not labelled and not any(_METADATA.match(line) for _, line in filled)
        return Layout(TEXT, (TEXT,)) if is_text else Layout(COLUMNS, ("1", "2"))
    layout = _columns_layout(head)
    if layout and layout.kind == CONLLU:
        return layout
    _refuse_other_tables(rows)
    if layout and len(layout.names) > 1:
        cells = [row for _, line in rows if len(row := layout.split(line)) == len(layout.names)]
        by_tabs = layout.separator == "\t"
        is_table = _is_table(layout, cells, rows, tags)
        if not labelled and not is_table:
            doubt, ends = "", sum(row[-1][-1:] in _SENTENCE_ENDS for row in cells)
            if (by_tabs and 2 * len(cells) > len(rows)) or (
                10 <= len(rows) == len(cells) and 10 * ends < len(rows)
            ):
                doubt = (
                    f"most lines have {len(layout.names)} columns separated by "
                    + (_COLUMNS_BY[layout.separator])
                )
            return Layout(TEXT, (TEXT,), doubt=doubt)
        if (
            by_tabs
            or is_table
            or sum(len(layout.split(line)) == len(layout.names) for _, line in filled) > 1
        ):
            only_numbers = len(layout.names) == 2 and layout.counter == 0
            if labelled and only_numbers:
                raise LineError(
                    rows[0][0], "expected words and labels, got numbers and words; add the labels"
                )
            return layout
    if not labelled:
        return Layout(TEXT, (TEXT,))
    raise LineError(
        rows[0][0],
        "expected a word and its label on each line, separated by a space or a tab, or CoNLL-U, or "
        "JSON lines; this reads like plain text",
    )


def _is_json(line: str) -> bool:
    if _LIKE_JSON.match(line):
        return True
    if not _LIKE_ARRAY.match(line):
        return False
    try:
        return isinstance(read_json(line, 4 * MAX_LINE), list)
    except JsonError:
        return False


def _is_table(
    layout: Layout, cells: Sequence[Sequence[str]], rows: Lines, tags: Collection[str]
) -> bool:
    """Whether rows are columns rather than text of which many lines are split alike."""
    by_tabs = layout.separator == "\t"
    last = [layout.split(line)[-1] for _, line in rows]
    if by_tabs and all("\t" in line for _, line in rows) and are_surely_labels(last, tags):
        return True
    if len(rows) == 1 and has_letter(last[0]) and last[0][2:].isupper():  # Ada NNP B-PER
        return not are_tags(cells[0])
    if 2 * len(cells) < len(rows) or not (by_tabs or len(cells) > 1):
        return False
    columns = [list(column) for column in zip(*cells, strict=True)]
    of_labels = [n for n, column in enumerate(columns) if are_surely_labels(column, tags)]
    words = columns[layout.word]
    if not by_tabs:  # words in capitals may stand anywhere, and in a log beside its times
        has_words = 2 * sum(any(map(str.isalpha, word)) for word in words) >= len(words)
        of_labels = [
            n
            for n in of_labels
            if (has_words and n in (1, len(columns) - 1))
            or len(columns) >= _WIDE
            or describe("", [columns[n]]).is_label_like
        ]
    if of_labels:
        of_spans = any(describe("", [columns[n]]).is_label_like for n in of_labels)
        return of_spans or not all(map(are_tags, columns))  # but lines of capitals
    filled = [column for column in columns if any(column)]
    if len(filled) < 2:
        return False
    found = list(chain.from_iterable(filled))
    is_split = 10 * sum(" " in cell for cell in found) <= len(found)
    if by_tabs and layout.counter is not None and not is_split:
        raise LineError(
            rows[0][0],
            f"expected a word in column {layout.word + 1}, got sentences; {WRITE_COLUMNS}",
        )
    return by_tabs and is_split


def _refuse_other_tables(rows: Lines) -> None:
    """Refuse what is neither text nor a format that is read, but holds words and labels.

    Raises:
        LineError: Columns are separated by commas, or a sentence and its labels are on one line.
    """
    number, first = rows[0]
    for comma in ",;|\u00a0\u3000":
        table = [line.split(comma) for _, line in rows]
        width = len(table[0])
        fitting = [[cell.strip(' "') for cell in row] for row in table if len(row) == width]
        if 1 < width <= _MAX_COLUMNS and len(fitting) > 1 and 2 * len(fitting) >= len(table):
            columns = [list(column) for column in zip(*fitting[1:], strict=True)]
            has_labels = any(
                are_surely_labels(column) for column in columns if not any(map(_has_space, column))
            )
            if has_labels and not any("\t" in line or f"{comma} " in line for _, line in rows):
                raise LineError(
                    number, f"the columns are separated by {comma!r}; separate them by tabs"
                )
    tabs = first.count("\t") if first.count("\t") < _MAX_COLUMNS else 0
    tabbed = [line.split("\t") for _, line in rows if line.count("\t") == tabs > 0]
    columns = [[cell.split() for cell in column] for column in zip(*tabbed, strict=True)]
    for labels in columns if 2 * len(tabbed) >= len(rows) else ():
        lengths = list(map(len, labels))
        alike = sum(list(map(len, column)) == lengths for column in columns)
        if max(lengths) > 1 < alike and are_surely_labels(list(chain.from_iterable(labels))):
            raise LineError(
                number, f"a whole sentence and its labels stand on this line; {WRITE_COLUMNS}"
            )
    pairs = [pair.rpartition("/") for _, line in rows for pair in line.split()]
    joined = [tag for word, _, tag in pairs if word and tag]
    if 10 * len(joined) >= 9 * len(pairs) and (
        (len(pairs) > 1 and all(map(has_letter, joined))) or (len(pairs) > 2 and are_tags(joined))
    ):
        raise LineError(
            number, f"words and labels are joined by a slash on this line; {WRITE_COLUMNS}"
        )


def _has_space(cell: str) -> bool:
    return " " in cell


def _columns_layout(head: Lines) -> Layout | None:
    """The layout of columns that most lines have; None if there is no line but comments."""
    rows = [
        (number, line)
        for number, line in head
        if line.strip() and not line.lstrip(" ").startswith(("#", DOCSTART))
    ]
    if not rows:
        return None
    tabs = sum("\t" in line for _, line in rows)
    by_tabs = 2 * tabs > len(rows) or (2 * tabs == len(rows) and "\t" in rows[0][1])
    layout = Layout(COLUMNS, (), separator="\t" if by_tabs else " ")
    cells = [layout.split(line) for _, line in rows]
    of_conllu = [row for row in cells if len(row) == len(CONLLU_COLUMNS) and row[0][:1].isdecimal()]
    if by_tabs and of_conllu and (cells[0] == of_conllu[0] or 2 * len(of_conllu) >= len(rows)):
        return Layout(CONLLU, CONLLU_COLUMNS, 1, counter=0)
    width = Counter(map(len, cells)).most_common(1)[0][0]
    if width > _MAX_COLUMNS:
        return None
    names = tuple(str(n + 1) for n in range(width))
    has_header = len(cells[0]) == width and _is_header(cells[0], cells[1:])
    header = rows[0][0] if has_header else 0
    known = frozenset(row[-1] for row in cells[bool(header) :] if row)
    layout = replace(layout, names=names, known=known, header=header)
    if header:
        layout = replace(layout, names=tuple(cells[0]))
        of_words = [n for n, name in enumerate(cells[0]) if name.lower() in WORD_NAMES]
        layout = replace(layout, word=of_words[0])
    words_only = (
        one for one in head if not one[1].lstrip(" ").startswith("#") and one[0] != header
    )
    table = [
        [row for _, line in block if len(row := layout.split(line)) == width]
        for block in blocks(words_only)
    ]
    return _without_numbers(layout, [rows for rows in table if rows])


def _is_header(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a line names the columns below it: TOKEN and, say, NER or LABEL."""
    names = [cell.lower() for cell in cells]
    of_words = WORD_NAMES.intersection(names)
    others = [n for n, name in enumerate(names) if _OTHER_NAMES.fullmatch(name)]
    return (
        bool(of_words and others and below)
        and len(set(names)) == len(names)
        and not any(row[n] == cells[n] for n in others for row in below if len(row) > n)
    )


def _without_numbers(layout: Layout, table: Sequence[Sequence[list[str]]]) -> Layout:
    """Leave out the columns in front that hold numbers of words or of sentences."""
    width, left_out, counter, start = len(layout.names), list[int](), None, 1
    for place in range(width - 1):
        columns = [[row[place] for row in rows] for rows in table]
        if _is_document(columns) and width > 3:
            left_out.append(place)
            continue
        if not all(_is_number(cell) for column in columns for cell in column):
            break
        firsts = {column[0] for column in columns}
        if firsts in ({"0"}, {"1"}) and any(c[:2] in (["0", "1"], ["1", "2"]) for c in columns):
            counter, start = place, int(columns[0][0])
        elif not (_is_running(columns) or _is_constant(columns)):
            if firsts not in ({"0"}, {"1"}) or any(len(column) > 1 for column in columns):
                break
            counter, start = place, int(columns[0][0])  # sentences of one word
        left_out.append(place)
    if not left_out:
        return layout
    word = layout.word if layout.word not in left_out else left_out[-1] + 1
    return replace(layout, word=word, counter=counter, start=start, left_out=tuple(left_out))


def _is_running(columns: Sequence[Sequence[str]]) -> bool:
    """Whether numbers count the words of the whole file."""
    numbers = [int(cell) for column in columns for cell in column]
    return len(numbers) > 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _is_constant(columns: Sequence[Sequence[str]]) -> bool:
    """Whether numbers count the sentences."""
    return any(len(column) > 1 for column in columns) and all(
        len(set(column)) == 1 for column in columns
    )


def _is_document(columns: Sequence[Sequence[str]]) -> bool:
    """Whether all cells are one path, as in the files of CoNLL-2011 and 2012."""
    cells = list(chain.from_iterable(columns))
    return len(cells) > 1 and len(set(cells)) == 1 and "/" in cells[0][1:]


def _plus_layout(number: int, line: str) -> Layout:
    names = tuple(line[len(PLUS) :].split())
    if "FORM" not in names or len(set(names)) < len(names):
        raise LineError(
            number, f"expected a column FORM and others, got {' '.join(names)[:80] or 'none'}"
        )
    counter = names.index("ID") if "ID" in names else None
    return Layout(CONLLU, names, names.index("FORM"), counter=counter)


def _json_layout(filled: Lines, words: str, labelled: bool) -> Layout:
    is_array = filled[0][1].lstrip().startswith("[")
    objects = array_objects(filled, are_first=True) if is_array else iter(filled)
    number, line = next(objects, (filled[0][0], "{}"))
    found = parse_object(number, line)
    lists = {k: len(v) for k, v in found.items() if _is_plain_list(v) and k.isprintable()}
    keys = (words,) if words else TOKEN_KEYS
    word = next((key for key in keys if key in lists), "")
    of_text = words or TEXT_KEY
    if not (labelled or word) and isinstance(found.get(of_text), str):
        return Layout(JSON, (of_text,), is_array=is_array)
    if not labelled and word:
        return Layout(JSON, (word,), is_array=is_array)
    names = [key for key, length in lists.items() if length == lists.get(word)]
    if not word or (labelled and len(names) < 2):
        expected = 'lists of one length, {"tokens": […], "tags": […]}'
        if not labelled:
            expected = 'a list of words, {"tokens": […]}, or a text, {"text": "…"}'
        raise LineError(
            number,
            f"expected an object a line with {expected}, got the keys "
            f"{', '.join(map(ascii, found))[:80] or 'none'}",
            "--words names the key of the words",
        )
    return Layout(JSON, tuple(names), names.index(word), is_array=is_array)


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
