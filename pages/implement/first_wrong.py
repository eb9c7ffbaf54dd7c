"""The first wrong cell: what was pasted as a grid, what leads into the cell, what to say of it."""

import math
import re
from typing import Any, NamedTuple

from crf.figures.flow.payload import Payload
from crf.figures.numbers import decimal, format_score
from crf.lab import mistakes
from crf.lab.cells import FORMS, AnswerForm, convention_of
from crf.trace import FORMS as TRACED
from pages.implement import checking
from pages.implement.checking import (
    CONTROLS,
    GRIDS,
    QUANTITIES,
    TEXT,
    PastedVerdict,
    called,
    checked,
    instead,
    words,
)
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import phrase
from pages.shared.course.state import State
from pages.shared.figures.beat_text import BeatText
from pages.shared.figures.equation import equals, shown

AROUND, MOST_ROWS = 1, 6  # columns on either side of the framed cell; rows
ALGORITHMS = {"alpha": "forward", "beta": "backward", "delta": "viterbi"}
TURNED = "transitions transposed"
SHOWN = 0.005  # nats: less is not seen with two decimals
LITTLE = 0.25  # nats: what other terms may add to one that stands for a cell


class PastedPrint(NamedTuple):
    """The pasted numbers, and the verdict on them."""

    problem: Problem
    key: str
    form: AnswerForm
    text: str
    is_own: bool  # whether the reader has pasted it
    verdict: PastedVerdict


def _pasted_in(state: State) -> PastedPrint:
    problem, (key, own) = checked(state), state.control("pasted", CONTROLS)
    form = AnswerForm()
    if QUANTITIES[key].shape == "table":
        form = AnswerForm(state.control("space", CONTROLS), state.control("form", CONTROLS))
        if not checking.shape(problem, QUANTITIES[key], form)[0]:  # no word has a column
            form = form._replace(form="state")
    text = own or checking.sample(problem, key, form)
    verdict = checking.check(problem, key, text, form)
    return PastedPrint(problem, key, form, text, bool(own), verdict)


def _heads(paste: PastedPrint) -> tuple[list[str], list[str]]:
    """Names of the grid's columns and rows."""
    problem, shape = paste.problem, QUANTITIES[paste.key].shape
    tags, tokens = list(problem.tags), list(problem.tokens)
    if shape == "path":
        return tokens, [called(paste.key)]
    if shape == "transitions":
        return tags, tags
    if shape == "table":
        return tokens[convention_of(QUANTITIES[paste.key].function, paste.form.form).tokens], tags
    return tokens, tags


def _number_text(value: float, paste: PastedPrint) -> str:
    shape = QUANTITIES[paste.key].shape
    if shape == "path":
        tags = paste.problem.tags
        return tags[int(value)] if 0 <= value < len(tags) else f"{value:g}"
    return format_score(value) if abs(value) < 1e5 or math.isinf(value) else f"{value:.1e}"


def _window(paste: PastedPrint) -> tuple[list[int], list[int]]:
    """The columns and rows that are drawn: around the framed cell, those furthest off."""
    heads, names = _heads(paste)
    verdict, matrix = paste.verdict, QUANTITIES[paste.key].shape == "transitions"
    at = verdict.worst or (0, 0)
    first = min(max(at[0] - AROUND, 0), max(len(heads) - 2 * AROUND - 1, 0))
    columns = list(range(first, min(first + 2 * AROUND + 1, len(heads))))
    if matrix or QUANTITIES[paste.key].shape == "path":
        columns = list(range(min(len(heads), 2 * MOST_ROWS)))

    step, turned = _step(paste), _wrong_term(paste)
    wanted = {at[1]} | ({turned[0]} if turned else set())
    if step and step.terms:
        wanted.add(max(step.terms, key=lambda term: term.share).source)

    def off(row: int) -> float:
        place = at[0], row
        gap = verdict.right.get(place, 0.0) - verdict.mine.get(place, 0.0)
        return math.inf if row in wanted or math.isnan(gap) else abs(gap)

    rows = sorted(range(len(names)), key=lambda row: -off(row))[:MOST_ROWS]
    return columns, sorted(rows)


def grid(state: State) -> Payload:
    paste = _pasted_in(state)
    (heads, names), (columns, rows) = _heads(paste), _window(paste)
    verdict = paste.verdict
    cells = [
        [
            {
                "text": _number_text(verdict.mine[c, r], paste) if verdict.mine else "",
                "wrong": (c, r) in verdict.wrong,
                "right": _number_text(verdict.right[c, r], paste) if verdict.mine else "",
            }
            for r in rows
        ]
        for c in columns
    ]
    key = paste.key
    return {
        "part": "grid",
        "words": words("yours", "right", "transitions", "from-to", "paste", "took", "belongs",
                        "sample"),
        "quantity": key,
        "quantities": [[name, called(name)] for name in GRIDS],
        "form": paste.form.form,
        "forms": [[name, BeatText.load(TEXT).plain(f"form-{name}", {})] for name in FORMS]
        if QUANTITIES[key].shape == "table" else [],
        "space": paste.form.space,
        "spaces": [[name, BeatText.load(TEXT).plain(f"space-{name}", {})]
                   for name in ("log", "probability")],
        "pasted": paste.text, "own": paste.is_own,
        "heads": [heads[c] for c in columns], "rows": [names[r] for r in rows], "cells": cells,
        "before": columns[0] > 0, "after": columns[-1] < len(heads) - 1,
        "framed": None if verdict.worst is None else [
            columns.index(verdict.worst[0]), rows.index(verdict.worst[1]),
        ],
        "ways": _ways(paste, columns, rows),
        "matrix": _matrix(paste, rows),
    }  # fmt: skip


def _step(paste: PastedPrint) -> Any:
    """The step of the right recursion that makes the framed cell; None where there is none."""
    if paste.key not in ALGORITHMS or paste.form.form not in TRACED or not paste.verdict.worst:
        return None
    trace = paste.problem.trace(ALGORITHMS[paste.key], convention=paste.form.form)
    place = paste.verdict.worst
    return next((s for s in trace.steps if (s.column, s.row) == place and s.kind == "cell"), None)


def _ways(paste: PastedPrint, columns: list[int], rows: list[int]) -> list[Payload]:
    """The right ways into the framed cell, as wide as their shares; none at the first column."""
    step = _step(paste)
    if step is None:
        return []
    beside = step.column + (1 if paste.key == "beta" else -1)
    if beside not in columns:
        return []
    return [
        {"column": columns.index(beside), "row": rows.index(term.source), "share": term.share}
        for term in step.terms
        if term.source in rows
    ]


def _wrong_term(paste: PastedPrint) -> tuple[int, int] | None:
    """Of a transposed table: the neighbour whose wrong score counts most, and the framed tag."""
    step = _step(paste)
    if step is None or TURNED not in _mistakes(paste) or not step.terms or step.terms[0].source < 0:
        return None
    table, s = paste.problem.transitions, step.row
    back = paste.key == "beta"

    def gain(term: Any) -> float:
        i = term.source
        right, wrong = (table[s][i], table[i][s]) if back else (table[i][s], table[s][i])
        value = term.log_value - right + wrong if right > -math.inf else -math.inf
        return value if not math.isnan(value) else -math.inf

    return max(step.terms, key=gain).source, s


def _mistakes(paste: PastedPrint) -> tuple[str, ...]:
    return paste.verdict.check.mistakes if paste.verdict.check else ()


def _matrix(paste: PastedPrint, rows: list[int]) -> Payload | None:
    """The transitions, and in them what was read and what belongs there."""
    if paste.key not in ALGORITHMS or paste.verdict.worst is None:
        return None
    tags, table = paste.problem.tags, paste.problem.matrix(1)
    turned = _wrong_term(paste)
    took = belongs = None
    if turned and all(s in rows for s in turned) and turned[0] != turned[1]:
        i, s = (rows.index(one) for one in turned)
        took, belongs = ([s, i], [i, s]) if paste.key != "beta" else ([i, s], [s, i])
    return {
        "tags": [tags[s] for s in rows],
        "scores": [[format_score(table[i][j], 1) for j in rows] for i in rows],
        "took": took,
        "belongs": belongs,
    }


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=\.) |(?<=。)", text)[0]


def capital(text: str) -> str:
    """The text with a capital, but not for α or β: Α and Β are something else.

    >>> capital("end left out"), capital("β with its own emission")
    ('End left out', 'β with its own emission')
    """
    return text if text[:1] in "αβ" else text[:1].upper() + text[1:]


def _terms(paste: PastedPrint) -> tuple[list[Any], list[Any]]:
    """The term with the score that was read, and the same with the one that belongs there."""
    turned, step = _wrong_term(paste), _step(paste)
    if not turned or turned[0] == turned[1] or paste.form.space != "log":
        return [], []
    i, s = turned
    table = paste.problem.transitions
    term = next(term for term in step.terms if term.source == i)

    def segments(score: float, adds: bool) -> list[Any]:
        parts: list[Any] = []
        for role, value, _ in (*term.parts, *step.added):
            value = score if role == "transition" else value
            text = decimal(f"{round(value, 2):+g}".replace("-", "−"))
            if role == "previous":  # it comes last where the recursion goes backward
                text = format_score(value)
                text = f"+{text}" if parts and text[0] != "−" else text
            name = {"start": "edge", "end": "edge", "previous": "plain"}.get(role, role)
            parts += [*([" "] if parts else []), {"text": text, "role": name}]
        return ["log ( exp ( ", *parts, " ) + … )"] if adds else parts

    pair: Any = (table[i][s], table[s][i]) if paste.key == "beta" else (table[s][i], table[i][s])
    verdict, place = paste.verdict, (step.column, step.row)
    added = sum(value for _, value, _ in step.added)
    gaps = [
        abs(value - (term.log_value - pair[1] + score + added))
        for value, score in ((verdict.mine[place], pair[0]), (verdict.right[place], pair[1]))
    ]
    if not all(gap < LITTLE for gap in gaps):  # other terms count, too
        return [], []
    adds = max(gaps) >= SHOWN  # a little, which is not written
    return segments(pair[0], adds), segments(pair[1], adds)


def _sign(terms: list[Any], result: str) -> str:
    """Return "=" or "≈", by the numbers that are shown; "=" where some terms are dots."""
    numbers = [shown(part["text"]) for part in terms if isinstance(part, dict)]
    dots = any(isinstance(part, str) and "…" in part for part in terms)
    return "=" if dots or not terms else equals(sum(numbers), result)


def cell_facts(state: State, _step_number: int) -> dict[str, Any]:
    paste = _pasted_in(state)
    verdict, result, why = paste.verdict, paste.verdict.check, mistakes.explanations()
    names, (terms, proper) = _mistakes(paste), _terms(paste)
    heads, rows = _heads(paste)
    kind = "unreadable" if result is None else "right" if result.passed else "wrong"
    place = verdict.worst or (0, 0)
    impossible = result.impossible if result else ""
    cannot = mistakes.title(impossible) if impossible else ""
    clear = {"alpha": place[0], "delta": place[0]}.get(paste.key, 0) if verdict.worst else 0
    yours, right = (
        _number_text(numbers.get(place, 0.0), paste) for numbers in (verdict.mine, verdict.right)
    )
    return instead(state) | {
        "kind": kind,
        "sign": _sign(terms, yours),
        "right_sign": _sign(proper, right),
        "why": phrase(verdict.why),
        "quantity": called(paste.key),
        "count": len(verdict.mine),
        "bad": len(verdict.wrong),
        "impossible": int(bool(impossible)),
        "cannot": cannot if names else capital(cannot),
        "reason": _first_sentence(why[impossible]) if impossible else "",
        "named": len(names),
        "mistake": capital(mistakes.title(names[0])) if names else "",
        "turned": int(bool(terms)),
        "terms": terms,
        "proper": proper,
        "explained": why[names[0]] if names else "",
        "word": heads[place[0]],
        "tag": rows[place[1]],
        "shape": QUANTITIES[paste.key].shape,
        "yours": yours,
        "right": right,
        "clear": clear,
        "hidden": no_ends(paste.problem),
    }


def no_ends(problem: Problem) -> int:
    return int(not any((*problem.start, *problem.end)))
