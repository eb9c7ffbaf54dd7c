"""A problem in a link: plain values in the URL's query, readable, compact and checked.

    t=DET~NOUN&w=the~man&e=5_-3~-3_2.5&a=-3_1~0_-2.5&s=0_x&z=0_0

    t  tags            w  tokens, in order
    e  emissions, a row for each token          s  start        z  end
    a  transitions, a row for each tag; or
    p  transitions for each step, the rows of all matrices one after another; "-" if no step is

"~" stands between names and between rows, "_" between the numbers of a row; x is −∞. In a name
"~" is written *1 and "*" is written *0. Numbers keep six significant digits and lose the 0 before
the point; a table of zeros is left out. Whatever comes from a link is checked like anything typed.
"""

import math
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any
from urllib.parse import urlencode

from pages.shared.course.problem import Matrix, Problem, ProblemError, Row
from pages.shared.course.problem_checks import LARGEST_TAGS, LARGEST_TOKENS, phrase, refuse, short
from pages.shared.course.typed_numbers import LINK_DIGITS
from pages.shared.course.words import say

KEYS = ("t", "w", "e", "a", "p", "s", "z")
MAX_LINK = 1_800  # characters of the encoded query; every browser and messenger takes that
_NO_ROWS = "-"
_NUMBER = re.compile(r"-?(?:[0-9]{1,9}(?:\.[0-9]{0,17})?|\.[0-9]{1,17})(?:e-?[0-9]{1,3})?")


def to_query(problem: Problem) -> dict[str, str]:
    """The problem as values for a URL's query, not yet percent-encoded; it keeps six digits.

    Raises:
        ProblemError: Encoded, they are longer than `MAX_LINK` characters.
    """
    matrices: Any = problem.transitions
    moves = {"p": tuple(chain.from_iterable(matrices))} if problem.per_step else {"a": matrices}
    rows = {"e": problem.emissions, **moves, "s": (problem.start,), "z": (problem.end,)}
    query = {"t": _write_names(problem.tags), "w": _write_names(problem.tokens)}
    for key, table in rows.items():
        if key == "p" or any(value != 0 for row in table for value in row):
            query[key] = "~".join("_".join(map(_write_number, row)) for row in table) or _NO_ROWS
    _check_length(query, say("link.problem"))
    return query


def _check_length(query: Mapping[str, str], advice: str) -> None:
    length = len(urlencode(query, errors="replace"))
    if length > MAX_LINK:
        raise refuse("link", f"at most {MAX_LINK:,} characters", f"{length:,}", advice)


def from_query(mapping: Mapping[str, Any]) -> Problem:
    """The problem of a link, of which nothing is trusted; keys other than `KEYS` are left alone.

    Raises:
        ProblemError: A value is missing, too long, or not what `to_query` writes.
    """
    query = {key: mapping[key] for key in KEYS if key in mapping}
    for key, value in query.items():
        if not isinstance(value, str):
            raise _damaged(f"link, {key}", "text", type(value).__name__)
    _check_length(query, "load a file instead")
    for key in ("t", "w"):
        if key not in query:
            raise _damaged("link", f"names under {key}", "none")
    if "a" in query and "p" in query:
        raise _damaged("link", "transitions under a or p", "both")

    tags, tokens = _read_names("t", query["t"]), _read_names("w", query["w"])
    S, m = len(tags), len(tokens)
    if S > LARGEST_TAGS or m > LARGEST_TOKENS:
        most = f"at most {LARGEST_TAGS} tags and {LARGEST_TOKENS} tokens"
        raise refuse("link", most, f"{S} and {m}", "leave some out")
    transitions: Any = _read_rows(query, "a", S, S)
    if "p" in query:
        rows = _read_rows(query, "p", (m - 1) * S, S)
        transitions = tuple(rows[k * S : (k + 1) * S] for k in range(m - 1))
    try:
        return Problem(
            tags=tags,
            tokens=tokens,
            emissions=_read_rows(query, "e", m, S),
            transitions=transitions,
            start=_read_rows(query, "s", 1, S)[0],
            end=_read_rows(query, "z", 1, S)[0],
        )
    except ProblemError as error:
        message, link = str(error), phrase("link")
        raise ProblemError(message if message.startswith(link) else f"{link}, {message}") from None


def _damaged(where: str, expected: str, got: str) -> ProblemError:
    return refuse(where, expected, got, "copy the whole link")


def _write_names(names: tuple[str, ...]) -> str:
    return "~".join(name.replace("*", "*0").replace("~", "*1") for name in names)


def _read_names(key: str, text: str) -> tuple[str, ...]:
    if re.search(r"\*(?![01])", text):
        raise _damaged(f"link, {key}", "*0 or *1 after a *", short(text))
    return tuple(name.replace("*1", "~").replace("*0", "*") for name in text.split("~"))


def _write_number(value: float) -> str:
    """The shortest way to write it with six significant digits.

    >>> [_write_number(x) for x in (-0.5, 1e6, 1e-7, 2.0, 1 / 3, -math.inf)]
    ['-.5', '1e6', '1e-7', '2', '.333333', 'x']
    """
    if value == -math.inf:
        return "x"
    text = f"{value:.{LINK_DIGITS}g}"
    text = re.sub(r"e([+-])0*", lambda m: "e" + m[1].strip("+"), text)
    return "0" if float(text) == 0 else re.sub(r"^(-?)0\.", r"\1.", text)


def _read_rows(query: Mapping[str, str], key: str, height: int, width: int) -> Matrix:
    if key not in query:
        return ((0.0,) * width,) * height
    rows = query[key].split("~") if query[key] != _NO_ROWS else []
    if len(rows) != height:
        raise _damaged(f"link, {key}", f"{height} rows", str(len(rows)))
    return tuple(_read_row(f"link, {key}, row {k + 1}", row, width) for k, row in enumerate(rows))


def _read_row(where: str, text: str, width: int) -> Row:
    cells = text.split("_")
    if len(cells) != width:
        raise _damaged(where, f"{width} numbers", str(len(cells)))
    for cell in cells:
        if cell != "x" and not _NUMBER.fullmatch(cell):
            raise _damaged(where, "a number, or x for −∞", short(cell))
    return tuple(-math.inf if cell == "x" else float(cell) for cell in cells)
