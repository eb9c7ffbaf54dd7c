"""How files of sentences are laid out: one ordered table, asked by every command and by the app.

The first row of `TABLE` that fits a file's first lines says how the file is read, or why it is
refused and what to do. Each row has an example, by which `tests/tagger/test_layouts.py` tries it,
and which is shown where no row fits.
"""

import csv
import difflib
import re
from collections.abc import Callable, Collection
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from ..schemes import OUTSIDE, has_letter
from ..strict_json import JsonError, read_json
from .cells import are_surely_labels, are_tags
from .column_layouts import MAX_COLUMNS, columns_layout, is_table
from .formats import (
    COLUMNS,
    COLUMNS_BY,
    CONLLU,
    CONLLU_COLUMNS,
    DOCSTART,
    JSON,
    PLUS,
    TEXT,
    WRITE_COLUMNS,
    Layout,
    Lines,
    array_objects,
    is_number,
    is_plain_list,
    parse_object,
)
from .lines import MAX_LINE, LineError

TOKEN_KEYS, TEXT_KEY = ("tokens", "words"), "text"
_LIKE_JSON = re.compile(r"\s*(\[\s*)?\{\s*(\"|$)|\s*\[\s*$")  # but not the word "{" and its label
_LIKE_ARRAY = re.compile(r"\s*\[\s*[\[\"]")
_METADATA = re.compile(r"#\s*[\w.:]+\s*=|-DOCSTART-")
_BRAT = re.compile(r"T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t")
_PUBTATOR = re.compile(r"\d+\|[ta]\|")
_SENTENCE_ENDS = tuple('.?!…:"”’)。？！')
_BLANKS = re.compile(r"\s+")


class Head:
    """A file's first lines, and what is asked of them.

    Args:
        lines: With their numbers.
        words: The key of the words, if the file is JSON.
        tags: Of the tagger that is to be used, if any.
        labelled: Whether the words must have labels.
    """

    def __init__(
        self, lines: Lines, words: str = "", tags: Collection[str] = (), *, labelled: bool = True
    ) -> None:
        self.lines, self.words, self.tags, self.labelled = lines, words, tags, labelled
        self.filled = [(number, line) for number, line in lines if line.strip()]
        self.rows = [x for x in self.filled if not x[1].lstrip(" ").startswith(("#", DOCSTART))]

    @cached_property
    def columns(self) -> Layout | None:
        """The columns that most lines have."""
        return columns_layout(self.lines)

    @cached_property
    def cells(self) -> list[list[str]]:
        """The cells of the lines that have all columns."""
        layout = self.columns
        assert layout
        width = len(layout.names)
        return [row for _, line in self.rows if len(row := layout.split(line)) == width]

    @cached_property
    def is_table(self) -> bool:
        """Whether the lines are surely two columns or more."""
        layout = self.columns
        if not layout or len(layout.names) < 2:
            return False
        return is_table(layout, self.cells, self.rows, self.tags)

    @cached_property
    def fields(self) -> dict[str, Any]:
        """The first object of JSON."""
        number, line = next(self.objects(), (self.filled[0][0], "{}"))
        return parse_object(number, line)

    @property
    def is_array(self) -> bool:
        """Of JSON: whether its objects stand in an array."""
        return self.filled[0][1].lstrip().startswith("[")

    def objects(self) -> Any:
        """The objects of JSON, not yet parsed, with the lines on which they begin."""
        return array_objects(self.filled, are_first=True) if self.is_array else iter(self.filled)

    @property
    def lists(self) -> dict[str, int]:
        """The keys of the first object that can be columns, with their lengths."""
        return {k: len(v) for k, v in self.fields.items() if is_plain_list(v) and k.isprintable()}

    @property
    def word_key(self) -> str:
        """The key of the words in the first object, or ""."""
        keys = (self.words,) if self.words else TOKEN_KEYS
        return next((key for key in keys if key in self.lists), "")


class KnownLayout(NamedTuple):
    """One layout: how it is recognised, and how it is read or what to do instead."""

    name: str
    example: str  # lines of such a file
    fits: Callable[[Head], object]  # what is found, passed on to `read`; falsy: another layout
    read: Callable[[Head, Any], Layout] | None  # None: it is refused
    remedy: str = ""  # of what is refused: what it is, and what to do; {0} is what was found
    kind: str = ""  # what `--input` calls it
    shown: bool = True  # where no row fits, as one that would


def recognise(head: Head) -> Layout:
    """Return the layout of the first row of `TABLE` that fits.

    Raises:
        LineError: That row is refused, or none fits.
    """
    for row in TABLE if head.filled else ():
        if found := row.fits(head):
            if row.read:
                return row.read(head, found)
            number = (head.rows or head.filled)[0][0]
            raise LineError(number, row.remedy.format(found))
    if not head.filled:
        return Layout(TEXT, (TEXT,)) if not head.labelled else Layout(COLUMNS, ("1", "2"))
    near = " or ".join(f"{row.name} ({_first(row.example)})" for row in nearest(head))
    raise LineError(
        head.rows[0][0],
        f"expected words and their labels, got what reads like plain text; nearest are {near}; "
        f"{WRITE_COLUMNS}",
    )


def forced(kind: str, head: Head) -> Layout:
    """The layout of a file of a kind that is told: columns, conllu, jsonl, text or tokenised.

    Raises:
        LineError: The first lines are of another kind.
    """
    if kind in (TEXT, "tokenised"):
        return Layout(TEXT, (kind,))
    if not head.filled:
        return Layout(COLUMNS, ("1",))
    if kind == "columns":
        return head.columns or Layout(COLUMNS, ("1",), separator="\t")
    for row in TABLE:
        if row.kind == kind and (found := row.fits(head)):
            if row.read:
                return row.read(head, found)
            raise LineError(head.filled[0][0], row.remedy.format(found))
    return Layout(CONLLU, CONLLU_COLUMNS, 1, counter=0)


def nearest(head: Head) -> list[KnownLayout]:
    """The two rows whose examples look most like the first lines, letters and digits apart."""
    shape = _shape("\n".join(line for _, line in head.filled[:3])[:300])
    readable = [row for row in TABLE if row.read and row.shown]

    def likeness(row: KnownLayout) -> float:
        return difflib.SequenceMatcher(None, shape, _shape(row.example), autojunk=False).ratio()

    return sorted(readable, key=likeness, reverse=True)[:2]


def _shape(text: str) -> str:
    return re.sub(r"\d+", "9", re.sub(r"[^\W\d_]+", "a", text))


def _first(example: str) -> str:
    """The first line of an example that is no comment."""
    lines = [line for line in example.splitlines() if line[:1] != "#"]
    return lines[0].replace("\t", "→")


# JSON


def _is_json(head: Head) -> bool:
    line = head.filled[0][1]
    if _LIKE_JSON.match(line):
        return True
    if not _LIKE_ARRAY.match(line):
        return False
    try:
        return isinstance(read_json(line, 4 * MAX_LINE), list)
    except JsonError:
        return False


def _json_words(head: Head) -> list[str]:
    """The keys of the words and of what has as many labels."""
    if not _is_json(head) or not head.word_key:
        return []
    names = [key for key, length in head.lists.items() if length == head.lists[head.word_key]]
    if not head.labelled:
        return [head.word_key]
    return names if len(names) > 1 else []


def _read_json_words(head: Head, names: list[str]) -> Layout:
    return Layout(JSON, tuple(names), names.index(head.word_key), is_array=head.is_array)


def _json_text(head: Head) -> str:
    key = head.words or TEXT_KEY
    is_text = not head.labelled and _is_json(head) and isinstance(head.fields.get(key), str)
    return key if is_text else ""


def _other_json(head: Head) -> str:
    if not _is_json(head):
        return ""
    expected = 'lists of one length, {"tokens": […], "tags": […]}'
    if not head.labelled:
        expected = 'a list of words, {"tokens": […]}, or a text, {"text": "…"}'
    keys = ", ".join(map(ascii, head.fields))[:80] or "none"
    number = next(head.objects(), head.filled[0])[0]
    raise LineError(
        number,
        f"expected an object a line with {expected}, got the keys {keys}",
        "--words names the key of the words",
    )


# CoNLL-U


def _plus(head: Head) -> tuple[int, str] | None:
    return next(((n, line) for n, line in head.filled if line.startswith(PLUS)), None)


def _read_plus(head: Head, found: tuple[int, str]) -> Layout:
    number, line = found
    names = tuple(name.upper() for name in line[len(PLUS) :].split())
    if "FORM" not in names or len(set(names)) < len(names):
        got = " ".join(names)[:80] or "none"
        raise LineError(number, f"expected a column FORM and others, got {got}")
    counter = names.index("ID") if "ID" in names else None
    return Layout(CONLLU, names, names.index("FORM"), counter=counter)


def _is_conllu(head: Head) -> bool:
    return head.columns is not None and head.columns.kind == CONLLU


def _is_spaced_conllu(head: Head) -> bool:
    """Whether lines are CoNLL-U's ten columns, but for spaces where its tabs should be."""
    rows = [line.split() for _, line in head.rows]
    ten = [row for row in rows if len(row) == len(CONLLU_COLUMNS) and row[0][:1].isdecimal()]
    heads = [row for row in ten if is_number(row[6]) or row[6] == "_"]
    return 2 * len(heads) > len(rows) and ten[0][0].partition("-")[0] == "1"


# What is refused


def _commas(head: Head) -> str:
    """The comma, semicolon, … between the columns of words and labels."""
    for comma in ",;|\u00a0\u3000" if head.rows else "":
        lines = [line for _, line in head.rows]
        try:
            table = [next(csv.reader([line], delimiter=comma, strict=True)) for line in lines]
        except (csv.Error, StopIteration):
            table = [line.split(comma) for line in lines]
        width = len(table[0])
        fitting = [row for row in table if len(row) == width]
        is_wide = 1 < width <= MAX_COLUMNS and len(fitting) > 1
        if not is_wide or 2 * len(fitting) < len(table):
            continue
        columns = [[cell.strip() for cell in column] for column in zip(*fitting[1:], strict=True)]
        has_labels = any(
            are_surely_labels([cell for cell in column if cell])
            for column in columns
            if any(column) and not any(" " in cell for cell in column)
        )
        is_text = any(cell[:1] == " " for row in table for cell in row[1:])
        if has_labels and not is_text and not any("\t" in line for line in lines):
            quotes = any('"' in line for line in lines)
            how = ", without quotes: a spreadsheet saves them so" if quotes else ""
            return f"{comma!r}; separate them by tabs{how}"
    return ""


def _is_sentence_a_line(head: Head) -> bool:
    """Whether a whole sentence and its labels stand on each line."""
    rows, first = head.rows, (head.rows or head.filled)[0][1]
    tabs = first.count("\t") if first.count("\t") < MAX_COLUMNS else 0
    tabbed = [line.split("\t") for _, line in rows if line.count("\t") == tabs > 0]
    columns = [[cell.split() for cell in column] for column in zip(*tabbed, strict=True)]
    for labels in columns if 2 * len(tabbed) >= len(rows) else ():
        lengths = list(map(len, labels))
        alike = sum(list(map(len, column)) == lengths for column in columns)
        if max(lengths) > 1 < alike and are_surely_labels(list(chain.from_iterable(labels))):
            return True
    return False


def _joined(head: Head) -> str:
    """The sign between each word and its label: Ada/B-PER, Ada_NNP, Ada|NNP|B-PER."""
    for sign, name in (("|", "a |"), ("/", "a slash"), ("_", "an underscore")):
        pairs = [pair.rpartition(sign) for _, line in head.rows for pair in line.split()]
        joined = [(word, tag) for word, _, tag in pairs if word and tag]
        labels = [tag for _, tag in joined]
        is_column = sign == "|" and len(pairs) == len(head.rows)
        if not pairs or is_column or 10 * len(joined) < 9 * len(pairs):
            continue
        are_spans = len(pairs) > 1 and all(map(has_letter, labels))
        are_spans = are_spans and (sign == "/" or {*labels} != {OUTSIDE})
        are_words = sign == "/" or not all(word.isupper() for word, _ in joined)
        if are_spans or (len(pairs) > 2 and are_words and are_tags(labels)):
            return name
    return ""


# Columns, text


def _is_columns(head: Head) -> bool:
    """Whether lines are columns; where labels are read, several lines that are split alike."""
    layout = head.columns
    if not layout or len(layout.names) < 2:
        return False
    if head.is_table or not head.labelled:
        return head.is_table
    width = len(layout.names)
    return layout.separator == "\t" or (
        sum(len(layout.split(line)) == width for _, line in head.filled) > 1
    )


def _read_columns(head: Head, _: object) -> Layout:
    layout = head.columns
    assert layout
    if head.labelled and len(layout.names) == 2 and layout.counter == 0:
        raise LineError(
            head.rows[0][0], "expected words and labels, got numbers and words; add the labels"
        )
    return layout


def _is_comments(head: Head) -> bool:
    """Whether there is nothing but the comments of a table."""
    is_text = not head.labelled and not any(_METADATA.match(line) for _, line in head.filled)
    return not head.rows and not is_text


def _read_text(head: Head, _: object) -> Layout:
    layout, doubt, rows = head.columns, "", head.rows
    if layout and len(layout.names) > 1:
        cells, by_tabs = head.cells, layout.separator == "\t"
        ends = sum(row[-1][-1:] in _SENTENCE_ENDS for row in cells)
        if (by_tabs and 2 * len(cells) > len(rows)) or (
            10 <= len(rows) == len(cells) and 10 * ends < len(rows)
        ):
            by = COLUMNS_BY[layout.separator]
            doubt = f"most lines have {len(layout.names)} columns separated by {by}"
    return Layout(TEXT, (TEXT,), doubt=doubt)


TABLE: tuple[KnownLayout, ...] = (
    KnownLayout(
        "JSON lines of words and labels",
        '{"tokens": ["Ada", "sang"], "tags": ["B-PER", "O"]}',
        _json_words,
        _read_json_words,
        kind="jsonl",
    ),
    KnownLayout(
        "JSON lines of texts",
        '{"text": "Ada sang."}',
        _json_text,
        lambda head, key: Layout(JSON, (key,), is_array=head.is_array),
        kind="jsonl",
        shown=False,
    ),
    KnownLayout("JSON of another kind", '{"data": 1}', _other_json, None, kind="jsonl"),
    KnownLayout(
        "brat's .ann",
        "T1\tPER 0 3\tAda\nT2\tLOC 11 15\tRome",
        lambda head: _BRAT.match(head.filled[0][1]),
        None,
        "annotations of brat, which hold no text; name the .ann with its .txt beside it",
    ),
    KnownLayout(
        "CoNLL-U Plus",
        "# global.columns = ID FORM NER\n1\tAda\tB-PER\n2\tsang\tO",
        _plus,
        _read_plus,
        kind="conllu",
    ),
    KnownLayout(
        "PubTator",
        "1|t|Ada sang.\n1\t0\t3\tAda\tPER\t-",
        lambda head: any(_PUBTATOR.match(line) for _, line in head.rows[:2]),
        None,
        "the format is PubTator, which is not read; write each text and its spans as a line of "
        'JSON, {{"text": "…", "spans": [{{"start": 0, "end": 3, "label": "PER"}}]}}',
    ),
    KnownLayout(
        "comments",
        "# text = Ada sang",
        _is_comments,
        lambda head, _: Layout(COLUMNS, ("1", "2")),
        shown=False,
    ),
    KnownLayout(
        "CoNLL-U",
        "# text = Ada sang\n1\tAda\tAda\tPROPN\tNNP\t_\t2\tnsubj\t_\t_\n"
        "2\tsang\tsing\tVERB\tVBD\t_\t0\troot\t_\t_",
        _is_conllu,
        _read_columns,
        kind="conllu",
    ),
    KnownLayout(
        "CoNLL-U with spaces for tabs",
        "1 Ada Ada PROPN NNP _ 2 nsubj _ _\n2 sang sing VERB VBD _ 0 root _ _",
        _is_spaced_conllu,
        None,
        "CoNLL-U with spaces where its tabs should be; put a tab in place of each run of spaces "
        "in the lines of words",
    ),
    KnownLayout(
        "words joined to their labels",
        "Ada|NNP|B-PER sang|VBD|O",
        _joined,
        None,
        f"words and labels are joined by {{}} on this line; {WRITE_COLUMNS}",
    ),
    KnownLayout(
        "columns separated by commas",
        "Ada,NNP,B-PER\nsang,VBD,O",
        _commas,
        None,
        "the columns are separated by {}",
    ),
    KnownLayout(
        "sentences with their labels on one line",
        "Ada sang\tB-PER O",
        _is_sentence_a_line,
        None,
        f"a whole sentence and its labels stand on this line; {WRITE_COLUMNS}",
    ),
    KnownLayout(
        "columns separated by tabs",
        "Ada\tB-PER\nsang\tO",
        lambda head: _is_columns(head) and head.columns.separator == "\t",
        _read_columns,
        kind="columns",
    ),
    KnownLayout(
        "columns separated by spaces",
        "Ada NNP B-PER\nsang VBD O",
        _is_columns,
        _read_columns,
        kind="columns",
    ),
    KnownLayout(
        "text",
        "Ada sang a song.",
        lambda head: not head.labelled,
        _read_text,
        kind="text",
        shown=False,
    ),
)
"""From the surest to those that take what is left."""
