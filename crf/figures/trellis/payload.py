"""Traces made ready for the stepper: what its picture draws and its panel says, step by step.

The browser draws and steps. It computes no probability, and formats only the picture's numbers.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...steps import Step, Trace, plain_data
from ...steps.conventions import convention_of
from ..colours import tag_colours
from ..words import words
from . import picture
from .equations import Writer
from .flips import flips
from .narration import path_sentence, printable, sentences
from .notation import NOTATIONS, Space, say

FOLDER = Path(__file__).parent  # has its words
MODES = {"forward": "add", "viterbi": "best", "backward": "both"}  # what each recursion draws
NEEDED: dict[str, tuple[str, ...]] = {  # mode → the recursions that it needs
    "path": ("forward", "viterbi"),
    **{mode: (algorithm,) for algorithm, mode in MODES.items()},
}


def payload(*traces: Trace, space: Space = "log") -> dict[str, Any]:
    """Everything the stepper shows, as JSON-ready data.

    Args:
        traces: Recursions over one chain in one convention; each is a mode of the picture, and the
            first gives the figure its title. With α and δ there is a mode for the best path, too.
        space: Whether numbers are log-scores or potentials.
    """
    first, by_mode = traces[0], {MODES[trace.algorithm]: trace for trace in traces}
    modes = {mode: _mode(mode, trace, space) for mode, trace in by_mode.items()}
    if space == "log" and {"add", "best"} <= by_mode.keys() and by_mode["best"].best_path:
        modes["path"] = _path_mode(by_mode["add"], by_mode["best"].best_path, space)
    convention = convention_of(first)
    return _short(
        {
            "title": _title(first),
            "form": first.convention,
            "scale": space,
            "absent": _absent(convention.tokens, len(first.tokens)),
            "tags": [
                {"name": printable(tag), "colour": colour}
                for tag, colour in tag_colours(first.tags).items()
            ],
            "tokens": [{"text": printable(token), "fixed": None} for token in first.tokens],
            "emissions": first.emissions,
            "transitions": first.transitions,
            "per_step": first.per_step_transitions,
            "start": first.start,
            "end": first.end,
            "modes": [modes[mode] for mode in NEEDED if mode in modes],
        }
    )


def figure_data(trace: Mapping[str, Any], **beside: Any) -> dict[str, Any]:
    """A payload as hosts send it.

    Args:
        trace: From `payload`.
        beside: What may change without the trace: `mode`, `step`, `live` and `given`.
    """
    here = words(FOLDER) | words(FOLDER, file="figure")
    opens = {"mode": trace["modes"][0]["mode"], "step": 0, "live": False}
    return {"trace": {**trace, "words": here}, "beside": opens | beside}


def compared(
    trace: Trace, given: Mapping[tuple[int, int], str], first: tuple[int, int] | None
) -> dict[str, Any]:
    """Where another program's numbers stand, and the step at which the figure opens.

    Args:
        trace: The recursion.
        given: (column, row) → the other program's number where it is wrong, "" where it is right.
        first: The first wrong cell, (column, row).
    """
    cells = [(step.column, step.row) for step in trace.steps if step.kind == "cell"]
    shift = convention_of(trace).first
    return {
        "step": cells.index(first) if first in cells else len(trace.steps) - 1,
        "given": {f"{column + shift},{row}": text for (column, row), text in given.items()},
    }


def _short(value: Any, digits: int = 9) -> Any:
    """Plain data with nine digits a number, six in terms: enough to compare with the core's."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else plain_data(value)
    if isinstance(value, dict):
        return {key: _short(part, 6 if key == "terms" else digits) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_short(part, digits) for part in value]
    return value


def _absent(columns: slice, tokens: int) -> int | None:
    """The token that has no column: the first messages sum over its tags."""
    return next((t for t in range(tokens) if t not in range(tokens)[columns]), None)


def _title(trace: Trace) -> str:
    parts = [say(f"title.{trace.algorithm}"), say(f"title.{trace.convention}")]
    if trace.semiring == "max" and trace.algorithm != "viterbi":
        parts.append(say("title.max"))
    size = say("title.size", tags=len(trace.tags), tokens=len(trace.tokens))
    return ", ".join([*parts, size])


# ---------------------------------------------------------------------- modes


def _mode(mode: str, trace: Trace, space: Space) -> dict[str, Any]:
    """A recursion: its tables, and its steps with their sentences and equations."""
    notation, writer = NOTATIONS[space], Writer(trace, NOTATIONS[space])
    changes = {flip.step: flip.old for flip in flips(trace)}
    whole = say("title.best") if trace.semiring == "max" else notation.whole
    return {
        "mode": mode,
        "symbol": writer.symbol,
        **picture.tables(trace),
        "total": {"label": whole, "value": trace.log_total},
        "best": list(trace.best_path or ()),
        "steps": [
            _step(trace, number, changes.get(number)) | writer.step(step) | {"say": text}
            for number, (step, text) in enumerate(
                zip(trace.steps, sentences(trace, space), strict=True)
            )
        ],
        "changes": list(changes),
        "surprises": surprises(trace),
    }


def _step(trace: Trace, number: int, was: Sequence[int] | None) -> dict[str, Any]:
    """What the picture has at a step; `was`: the best prefix that is given up there."""
    step, now = trace.steps[number], picture.at_step(trace, number)
    if trace.convention != "state":
        now["reads"] = picture.scores_read(step)
    if step.kind != "backtrace" and trace.semiring == "max":
        now |= {"lead": list(step.best_prefix or ()), "was": was}
    return now


def _path_mode(trace: Trace, path: Sequence[int], space: Space) -> dict[str, Any]:
    """The best path as a staircase of its scores, beside all paths together."""
    score = picture.on_path(trace, path)
    writer = Writer(trace, NOTATIONS[space])
    return {
        "mode": "path",
        "symbol": writer.notation.emission,
        **picture.tables(trace),
        "values": trace.emissions,
        "total": {"label": NOTATIONS[space].whole, "value": trace.log_total},
        "log_z": trace.log_total,
        "best": list(path),
        "steps": [
            score
            | writer.path(score["stairs"], score["score"])
            | {"say": path_sentence(trace, path, score["score"], space)}
        ],
        "changes": [],
        "surprises": [],
    }


def surprises(trace: Trace) -> list[int]:
    """The steps at which the best prefix changes, or two ways in are equally good."""
    if trace.semiring != "max":
        return []
    tied = (k for k, step in enumerate(trace.steps) if _is_tied(step))
    return sorted({*(flip.step for flip in flips(trace)), *tied})


def _is_tied(step: Step) -> bool:
    return len(step.ties) > 1 and step.kind != "backtrace" and step.log_value > -math.inf
