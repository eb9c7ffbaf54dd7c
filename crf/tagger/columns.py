"""How a file is laid out: its format, and which columns hold the words and the labels."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from .. import schemes
from .cells import FileColumn, describe
from .formats import COLUMNS, CONLLU, JSON, TEXT, FileRows, Layout, Lines
from .layouts import Head, forced, recognise
from .lines import LineError

LABEL_KEYS = ("tags", "ner_tags", "labels", "pos_tags", "upos")
COUNTS = "labels of spans stand in several columns"  # so begins the note on them
NO_SENTENCE = "no sentence in it; expected CoNLL-U, columns of words and labels, or JSON lines"
LONG = 150  # words of a sentence, on average: more are no sentences
_NOTHING = {"_", "-", "*", ""}

SentenceCells = Sequence[Sequence[Sequence[str]]]  # sentences → words → cells


class ColumnChoice(NamedTuple):
    """The columns of the words and of the labels, and how the file is read then."""

    layout: Layout
    columns: tuple[FileColumn, ...]
    label: int | None  # None where no labels are read
    notes: list[str]


def recognised(
    head: Lines,
    *,
    column: str = "",
    words: str = "",
    tags: Sequence[str] = (),
    labelled: bool = True,
    kind: str = "auto",
    tokeniser: str = "unicode",
    align: str = "strict",
) -> ColumnChoice:
    """Recognise how a file is laid out, by its first lines: the same for every command.

    Args:
        head: The first lines with their numbers.
        column: Name or number of the column with the labels; default: see `TaggedFile`.
        words: Name or number of the column with the words; default: the first that is none of
            numbers or labels.
        tags: Of the tagger that is to be used.
        labelled: Whether labels are read; else, what looks like no format is text.
        tokeniser: It splits the texts of a file with spans.
        align: What to do with spans that do not begin and end where words do: see `span_formats`.
        kind: "auto"; or what the file is told to be, see `layouts.forced`.

    Raises:
        LineError: A line does not fit the format; there is no sentence, or no such column.
    """
    first = Head(
        head, words, tags, labelled=labelled, column=column, tokeniser=tokeniser, align=align
    )
    layout = recognise(first) if kind == "auto" else forced(kind, first)
    if layout.kind == TEXT:
        note = f"read as text, a sentence on each line, although {layout.doubt}"
        return ColumnChoice(layout, (), None, [note] if layout.doubt else [])
    table = [
        rows
        for rows in layout.sentences(head, are_first=True)
        if rows.numbers or rows.text is not None
    ]
    if not table:
        raise LineError(0, NO_SENTENCE)
    long = [] if any(rows.text is not None for rows in table) else _long_sentences(table)
    choice = _choose(
        layout,
        [rows.cells for rows in table],
        column=column,
        words=words,
        tags=tags,
        labelled=labelled,
    )
    if layout.kind == JSON and "brat" in first.fields:
        choice.notes[0] = "read as brat's .ann with the text beside it, a sentence on each line"
    choice.notes.extend(long)
    if layout.of_object:
        choice.notes.append(f"the texts are split by the tokeniser {tokeniser}")
    place = choice.layout.word
    if layout.kind == CONLLU and all(row[place] == "_" for rows in table for row in rows.cells):
        raise LineError(
            0,
            f"every {layout.names[place]} is _: a treebank without its words; its README says how "
            "to get them",
        )
    return choice


def _long_sentences(table: Sequence[FileRows]) -> list[str]:
    """A note, if what stands between blank lines is too long for sentences."""
    words = sum(len(rows.cells) for rows in table)
    if words < LONG * len(table):
        return []
    return [
        f"sentences of {words // len(table):,} words on average in the first lines: a blank line "
        "must follow each sentence, else training and accuracy by sentence mean little"
    ]


def _choose(
    layout: Layout,
    table: SentenceCells,
    *,
    column: str = "",
    words: str = "",
    tags: Collection[str] = (),
    labelled: bool = True,
) -> ColumnChoice:
    """Choose the columns of the words and of the labels by the cells of a file's first words.

    The labels are in the column that is asked for by its name or number; else in the one that holds
    most of a tagger's tags; else in the format's default.

    Raises:
        LineError: There is no such column.
    """
    layout, table = _with_features(layout, table, column)
    columns = tuple(
        describe(name, [[row[n] for row in rows] for rows in table])
        for n, name in enumerate(layout.names)
    )
    notes = [f"line {layout.header} names the columns"] if layout.header else []
    every = range(len(columns))
    if words:
        word = _place_of("words", layout, every, words)
        counter = None if word == layout.counter else layout.counter
        left_out = tuple(n for n in layout.left_out if n != word)
        layout = replace(layout, word=word, counter=counter, left_out=left_out)
    elif layout.kind == COLUMNS:
        layout = replace(layout, word=_word(layout, columns))
        if layout.word and columns[(layout.left_out or (-1,))[-1] + 1].is_label_like:
            notes.append("the labels stand before the words")
    if layout.left_out and layout.kind == COLUMNS:
        names = ", ".join(layout.names[n] for n in layout.left_out)
        what = "counts the words" if layout.left_out == (layout.counter,) else "holds no words"
        notes.append(f"column {names} {what} and is left out")
    skipped = {layout.word, layout.counter, *layout.left_out}
    free = [n for n in every if n not in skipped]
    note = f"read as {'a JSON array' if layout.is_array else layout.kind}"
    if layout.kind == COLUMNS and len(columns) > 1:
        note += f" separated by {'spaces' if layout.separator == ' ' else 'tabs'}"
    note += f": words from column {layout.names[layout.word]}"
    if not labelled:
        return ColumnChoice(layout, columns, None, [note, *notes])
    if not free:
        raise LineError(0, f"expected a column of labels beside the words, got {note[8:]}")
    if not column and all(set(columns[n].examples) <= _NOTHING for n in free):
        names = ", ".join(columns[n].name for n in free)
        raise LineError(0, f"no labels in it: every cell is empty in {names}; is it a masked file?")
    if column:
        label = _place_of("column", layout, free, column)
    else:
        label = _most_tagged(table, free, set(tags), _default(layout, columns, free), columns)
        types = columns[label].types
        if tags and types and schemes.OUTSIDE in tags and not types & _types(tags):
            some = ", ".join(sorted(types)[:5])
            notes.append(f"the tagger has none of the types of this column: {some}")
        others = [columns[n] for n in free if n != label and columns[n].is_label_like]
        if others and layout.kind == COLUMNS:
            counts = "; ".join(
                f"column {one.name} has {one.spans:,}" for one in (columns[label], *others)
            )
            notes.append(f"{COUNTS}: {counts} in the first lines")
    note += f", labels from column {layout.names[label]}"
    return ColumnChoice(layout, columns, label, [note, *notes])


def _most_tagged(
    table: SentenceCells,
    free: Sequence[int],
    tags: set[str],
    usual: int,
    columns: Sequence[FileColumn],
) -> int:
    """The column with most of a tagger's tags; O does not count, since every column may have it.

    If there is none: for a tagger of spans the column with most spans, else the usual one.
    """
    cells = {n: Counter(row[n] for rows in table for row in rows) for n in free}
    shares = {n: sum(cells[n][tag] for tag in tags - {schemes.OUTSIDE}) for n in free}
    best = max(free, key=lambda n: (shares[n], n == usual))
    if shares[best]:
        return best
    most = max(free, key=lambda n: (columns[n].spans, n == usual))
    return most if schemes.OUTSIDE in tags and columns[most].spans else usual


def _types(tags: Collection[str]) -> set[str]:
    """The types of a tagger's labels of spans."""
    return {schemes.split(tag).kind if schemes.has_letter(tag) else tag for tag in tags}


def _word(layout: Layout, columns: Sequence[FileColumn]) -> int:
    """The column that a header names, else the first that is not left out, empty or labels."""
    if layout.header:
        return layout.word
    free = [n for n in range(len(columns)) if n not in layout.left_out]
    free = [n for n in free if columns[n].examples != ("",)] or free
    if columns[free[0]].is_label_like:
        return next((n for n in free if not columns[n].is_label_like), free[0])
    return free[0]


def _with_features(
    layout: Layout, table: SentenceCells, choice: str
) -> tuple[Layout, SentenceCells]:
    """Add the columns within columns of CoNLL-U: one asked for as MISC:NER; labels of names."""
    if layout.kind != CONLLU:
        return layout, table
    for place, name in enumerate(layout.names):
        counts: dict[str, Counter[str]] = {}
        for cell in (
            [row[place] for rows in table for row in rows] if name in ("MISC", "FEATS") else ()
        ):
            for key, equals, value in (one.partition("=") for one in cell.split("|")):
                if equals:
                    counts.setdefault(key, Counter())[value] += 1
        for key, values in counts.items():
            is_asked = choice.upper() == f"{name}:{key}".upper()
            are_labels = describe("", [list(values)]).is_label_like
            if is_asked or (name == "MISC" and are_labels):
                missing = schemes.OUTSIDE if are_labels else "_"
                layout = replace(
                    layout,
                    names=(*layout.names, f"{name}:{key}"),
                    features=(*layout.features, (place, key, missing)),
                )
    if layout.features:
        table = [[layout.with_features(list(row)) for row in rows] for rows in table]
    return layout, table


def _place_of(option: str, layout: Layout, free: Sequence[int], choice: str) -> int:
    names = [name.upper() for name in layout.names]
    place = names.index(choice.upper()) if choice.upper() in names else -1
    if place < 0 and choice.isascii() and choice.isdecimal():
        place = int(choice[:4]) - 1
    if place not in free:
        expected = ", ".join(layout.names[n] for n in free)[:200]
        raise LineError(0, f"--{option}: expected one of {expected}, got {choice[:40]!r}")
    return place


def _default(layout: Layout, columns: Sequence[FileColumn], free: Sequence[int]) -> int:
    by_name = {columns[n].name: n for n in free}
    filled = [n for n in free if set(columns[n].examples) - _NOTHING]
    if layout.kind == CONLLU and by_name.get("UPOS") in filled:
        return by_name["UPOS"]
    if layout.kind == JSON and (keys := [key for key in LABEL_KEYS if key in by_name]):
        return by_name[keys[0]]
    label_like = [n for n in free if columns[n].is_label_like]
    names = [n for n in label_like if not columns[n].is_chunks] or label_like
    if names:
        # Of two kinds of names for the same spans, as in HIPE, the coarser.
        return max(names, key=lambda n: (columns[n].spans, -len(columns[n].types), n))
    return (filled or list(free))[-1]
