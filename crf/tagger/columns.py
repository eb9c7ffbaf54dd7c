"""Which column of a file holds the labels: asked for, or found by what is in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from ..schemes import has_letter, scheme_of_tags
from .formats import COLUMNS, CONLLU, JSON, Layout
from .lines import DataFileError

LABEL_KEYS = ("tags", "ner_tags", "labels", "pos_tags", "upos")
ODD = 0.5  # share of a column of labels that may be something else: it is refused, not passed over
_NOTHING = {"_", "-", "*", ""}


class FileColumn(NamedTuple):
    """A column of a file of tagged sentences."""

    name: str  # FORM, UPOS, …; 1, 2, …; the key of a JSON list. What `column=` takes.
    examples: tuple[str, ...]  # up to five different values of the first lines
    scheme: str | None
    """The label scheme that the values of the first lines follow, but for a few, if any."""

    @property
    def is_label_like(self) -> bool:
        """Whether the values look like labels of spans."""
        return self.scheme is not None or self.examples == ("O",)


class ColumnChoice(NamedTuple):
    """The column of the labels, and how the file is read then."""

    layout: Layout
    columns: tuple[FileColumn, ...]
    label: int
    notes: list[str]


def choose(
    layout: Layout, rows: Sequence[Sequence[str]], asked: str = "", tags: Sequence[str] = ()
) -> ColumnChoice:
    """Choose the column of the labels by the cells of a file's first words.

    It is the one asked for by its name or number; else the one that holds most of a tagger's tags;
    else the format's default.

    Raises:
        DataFileError: There is no such column.
    """
    columns = tuple(_column(name, [r[n] for r in rows]) for n, name in enumerate(layout.names))
    notes = []
    labels_first = [column.is_label_like for column in columns] == [True, False]
    if layout.kind == COLUMNS and labels_first and asked in ("", "1"):
        layout = replace(layout, word=1)
        notes.append("the labels stand before the words")
    if layout.numbered and layout.kind == COLUMNS:
        notes.append("column 1 counts the words and is left out")
    skipped = {layout.word, 0 if layout.numbered else layout.word}
    free = [n for n in range(len(columns)) if n not in skipped]
    if asked:
        label = _asked(layout, free, asked)
    else:
        label, known = _default(layout, columns, free), set(tags)
        shares = {n: sum(cells[n] in known for cells in rows) for n in free}
        if any(shares.values()):
            label = max(free, key=lambda n: (shares[n], n == label))
    others = [columns[n].name for n in free if n != label and columns[n].is_label_like]
    if layout.kind == COLUMNS and others and not asked:
        notes.append(f"column {', '.join(others)} looks like labels, too")
    by = "spaces" if layout.separator == " " else "tabs"
    told = (
        f"read as {layout.kind}{f' separated by {by}' if layout.kind == COLUMNS else ''}: words "
        f"from column {layout.names[layout.word]}, labels from column {layout.names[label]}"
    )
    return ColumnChoice(layout, columns, label, [told, *notes])


def _column(name: str, cells: Sequence[str]) -> FileColumn:
    counts = Counter(cells)
    labels = {cell for cell in counts if has_letter(cell)}
    odd = sum(n for cell, n in counts.items() if cell not in labels and cell)
    scheme = scheme_of_tags(labels) if odd <= ODD * len(cells) else None
    return FileColumn(name, tuple(islice(counts, 5)), scheme)


def _asked(layout: Layout, free: Sequence[int], asked: str) -> int:
    names = [name.upper() for name in layout.names]
    place = names.index(asked.upper()) if asked.upper() in names else -1
    if place < 0 and asked.isascii() and asked.isdecimal():
        place = int(asked[:4]) - 1
    if place not in free:
        expected = ", ".join(layout.names[n] for n in free)[:200]
        raise DataFileError(f"column: expected one of {expected}, got {asked[:40]!r}")
    return place


def _default(layout: Layout, columns: Sequence[FileColumn], free: Sequence[int]) -> int:
    by_name = {columns[n].name: n for n in free}
    if layout.kind == CONLLU and "UPOS" in by_name:
        return by_name["UPOS"]
    if layout.kind == JSON and (keys := [key for key in LABEL_KEYS if key in by_name]):
        return by_name[keys[0]]
    label_like = [n for n in free if columns[n].is_label_like]
    filled = [n for n in free if set(columns[n].examples) - _NOTHING]
    return (label_like or filled or list(free))[-1]
