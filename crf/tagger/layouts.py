"""How files of sentences are laid out: one ordered table, asked by every command and by the app.

The first row of `TABLE` that fits a file's first lines says how the file is read, or why it is
refused and what to do. Each row has an example, by which `tests/tagger/test_layouts.py` tries it,
and which is shown where no row fits.
"""

import difflib
import re
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from ..strict_json import JsonError, read_json
from .first_lines import Head, commas, is_sentence_a_line, is_spaced_conllu, joined
from .formats import (
    COLUMNS,
    COLUMNS_BY,
    CONLLU,
    CONLLU_COLUMNS,
    JSON,
    PLUS,
    SPANS_EXAMPLE,
    TEXT,
    WRITE_COLUMNS,
    Layout,
    parse_object,
)
from .lines import MAX_LINE, LineError
from .span_formats import SPAN_KEYS, key_of_text, rows_of, span_key

_FIRST_OBJECTS = 20  # in which spans are looked for
_LIKE_JSON = re.compile(r"\s*(\[\s*)?\{\s*(\"|$)|\s*\[\s*$")  # but not the word "{" and its label
_LIKE_ARRAY = re.compile(r"\s*\[\s*[\[\"]")
_METADATA = re.compile(r"#\s*[\w.:]+\s*=|-DOCSTART-")
_BRAT = re.compile(r"T\d+\t\S+ \d+ \d+(;\d+ \d+)*\t")
_PUBTATOR = re.compile(r"\d+\|[ta]\|")
_SENTENCE_ENDS = tuple('.?!…:"”’)。？！')


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
    return key_of_text(head.fields, head.words) if not head.labelled and _is_json(head) else ""


def _json_spans(head: Head) -> tuple[str, str] | None:
    """The keys of a text and of the spans in it."""
    if not head.labelled or not _is_json(head):
        return None
    text = key_of_text(head.fields, head.words)
    first = [parse_object(*line) for line in islice(head.objects(), _FIRST_OBJECTS)] if text else []
    if head.column:
        first = [{head.column: fields.get(head.column)} for fields in first]
    key = span_key(first, (head.column,) if head.column else SPAN_KEYS)
    return (text, key) if key else None


def _read_json_spans(head: Head, found: tuple[str, str]) -> Layout:
    text, key = found
    how = partial(rows_of, text_key=text, key=key, tokeniser=head.tokeniser, align=head.align)
    return Layout(JSON, found, is_array=head.is_array, of_object=how)


def _other_json(head: Head) -> str:
    if not _is_json(head):
        return ""
    expected = (
        'lists of equal length, {"tokens": […], "tags": […]}, or a text and the spans in it, '
        f"{SPANS_EXAMPLE}"
    )
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
        "JSON lines of texts and their spans",
        '{"text": "Ada sang", "spans": [{"start": 0, "end": 3, "label": "PER"}]}',
        _json_spans,
        _read_json_spans,
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
        is_spaced_conllu,
        None,
        "CoNLL-U with spaces where its tabs should be; put a tab in place of each run of spaces "
        "in the lines of words",
    ),
    KnownLayout(
        "words joined to their labels",
        "Ada|NNP|B-PER sang|VBD|O",
        joined,
        None,
        f"words and labels are joined by {{}} on this line; {WRITE_COLUMNS}",
    ),
    KnownLayout(
        "columns separated by commas",
        "Ada,NNP,B-PER\nsang,VBD,O",
        commas,
        None,
        "the columns are separated by {}",
    ),
    KnownLayout(
        "sentences with their labels on one line",
        "Ada sang\tB-PER O",
        is_sentence_a_line,
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
