"""How columns are laid out: separator, header, counts in front; and whether they are columns."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from ..schemes import has_letter
from .cells import are_surely_labels, are_tags, describe
from .formats import (
    COLUMNS,
    CONLLU,
    CONLLU_COLUMNS,
    DOCSTART,
    WRITE_COLUMNS,
    Layout,
    Lines,
    blocks,
    is_number,
)
from .lines import LineError

_FEW_COLUMNS = 8  # more words on each line are text, unless there are labels of spans or numbers
MAX_COLUMNS = 100  # a table with more is read as text, or refused
# Names in a header line; another cell of the line must name one of the columns beside the words.
WORD_NAMES = frozenset("token tokens word words form wordform".split())
_OTHER_NAMES = re.compile(
    r"#|id|idx|index|lemma|text|(u|x|c)?pos([ _-]?tags?)?|(ner?|chunk|iob2?|bio)([ _-].*)?"
    r"|(label|tag|entity|named[ _-]entity)s?([ _-].*)?",
    re.IGNORECASE,
)


def is_table(
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
        has_words = 2 * sum(not any(map(str.isdigit, word)) for word in words) >= len(words)
        of_labels = [
            n
            for n in of_labels
            if (has_words and len(columns) <= _FEW_COLUMNS and n in (1, len(columns) - 1))
            or layout.left_out
            or describe("", [columns[n]]).is_label_like
        ]
    if of_labels:
        of_spans = any(describe("", [columns[n]]).is_label_like for n in of_labels)
        return of_spans or not all(map(are_tags, columns))  # but lines of capitals
    filled = [column for column in columns if any(column)]
    if len(filled) < 2:
        return False
    texts = list(chain.from_iterable(filled))
    is_split = 10 * sum(" " in cell for cell in texts) <= len(texts)
    if by_tabs and layout.counter is not None and not is_split:
        raise LineError(
            rows[0][0],
            f"expected a word in column {layout.word + 1}, got sentences; {WRITE_COLUMNS}",
        )
    return by_tabs and is_split


def columns_layout(head: Lines) -> Layout | None:
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
    if width > MAX_COLUMNS:
        return None
    names = tuple(str(n + 1) for n in range(width))
    has_header = len(cells[0]) == width and _is_header(cells[0], cells[1:])
    header = rows[0][0] if has_header else 0
    last_column = frozenset(row[-1] for row in cells[bool(header) :] if row)
    layout = replace(layout, names=names, known=last_column, header=header)
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
    """Leave out the columns in front that hold numbers of words or of sentences, or offsets."""
    width, left_out, counter, start = len(layout.names), list[int](), None, 1
    offsets = next((p for p in range(width - 3) if _are_offsets(table, p)), width)
    for place in range(width - 1):
        columns = [[row[place] for row in rows] for rows in table]
        if (_is_document(columns) and width > 3) or place in (offsets, offsets + 1):
            left_out.append(place)
            continue
        if not all(is_number(cell) for column in columns for cell in column):
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


def _are_offsets(table: Sequence[Sequence[list[str]]], place: int) -> bool:
    """Whether two columns hold the first character of each word and the one after its last."""
    for rows in table:
        pairs = [row[place : place + 2] for row in rows]
        if not all(is_number(cell) for pair in pairs for cell in pair):
            return False
        numbers = [int(cell) for pair in pairs for cell in pair]
        rises = all(start < end for start, end in zip(numbers[::2], numbers[1::2], strict=True))
        if not rises or numbers != sorted(numbers):
            return False
    return any(len(rows) > 1 for rows in table)


def _is_document(columns: Sequence[Sequence[str]]) -> bool:
    """Whether all cells are one path, as in the files of CoNLL-2011 and 2012."""
    cells = list(chain.from_iterable(columns))
    return len(cells) > 1 and len(set(cells)) == 1 and "/" in cells[0][1:]
