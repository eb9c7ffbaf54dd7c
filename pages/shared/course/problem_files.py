"""Problems as files: one JSON file for the whole, a CSV file for each table, and links.

JSON, version 1. −∞ is the string "-inf"; numbers read back exactly; no other field is allowed:

    {"format": "linear-chain problem", "version": 1,
     "tags": [S names], "tokens": [m names],
     "emissions": [m rows of S], "transitions": [S rows of S] or [m-1 matrices],
     "start": [S], "end": [S]}

CSV, a header row with names, comma-separated, UTF-8; a score may be typed as in `parse_score`:

    emissions      token,DET,NOUN        a row for each token, which may differ from the problem's
    transitions    from,DET,NOUN         a row for each tag; with one matrix for each step
                   step,from,DET,NOUN    the steps 1, 2 … (step 1 leads into the second token)
    start_end      score,DET,NOUN        a row "start" and a row "end"

A name that a spreadsheet would take for a formula is written with an apostrophe before it, which
is taken off again on reading.
"""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pages.shared.course.numbers import exact, parse_score
from pages.shared.course.problem import Problem, ProblemError
from pages.shared.course.problem_checks import refuse, short
from pages.shared.course.problem_links import MAX_LINK, from_query, to_query

__all__ = [
    "CSV_TABLES",
    "MAX_FILE",
    "MAX_LINK",
    "from_csv",
    "from_json",
    "from_query",
    "rows_to_csv",
    "to_csv",
    "to_json",
    "to_query",
]

FORMAT, VERSION = "linear-chain problem", 1
MAX_FILE = 1_000_000  # bytes; the largest problem needs about half of that
_MOST_SHOWN = 300  # characters of a header in a message
FIELDS = ("tags", "tokens", "emissions", "transitions", "start", "end")
CSV_TABLES = ("emissions", "transitions", "start_end")


# ---------------------------------------------------------------------- JSON


def to_json(problem: Problem) -> str:
    """The problem as the text of a JSON file, a row of a table on each line."""
    fields = [f'"format": "{FORMAT}"', f'"version": {VERSION}']
    fields += [f'"{name}": {_json(getattr(problem, name))}' for name in FIELDS]
    return "{\n " + ",\n ".join(fields) + "\n}\n"


def _json(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "[" + ",\n  ".join(map(_json, value)) + "]"
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    if value == -math.inf:
        return '"-inf"'
    return exact(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def from_json(content: str | bytes) -> Problem:
    """The problem in the text of a JSON file.

    Raises:
        ProblemError: Too large, not JSON (with line and column), or a field is missing, unknown or
            wrong (with its name and index).
    """
    text = _text(content)
    try:
        data = json.loads(text, object_pairs_hook=_no_field_twice, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise ProblemError(
            f"line {error.lineno}, column {error.colno}: this is not JSON: {_said(error.msg)}; "
            "mend it there, or save the problem again"
        ) from None
    except ProblemError:
        raise
    except (
        RecursionError,
        ValueError,
    ):  # nested thousands deep, or a number of thousands of digits
        raise refuse("file", "a table of scores", "something else", "save it again") from None
    if not isinstance(data, dict):
        raise refuse("file", "an object of fields", type(data).__name__, "save the problem again")
    known = {"format", "version", *FIELDS}
    for name in data:
        if name not in known:
            raise refuse(
                "file", f"the fields {', '.join(FIELDS)}", short(name), "remove that field"
            )
    for name, wanted in (("format", FORMAT), ("version", VERSION)):
        if name not in data:
            raise refuse("file", "a problem saved here", f"no “{name}” field", "load one of those")
        if data.get(name) != wanted or isinstance(data.get(name), bool):
            raise refuse(name, repr(wanted), short(data.get(name)), "load a file of this kind")
    for name in FIELDS:
        if name not in data:
            raise refuse(name, "a field of this name", "none", "add it")
    scores = {name: _minus_infinities(data[name]) for name in FIELDS[2:]}
    return Problem(data["tags"], data["tokens"], **scores)


def _said(message: str) -> str:
    """What Python says of bad JSON, in the words of the other messages.

    >>> _said("Expecting property name enclosed in double quotes"), _said("Extra data")
    ('a property name enclosed in double quotes is missing', 'extra data')
    """
    what = message.removeprefix("Expecting ")
    if what == message:
        return message[:1].lower() + message[1:]
    return f"{what if what.startswith(chr(39)) else 'a ' + what} is missing"


def _text(content: str | bytes) -> str:
    size = len(content) if isinstance(content, bytes) else len(content.encode(errors="replace"))
    if size > MAX_FILE:
        raise refuse("file", f"at most {MAX_FILE:,} bytes", f"{size:,}", "load a smaller problem")
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else content
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1  # pyright: ignore  (these are bytes)
        raise ProblemError(
            f"line {line}: expected UTF-8, got another encoding; save it as UTF-8"
        ) from None
    return text.removeprefix("\ufeff")


def _no_field_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise refuse("file", "each field once", f"{short(twice)} twice", "remove one of them")
    return fields


def _no_constant(name: str) -> Any:
    raise refuse("file", 'numbers, and "-inf" in quotes', name, 'write "-inf" to forbid')


def _minus_infinities(value: Any, depth: int = 3) -> Any:
    if isinstance(value, list) and depth:
        return [_minus_infinities(entry, depth - 1) for entry in value]
    return -math.inf if value == "-inf" else value


# ---------------------------------------------------------------------- CSV


def to_csv(problem: Problem, table: str) -> str:
    """One table of the problem as the text of a CSV file.

    Args:
        problem: The problem.
        table: One of `CSV_TABLES`.

    Raises:
        ProblemError: There is no such table.
    """
    _check_csv_table(table)
    transitions: Any = problem.transitions
    if table == "emissions":
        header = ["token"]
        rows = [[w, *row] for w, row in zip(problem.tokens, problem.emissions, strict=True)]
    elif table == "start_end":
        header = ["score"]
        rows = [["start", *problem.start], ["end", *problem.end]]
    elif problem.per_step:
        header = ["step", "from"]
        rows = [
            [str(t), tag, *row]
            for t, matrix in enumerate(transitions, start=1)
            for tag, row in zip(problem.tags, matrix, strict=True)
        ]
    else:
        header = ["from"]
        rows = [[tag, *row] for tag, row in zip(problem.tags, transitions, strict=True)]
    return rows_to_csv([[*header, *problem.tags], *rows])


def rows_to_csv(rows: Iterable[Sequence[str | float]]) -> str:
    """Any table as the text of a CSV file: names made harmless, numbers exact, −∞ as -inf."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [_harmless(cell) if isinstance(cell, str) else exact(float(cell)) for cell in row]
        for row in rows
    )
    return out.getvalue()


def _harmless(name: str) -> str:
    """A name that no spreadsheet computes: =, +, -, @ and their like get an apostrophe in front."""
    return f"'{name}" if re.match(r"'*[=+\-@|%\t\r\n＝＋－＠]", name) else name


def _as_written(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and _harmless(cell[1:]) == cell else cell


def from_csv(problem: Problem, table: str, content: str | bytes) -> Problem:
    """The problem with one table read from the text of a CSV file.

    Args:
        problem: It says which tags there are; the file has to have them, in the same order.
        table: One of `CSV_TABLES`.
        content: The file.

    Raises:
        ProblemError: The table cannot be used; the message has the line and the column's name.
    """
    _check_csv_table(table)
    reader = csv.reader(io.StringIO(_text(content), newline=""), strict=True)
    try:
        lines = [
            (reader.line_num, [_as_written(cell.strip()) for cell in row]) for row in reader if row
        ]
    except csv.Error as error:
        raise refuse(
            f"line {reader.line_num}", "cells separated by commas", str(error), "mend that line"
        ) from None
    kinds = {"emissions": ["token"], "transitions": ["from"], "start_end": ["score"]}
    lead = ["step", "from"] if table == "transitions" and problem.per_step else kinds[table]
    header = [*lead, *problem.tags]
    at, got = lines[0] if lines else (1, [])
    for k, name in enumerate(header):
        if k >= len(got) or got[k] != name:
            cell = short(got[k]) if k < len(got) else "nothing"
            columns = ",".join(header)
            columns = columns if len(columns) <= _MOST_SHOWN else columns[: _MOST_SHOWN - 1] + "…"
            raise refuse(
                f"line {at}, column {k + 1}", repr(name), cell, f"name the columns {columns}"
            )
    read = [(line, *_read_row(line, row, header, len(lead))) for line, row in lines[1:]]

    if table == "emissions":
        tokens, scores = [names[0] for _, names, _ in read], tuple(row for *_, row in read)
        return problem._with(tokens=tuple(tokens), emissions=scores)
    S, tags = len(problem.tags), list(problem.tags)
    wanted = [["start"], ["end"]] if table == "start_end" else [[tag] for tag in tags]
    if lead[0] == "step":
        wanted = [[str(t), tag] for t in range(1, len(problem.tokens)) for tag in tags]
    for (line, names, _), expected in zip(read, wanted, strict=False):
        if names != expected:
            raise refuse(
                f"line {line}", repr(",".join(expected)), short(",".join(names)), "order them so"
            )
    if len(read) != len(wanted):
        raise refuse("file", f"{len(wanted)} rows", str(len(read)), "give one for each name")
    scores = tuple(row for *_, row in read)
    if table == "start_end":
        return problem._with(start=scores[0], end=scores[1])
    if problem.per_step:
        scores = tuple(scores[k : k + S] for k in range(0, len(scores), S))
    return problem._with(transitions=scores)


def _read_row(
    line: int, row: list[str], header: list[str], lead: int
) -> tuple[list[str], tuple[float, ...]]:
    if len(row) != len(header):
        raise refuse(f"line {line}", f"{len(header)} cells", str(len(row)), "one for each column")
    columns = zip(header[lead:], row[lead:], strict=True)
    return row[:lead], tuple(parse_score(x, f"line {line}, column {name}") for name, x in columns)


def _check_csv_table(table: str) -> None:
    if table not in CSV_TABLES:
        raise refuse("table", f"one of {', '.join(CSV_TABLES)}", short(table), "name one of these")
