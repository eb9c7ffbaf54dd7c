"""The trellis stepper: one trace in, where the reader is in it out.

The figure lies in `crf/figures/trellis`. It gets the whole trace once and steps
in the browser; a rerun of the script that sends the same trace again leaves it as it is. What
changes without the trace, such as what may be edited and what is pinned, is sent beside it.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from crf.figures.languages import language
from crf.figures.trellis import payload as trellis
from crf.figures.trellis.narration import is_guessed
from crf.figures.trellis.notation import NOTATIONS
from crf.figures.trellis.payload import FOLDER, PathOverlay
from crf.figures.words import words
from crf.steps import Trace
from pages.shared.course.brute_force import Additions
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.component_data import pack, zipped
from pages.shared.ui.computed import IdentityKey, once
from pages.shared.ui.state import SessionValue

__all__ = ["At", "PathOverlay", "stepper"]

PARTS = frozenset({"values", "terms", "equation", "sentence", "controls", "answers", "legend"})
LARGEST_SCALE = 2.0

_COMPONENT = component("trellis_stepper", "crf/figures/trellis")
GO = SessionValue[int | None]("{}·go", None, kind=int)  # where the stepper is to stand next


class At(NamedTuple):
    """Where the reader is."""

    step: int  # index of the step on screen
    # whether the reader is still asked to guess it, so that nothing may tell its result
    asked: bool = False
    guessing: bool = False  # whether the reader guesses first at all


def stepper(
    trace: Trace,
    *,
    key: str,
    paths: Sequence[PathOverlay] = (),
    initial_step: int = 0,
    sent: int = 0,
    space: Literal["log", "probability"] = "log",
    predict: bool | None = None,
    hide: Set[str] = frozenset(),
    text_scale: float = 1.0,
    enumeration: Sequence[Additions] | None = None,
    means: Sequence[Sequence[str]] = (),
    best: Trace | None = None,
    lecture: bool = False,
    beside: Mapping[str, Any] | None = None,
    on_edits: Callable[[object], None] = lambda message: None,
    said: object = None,
) -> At:
    """Show a trace, let the reader step through it, and return the step, whatever a client sent.

    Args:
        trace: the recursion. Pass the same object on every rerun: what is sent is not made again.
        key: of the widget; unique on the page.
        paths: as `payload` of the figure has it; so are `space`, `enumeration`, `means`, `best`.
        initial_step: where a newly shown trace starts.
        sent: how often the reader was sent to `initial_step`; one more sends the reader again.
        space: as `payload` has it.
        predict: whether the learner guesses before a cell is shown; None: there is no such switch.
        hide: names among `PARTS`; "answers": a step's values stay hidden until they are asked for.
        text_scale: how much larger than normal everything is, 1 to 2.
        enumeration: as `payload` has it.
        means: as `payload` has it; each is put where an element has this key as `data-means`.
        best: as `payload` has it.
        lecture: whether the keys of a presenter's remote step from anywhere on the page.
        beside: `scores` to edit, `standing` of the distribution, `live`: where previews are had.
        on_edits: called with what the browser says was edited, as it came.
        said: where the reader is, as the browser has said beside the runs; None: nothing yet.
    """
    _check(space, hide, text_scale)
    start = clamp_step(initial_step, len(trace.steps) - 1, default=0)
    how = _How(
        paths=tuple(replace(path, tags=tuple(path.tags)) for path in paths),
        space=space,
        asks=predict is not None or "answers" in hide,
        enumeration=None if enumeration is None else tuple(enumeration),
        means=tuple(tuple(texts) for texts in means),
    )
    view = _View(key, predict, tuple(sorted(hide)), text_scale, lecture)
    traced = _packed(IdentityKey(trace), IdentityKey(best), how, view, language())
    _COMPONENT(
        key=key,
        data=pack(traced, zipped({"beside": {"step": start, "sent": sent, **(beside or {})}})),
        height="content",
        on_at_change=lambda: None,
        on_edits_change=lambda: on_edits(client_values.state(key, "edits")),
    )
    said = client_values.state(key, "at") if said is None else said
    return _at(trace, said, predict, start)


def _check(space: str, hide: Set[str], text_scale: float) -> None:
    if space not in NOTATIONS:
        raise ValueError(f"space: expected 'log' or 'probability', got {space!r}; choose one")
    if hide - PARTS:
        raise ValueError(
            f"hide: expected names among {sorted(PARTS)}, got {sorted(hide - PARTS)}; leave it out"
        )
    if not 1.0 <= text_scale <= LARGEST_SCALE:
        raise ValueError(f"text_scale: expected 1 to {LARGEST_SCALE:g}, got {text_scale}; clamp it")


def go_to(key: str, step: int) -> None:
    """Let the stepper with this key stand at a step when it is next drawn."""
    GO.at(key).set(step)


def _at(trace: Trace, said: object, predict: bool | None, start: int) -> At:
    """What the client says of itself, [step, asked, guessing], as far as it can be true."""
    told = said if isinstance(said, list) and len(said) == 3 else [None, predict, predict]
    step = clamp_step(told[0], len(trace.steps) - 1, default=start)
    guessing = predict is not None and told[2] is True
    return At(step, guessing and told[1] is True and is_guessed(trace.steps[step]), guessing)


def clamp_step(value: object, last: int, *, default: int) -> int:
    """A step that a client may have forged, as an index from 0 to `last`.

    Example:
        >>> [clamp_step(v, 9, default=2) for v in (5, 10**30, -4, True, 1.5, float("nan"), [3])]
        [5, 9, 0, 2, 2, 2, 2]
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return default
    return min(max(value, 0), last)


class _How(NamedTuple):
    """How a trace is told, as `payload` has it."""

    paths: tuple[PathOverlay, ...]
    space: Literal["log", "probability"]
    asks: bool
    enumeration: tuple[Additions, ...] | None
    means: tuple[tuple[str, ...], ...]


class _View(NamedTuple):
    """How it is shown, as the browser has it."""

    source: str
    predict: bool | None
    hide: tuple[str, ...]
    scale: float
    lecture: bool


@once(maxsize=8)  # of a class, all see the same; each keeps its traces
def _packed(
    trace: IdentityKey[Trace], best: IdentityKey[Trace | None], how: _How, view: _View, speak: str
) -> bytes:
    """The trace as it is sent."""
    shown = trellis.payload(trace.record, best=best.record, **how._asdict())
    return zipped({"trace": shown | {"view": view._asdict(), "words": words(FOLDER)}})
