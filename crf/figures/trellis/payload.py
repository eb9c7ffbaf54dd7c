"""A trace made ready for the stepper: every number a string, every colour a class.

The browser draws and steps; it neither computes nor formats a score. Each number that a step reads
is stored once, in `reads`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ...conventions import convention_of
from ...steps import Step, Trace
from ..numbers import format_count as count
from ..numbers import superscript
from ..words import words
from .equations import TIE, Writer
from .flips import flips
from .narration import printable, sentences
from .notation import NOTATIONS, Space, say

FOLDER = Path(__file__).parent  # has its words

BANDS = (TIE, 1.0, 3.0, 10.0, 30.0)  # nats behind the best of the column, upper bounds
MAX_TAGS_ALL_EDGES, MAX_COLUMNS_ALL_EDGES = 5, 8


class Additions(NamedTuple):
    """The additions of exp-scores that it takes to sum over all tag prefixes of some length."""

    tokens: int  # how long the prefixes are
    prefixes: int  # how many there are, S^tokens, if none is forbidden
    enumeration: int  # additions when each prefix is a summand of its own
    recursion: int  # additions of the forward recursion up to there, its final sum included


@dataclass(frozen=True)
class PathOverlay:
    """A tag sequence drawn over the trellis, column by column as these are computed."""

    name: str  # what the legend calls it
    # "viterbi" (double stroke; a Viterbi trace draws its own in the backtrace, and this one is then
    # left out), "greedy" (dashed), "posterior" (dotted ring) or "kbest" (broad and translucent)
    style: Literal["viterbi", "greedy", "posterior", "kbest"]
    tags: Sequence[str]  # a tag name for each token of the trace


def payload(
    trace: Trace,
    paths: Sequence[PathOverlay] = (),
    *,
    space: Space = "log",
    means: Sequence[Sequence[str]] = (),
    best: Trace | None = None,
    enumeration: Sequence[Additions] | None = None,
) -> dict[str, Any]:
    """Everything the stepper shows, as JSON-ready data.

    Args:
        trace: the recursion to step through.
        paths: tag sequences to draw over it.
        space: whether numbers are log-scores or potentials.
        means: for each step what it means, in words; stands beside the picture.
        best: the max trace of the same chain, direction and convention, for the best way into each
            cell; the trace itself where that takes the maximum.
        enumeration: the work of listing all prefixes of 1, 2 … tokens.

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
        "steps": _steps(trace, writer, space, means),
        "reads": writer.reads,
        "best": _ways(best or trace),
        "flips": _flips(trace, columns),
        "surprises": surprises(trace),
        "work": _work(trace, enumeration),
        "paths": _overlays(trace, paths, columns),
    }


def _steps(
    trace: Trace, writer: Writer, space: Space, means: Sequence[Sequence[str]]
) -> list[dict[str, Any]]:
    """Each step with its sentence, and its meaning where there is one."""
    told = sentences(trace, space)
    steps = [
        writer.step(step) | {"say": text} for step, text in zip(trace.steps, told, strict=True)
    ]
    for shown, text in zip(steps, means, strict=False):
        shown["means"] = text
    if trace.per_step_transitions:
        for shown, step in zip(steps, trace.steps, strict=True):
            shown["gap"] = _gap(trace, step)
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


def _overlays(
    trace: Trace, paths: Sequence[PathOverlay], columns: Sequence[int]
) -> list[dict[str, Any]]:
    """The paths that are drawn over it; the best one is left out where the way back draws it."""
    rows = {tag: row for row, tag in enumerate(trace.tags)}
    traced = any(step.kind == "backtrace" for step in trace.steps)
    return [
        {
            "name": path.name,
            "style": path.style,
            "rows": [rows[path.tags[token]] for token in columns],
        }
        for path in paths
        if not (traced and path.style == "viterbi")
    ]


def figure_data(
    trace: dict[str, Any], *, source: str = "trellis", beside: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Say how a payload is shown where no page asks for more.

    Args:
        trace: From `payload`.
        source: Of this figure among those of a page.
        beside: What may change without the trace, such as `scores`.
    """
    view = {"source": source, "hide": [], "scale": 1.0, "lecture": False}
    shown = trace | {"view": view, "words": words(FOLDER)}
    return {"trace": shown, "beside": {"step": 0, "sent": 0, **(beside or {})}}


def _title(trace: Trace) -> str:
    parts = [say(f"title.{trace.algorithm}"), say(f"title.{trace.convention}")]
    if trace.semiring == "max" and trace.algorithm != "viterbi":
        parts.append(say("title.max"))
    size = say("title.size", tags=len(trace.tags), tokens=len(trace.tokens))
    return ", ".join([*parts, size])


def _ways(best: Trace) -> list[list[int]] | None:
    """Which row of the neighbouring column the best way into each cell comes from; −1: none."""
    if best.semiring != "max":
        return None
    found = [[-1] * len(best.tags) for _ in range(best.num_columns)]
    for step in best.steps:
        if step.kind == "cell" and step.backpointer is not None:
            found[step.column][step.row] = step.backpointer
    return found


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


def _work(trace: Trace, enumeration: Sequence[Additions] | None) -> dict[str, Any] | None:
    """A line for each number of tokens covered, from 0, and which of them each step shows."""
    if not enumeration:
        return None
    ends = "suffixes" if trace.algorithm == "backward" else "prefixes"
    lines = [say(f"work.none-{ends}")]
    for work in enumeration:
        power = f"{count(len(trace.tags))}{superscript(work.tokens)} = {count(work.prefixes)}"
        one_by_one = say(f"work.acts-{trace.semiring}", n=work.enumeration)
        tokens, recursion = say("work.tokens", n=work.tokens), count(work.recursion)
        lines.append(
            say(
                f"work.{ends}",
                power=power,
                tokens=tokens,
                enumeration=one_by_one,
                recursion=recursion,
            )
        )
    m = len(trace.tokens)
    covered = [_covered(trace, step, m) for step in trace.steps]
    done = len(lines)
    lines.append(say("work.all"))
    at = [
        done if step.kind == "backtrace" else min(n, done - 1)
        for step, n in zip(trace.steps, covered, strict=True)
    ]
    return {"lines": lines if done in at else lines[:done], "at": at}


def _covered(trace: Trace, step: Step, m: int) -> int:
    """How many tokens' tags are merged in the columns that are complete at the step."""
    if step.kind != "cell":
        return m
    n = step.column + convention_of(trace).number
    return (m + 1 - n if trace.algorithm == "backward" else n) - (step.row < len(trace.tags) - 1)
