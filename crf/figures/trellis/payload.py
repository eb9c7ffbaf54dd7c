"""A trace made ready for the stepper: every number a string, every colour a class.

The browser draws and steps; it neither computes nor formats a score. Each number that a step reads
is stored once, in `reads`.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...steps import Step, Trace
from ...steps.conventions import convention_of
from ..words import words
from .equations import TIE, Writer
from .flips import flips
from .narration import printable, sentences
from .notation import NOTATIONS, Space, say

FOLDER = Path(__file__).parent  # has its words

BANDS = (TIE, 1.0, 3.0, 10.0, 30.0)  # nats behind the best of the column, upper bounds
MAX_TAGS_ALL_EDGES, MAX_COLUMNS_ALL_EDGES = 5, 8


def payload(trace: Trace, *, space: Space = "log") -> dict[str, Any]:
    """Everything the stepper shows, as JSON-ready data.

    Args:
        trace: the recursion to step through.
        space: whether numbers are log-scores or potentials.

    Returns:
        A dict; what its arrays hold is said where they are made, below.
    """
    notation = NOTATIONS[space]
    writer = Writer(trace, notation)
    columns = range(len(trace.tokens))[convention_of(trace).tokens]
    bounds = [notation.number(bound) if space != "log" else f"{bound:g}" for bound in BANDS[1:]]
    return {
        "title": _title(trace),
        "symbol": writer.symbol,
        "headings": writer.headings,
        "joint": notation.joint.strip(),
        "merged": notation.word("merged"),
        "zero": notation.number(-math.inf),
        "semiring": trace.semiring,
        "backward": trace.algorithm == "backward",
        "pair": trace.convention == "pair",
        "outer": _outer(trace, columns),
        "tags": writer.names,
        "columns": _heads(trace, columns),
        "labels": [[notation.number(value) for value in column] for column in trace.table],
        "fills": [_bands(column) for column in trace.table],
        "scale": notation.word("legend"),
        "bands": [say("title.best"), *(f"≤ {bound}" for bound in bounds), f"> {bounds[-1]}"],
        "allEdges": len(trace.tags) <= MAX_TAGS_ALL_EDGES and len(columns) <= MAX_COLUMNS_ALL_EDGES,
        "steps": _steps(trace, writer, space),
        "reads": writer.reads,
        "best": _ways(trace),
        "flips": _flips(trace, columns),
        "surprises": surprises(trace),
    }


def _steps(trace: Trace, writer: Writer, space: Space) -> list[dict[str, Any]]:
    """Each step with its sentence."""
    texts = sentences(trace, space)
    steps = [
        writer.step(step) | {"say": text} for step, text in zip(trace.steps, texts, strict=True)
    ]
    if trace.per_step_transitions:
        for record, step in zip(steps, trace.steps, strict=True):
            record["gap"] = _gap(trace, step)
    return steps


def _flips(trace: Trace, columns: Sequence[int]) -> list[dict[str, Any]]:
    """Changes of mind: rows by column, of the prefix that is given up and of the one that wins."""
    return [
        {
            "step": flip.step,
            "known": flip.known,
            "rows": _rows(flip.old, columns),
            "wins": _rows(flip.new, columns),
        }
        for flip in flips(trace)
    ]


def figure_data(trace: dict[str, Any], beside: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Say how a payload is shown where no page asks for more.

    Args:
        trace: From `payload`.
        beside: What may change without the trace, such as `scores`.
    """
    return {"trace": trace | {"words": words(FOLDER)}, "beside": {"step": 0, **(beside or {})}}


def _title(trace: Trace) -> str:
    parts = [say(f"title.{trace.algorithm}"), say(f"title.{trace.convention}")]
    if trace.semiring == "max" and trace.algorithm != "viterbi":
        parts.append(say("title.max"))
    size = say("title.size", tags=len(trace.tags), tokens=len(trace.tokens))
    return ", ".join([*parts, size])


def _ways(trace: Trace) -> list[list[int]] | None:
    """Which row of the neighbouring column the best way into each cell comes from; −1: none."""
    if trace.semiring != "max":
        return None
    rows = [[-1] * len(trace.tags) for _ in range(trace.num_columns)]
    for step in trace.steps:
        if step.kind == "cell" and step.backpointer is not None:
            rows[step.column][step.row] = step.backpointer
    return rows


def surprises(trace: Trace) -> list[int]:
    """The steps at which the best prefix changes, or two ways in are equally good."""
    if trace.semiring != "max":
        return []
    tied = (
        k for k, step in enumerate(trace.steps) if len(step.ties) > 1 and step.kind != "backtrace"
    )
    return sorted({*(flip.step for flip in flips(trace)), *tied})


def _heads(trace: Trace, columns: Sequence[int]) -> list[dict[str, str]]:
    """The index and the word over each column; a message stands between two tokens."""
    words = [printable(token) for token in trace.tokens]
    if len(columns) == len(words):
        return [_head(str(token + 1), words[token]) for token in columns]
    arrow = "{} ←" if trace.algorithm == "backward" else "→ {}"
    return [
        _head(f"{k} | {k + 1}", arrow.format(words[token])) for k, token in enumerate(columns, 1)
    ]


def _head(index: str, word: str) -> dict[str, str]:
    return {"index": index, "word": word}


def _outer(trace: Trace, columns: Sequence[int]) -> dict[str, str] | None:
    """The head of the token whose tags the first messages sum over; it has no column of its own."""
    without = [token for token in range(len(trace.tokens)) if token not in columns]
    return _head(str(without[0] + 1), printable(trace.tokens[without[0]])) if without else None


def _bands(column: Sequence[float]) -> list[int]:
    """Colour class of each cell: 0 the column's best, then further and further behind, −1 for −∞.

    Only differences within a column decide anything: a constant added to a whole column changes
    no winner and no share. So the fill shows the distance to the column's best, not the value.
    """
    best = max(column)
    return [
        -1 if value == -math.inf else sum(best - value > bound for bound in BANDS)
        for value in column
    ]


def _rows(prefix: Sequence[int], columns: Sequence[int]) -> list[int]:
    """A prefix's rows, in the columns that it runs through."""
    return [prefix[token] for token in columns if token < len(prefix)]


def _gap(trace: Trace, step: Step) -> int:
    """Which of the transition matrices, one between two tokens, a step reads."""
    before = step.token - (trace.algorithm != "backward")
    return min(max(before, 0), max(len(trace.tokens) - 2, 0))
