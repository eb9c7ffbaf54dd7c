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
import math
import re
from collections.abc import Iterable, Sequence
from itertools import chain, zip_longest
from typing import Any, cast

from crf.figures.numbers import exact
from crf.strict_json import write_json
from pages.shared.course.json_files import read_object, text_of
from pages.shared.course.problem import Problem, Row
from pages.shared.course.problem_checks import refuse, short
from pages.shared.course.typed_numbers import parse_score

FORMAT, VERSION = "linear-chain problem", 1
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
    if isinstance(value, tuple):
        nested = bool(value) and isinstance(value[0], tuple)
        return "[" + (",\n  " if nested else ", ").join(map(_json, value)) + "]"
    if value == -math.inf:
        return '"-inf"'
    return exact(value) if isinstance(value, float) else write_json(value)


def from_json(content: str | bytes) -> Problem:
    """The problem in the text of a JSON file.

    Raises:
        ProblemError: Too large, not JSON (with line and column), or a field is missing, unknown or
            wrong (with its name and index).
    """
    data = read_object(content, FORMAT, VERSION, FIELDS)
    scores = {name: _minus_infinities(data[name]) for name in FIELDS[2:]}
    return Problem(data["tags"], data["tokens"], **scores)


def _minus_infinities(value: Any, depth: int = 3) -> Any:
    if isinstance(value, list) and depth:
        return [_minus_infinities(entry, depth - 1) for entry in value]
    return -math.inf if value == "-inf" else value


# ---------------------------------------------------------------------- CSV


def to_csv(problem: Problem, table: str) -> str:
    """One of the `CSV_TABLES` of the problem as the text of a CSV file."""
    head, names, scores = _layout(problem, table)
    return rows_to_csv([head, *([*name, *row] for name, row in zip(names, scores, strict=True))])


def _layout(problem: Problem, table: str) -> tuple[list[str], list[list[str]], Sequence[Row]]:
    """The header of a table's file, the names before each row, and the rows."""
    tags, matrices = [[tag] for tag in problem.tags], problem.transitions
    if table == "emissions":
        lead, names, rows = ["token"], [[token] for token in problem.tokens], problem.emissions
    elif table == "start_end":
        lead, names, rows = ["score"], [["start"], ["end"]], (problem.start, problem.end)
    elif table != "transitions":
        raise refuse("table", f"one of {', '.join(CSV_TABLES)}", short(table), "name one of these")
    elif problem.per_step:
        steps = range(1, len(problem.tokens))
        lead, names = ["step", "from"], [[str(t), *tag] for t in steps for tag in tags]
        rows = list(chain.from_iterable(matrices))
    else:
        lead, names, rows = ["from"], tags, matrices
    return [*lead, *problem.tags], names, cast("Sequence[Row]", rows)


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
    """The problem with one table read from the text of a CSV file; its tags have to be the same.

    Raises:
        ProblemError: The table cannot be used; the message has the line and the column's name.
    """
    header, labels, _ = _layout(problem, table)
    lead = len(header) - len(problem.tags)
    lines = _lines(content)
    _check_header(header, *(lines[0] if lines else (1, [])))
    read = [(line, *_read_row(line, row, header, lead)) for line, row in lines[1:]]
    scores = tuple(row for *_, row in read)
    if table == "emissions":
        return problem.with_changes(
            tokens=tuple(names[0] for _, names, _ in read), emissions=scores
        )
    for (line, names, _), expected in zip(read, labels, strict=False):
        if names != expected:
            right, got = repr(",".join(expected)), short(",".join(names))
            raise refuse(f"line {line}", right, got, "order them so")
    if len(read) != len(labels):
        raise refuse("file", f"{len(labels)} rows", str(len(read)), "give one for each name")
    if table == "start_end":
        return problem.with_changes(start=scores[0], end=scores[1])
    if problem.per_step:
        S = len(problem.tags)
        scores = tuple(scores[k : k + S] for k in range(0, len(scores), S))
    return problem.with_changes(transitions=scores)


def _lines(content: str | bytes) -> list[tuple[int, list[str]]]:
    """The rows of a file with the numbers of their lines; blank lines are left out."""
    reader = csv.reader(io.StringIO(text_of(content), newline=""), strict=True)
    try:
        return [(reader.line_num, [_as_written(x.strip()) for x in row]) for row in reader if row]
    except csv.Error as error:
        where = f"line {reader.line_num}"
        raise refuse(where, "cells separated by commas", str(error), "fix that line") from None


def _check_header(header: list[str], line: int, got: list[str]) -> None:
    for k, (name, cell) in enumerate(zip_longest(header, got[: len(header)])):
        if cell != name:
            columns = ",".join(header)
            columns = columns if len(columns) <= _MOST_SHOWN else columns[: _MOST_SHOWN - 1] + "…"
            text = "nothing" if cell is None else short(cell)
            where = f"line {line}, column {k + 1}"
            raise refuse(where, repr(name), text, f"name the columns {columns}")


def _read_row(
    line: int, row: list[str], header: list[str], lead: int
) -> tuple[list[str], tuple[float, ...]]:
    if len(row) != len(header):
        raise refuse(f"line {line}", f"{len(header)} cells", str(len(row)), "one for each column")
    columns = zip(header[lead:], row[lead:], strict=True)
    return row[:lead], tuple(parse_score(x, f"line {line}, column {name}") for name, x in columns)
