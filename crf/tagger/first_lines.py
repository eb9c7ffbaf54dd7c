"""A file's first lines, and the questions that tell layouts apart; `layouts` asks them in order."""

import csv
from collections.abc import Collection
from functools import cached_property
from itertools import chain
from typing import Any

from ..schemes import OUTSIDE, has_letter
from .cells import are_surely_labels, are_tags
from .column_layouts import MAX_COLUMNS, columns_layout, is_table
from .formats import (
    CONLLU_COLUMNS,
    DOCSTART,
    Layout,
    Lines,
    array_objects,
    is_number,
    is_plain_list,
    parse_object,
)

TOKEN_KEYS = ("tokens", "words")


class Head:
    """A file's first lines, and what is asked of them.

    Args:
        lines: With their numbers.
        words: The key of the words, if the file is JSON.
        tags: Of the tagger that is to be used, if any.
        labelled: Whether the words must have labels.
        column: The key of the labels or spans, if the file is JSON.
        tokeniser: It splits a text whose spans are labelled.
        align: What to do with spans that do not begin and end where words do.
    """

    def __init__(
        self,
        lines: Lines,
        words: str = "",
        tags: Collection[str] = (),
        *,
        labelled: bool = True,
        column: str = "",
        tokeniser: str = "unicode",
        align: str = "strict",
    ) -> None:
        self.column, self.tokeniser, self.align = column, tokeniser, align
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


def is_spaced_conllu(head: Head) -> bool:
    """Whether lines are CoNLL-U's ten columns, but for spaces where its tabs should be."""
    rows = [line.split() for _, line in head.rows]
    ten = [row for row in rows if len(row) == len(CONLLU_COLUMNS) and row[0][:1].isdecimal()]
    heads = [row for row in ten if is_number(row[6]) or row[6] == "_"]
    return 2 * len(heads) > len(rows) and ten[0][0].partition("-")[0] == "1"


def commas(head: Head) -> str:
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


def is_sentence_a_line(head: Head) -> bool:
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


def joined(head: Head) -> str:
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
