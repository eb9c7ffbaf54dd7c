"""Which format a file is in, and how its columns are laid out, by its first lines."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain

from ..schemes import has_letter
from ..strict_json import JsonError, read_json
from .cells import are_surely_labels, are_tags, describe
from .formats import (
    COLUMNS,
    COLUMNS_BY,
    CONLLU,
    CONLLU_COLUMNS,
    DOCSTART,
    JSON,
    PLUS,
    TEXT,
    Layout,
    Lines,
    array_objects,
    blocks,
    is_number,
    is_plain_list,
    parse_object,
)
from .lines import MAX_LINE, LineError

TOKEN_KEYS, TEXT_KEY = ("tokens", "words"), "text"
_FEW_COLUMNS = 8  # more words on each line are text, unless there are labels of spans or numbers
_MAX_COLUMNS = 100  # a table with more is read as text, or refused
_LIKE_JSON = re.compile(r"\s*(\[\s*)?\{\s*(\"|$)|\s*\[\s*$")  # but not the word "{" and its label
_LIKE_ARRAY = re.compile(r"\s*\[\s*[\[\"]")
_METADATA = re.compile(r"#\s*[\w.:]+\s*=|-DOCSTART-")
# Names in a header line; another cell of the line must name one of the columns beside the words.
WORD_NAMES = frozenset("token tokens word words form wordform".split())
_OTHER_NAMES = re.compile(
    r"#|id|idx|index|lemma|text|(u|x|c)?pos([ _-]?tags?)?|(ner?|chunk|iob2?|bio)([ _-].*)?"
    r"|(label|tag|entity|named[ _-]entity)s?([ _-].*)?",
    re.IGNORECASE,
)
_SENTENCE_ENDS = tuple('.?!…:"”’)。？！')
WRITE_COLUMNS = (
    "write one word on each line, a tab, its label, and a blank line after each sentence"
)


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
                    + (COLUMNS_BY[layout.separator])
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
    """Leave out the columns in front that hold numbers of words or of sentences."""
    width, left_out, counter, start = len(layout.names), list[int](), None, 1
    for place in range(width - 1):
        columns = [[row[place] for row in rows] for rows in table]
        if _is_document(columns) and width > 3:
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
    fields = parse_object(number, line)
    lists = {k: len(v) for k, v in fields.items() if is_plain_list(v) and k.isprintable()}
    keys = (words,) if words else TOKEN_KEYS
    word = next((key for key in keys if key in lists), "")
    of_text = words or TEXT_KEY
    if not (labelled or word) and isinstance(fields.get(of_text), str):
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
            f"{', '.join(map(ascii, fields))[:80] or 'none'}",
            "--words names the key of the words",
        )
    return Layout(JSON, tuple(names), names.index(word), is_array=is_array)
