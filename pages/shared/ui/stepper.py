"""The trellis stepper: one trace in, where the reader is in it out.

The figure lies in `crf/figures/trellis`. It gets the whole trace once and steps in the browser; a
rerun of the script that sends the same trace again leaves it as it is. What changes without the
trace, such as what may be edited and what is pinned, is sent beside it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from crf.figures.languages import language
from crf.figures.trellis import payload as trellis
from crf.figures.trellis.notation import Space
from crf.figures.trellis.payload import FOLDER, PathOverlay
from crf.figures.words import words
from crf.steps import Trace
from pages.shared.course.brute_force import Additions
from pages.shared.course.matching_step import matching_step
from pages.shared.ui import client_values, preview_endpoint
from pages.shared.ui import view as views
from pages.shared.ui.component import component
from pages.shared.ui.component_data import pack, zipped
from pages.shared.ui.computed import IdentityKey, once
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say

if TYPE_CHECKING:
    from pages.shared.ui.lesson import Lesson

PARTS = frozenset({"values", "terms", "equation", "sentence", "controls", "answers", "legend"})

_COMPONENT = component("trellis_stepper", "crf/figures/trellis")
_GO = SessionValue[int | None]("{}·go", None, kind=int)  # where the stepper is to stand next


class TraceOptions(NamedTuple):
    """How a trace is told, as `payload` of the figure has it."""

    paths: tuple[PathOverlay, ...] = ()
    space: Space = "log"
    best: IdentityKey[Trace | None] = IdentityKey(None)
    means: tuple[tuple[str, ...], ...] = ()  # put where an element has the key as `data-means`
    enumeration: tuple[Additions, ...] | None = None

    def payload(self, trace: Trace, *, asks: bool) -> dict[str, Any]:
        """What the figure draws of it."""
        paths, space, best, means, enumeration = self
        return trellis.payload(
            trace, paths, space=space, asks=asks, means=means, best=best.record,
            enumeration=enumeration,
        )  # fmt: skip


class Display(NamedTuple):
    """How it is shown, as the browser has it."""

    predict: bool | None = None  # whether the learner guesses first; None: there is no such switch
    # names among `PARTS`; "answers": a step's values stay hidden until they are asked for
    hide: tuple[str, ...] = ()
    scale: float = 1.0  # how much larger than normal everything is
    lecture: bool = False  # whether a presenter's remote steps from anywhere on the page


_PLAIN, _AS_USUAL = TraceOptions(), Display()


class _Place(NamedTuple):
    """What a stepper was given, and where the reader has come."""

    trace: Trace
    reached: int
    sent: int = 0  # how often `go_to` sent the reader to a step


_PLACE = SessionValue[_Place | None]("{}·place", None, kind=_Place)


def stepper(
    trace: Trace,
    *,
    key: str,
    options: TraceOptions = _PLAIN,
    display: Display = _AS_USUAL,
    beside: Mapping[str, Any] | None = None,
    on_edits: Callable[[object], None] = lambda message: None,
    said: object = None,
) -> int:
    """Show a trace, let the reader step through it, and return the step, whatever a client sent.

    `trace`: the same object on every rerun, so that what is sent is not made again.
    `beside`: the `step` where a new trace starts; `sent`, how often the reader was sent there: one
    more sends the reader again; `scores` to edit, `standing` of the distribution, `live`: where
    previews are had.
    `on_edits`: called with what the browser says was edited, as it came.
    `said`: where the reader is, as the browser has said beside the runs; None: nothing yet.
    """
    beside = {"step": 0, "sent": 0, **(beside or {})}
    paths = tuple(replace(path, tags=tuple(path.tags)) for path in options.paths)
    traced = _packed(IdentityKey(trace), options._replace(paths=paths), display, key, language())
    _COMPONENT(
        key=key,
        data=pack(traced, zipped({"beside": beside})),
        height="content",
        on_at_change=lambda: None,
        on_edits_change=lambda: on_edits(client_values.state(key, "edits")),
    )
    return _said(client_values.state(key, "at") if said is None else said, trace, beside["step"])


def go_to(key: str, step: int) -> None:
    """Let the stepper with this key stand at a step when it is next drawn."""
    _GO.at(key).set(step)


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


@once(maxsize=8)  # of a class, all see the same; each keeps its traces
def _packed(
    trace: IdentityKey[Trace], options: TraceOptions, display: Display, source: str, speak: str
) -> bytes:
    """The trace as it is sent."""
    asks = display.predict is not None or "answers" in display.hide
    view = {"source": source, **display._asdict()}
    shown = options.payload(trace.record, asks=asks) | {"view": view, "words": words(FOLDER)}
    return zipped({"trace": shown})


# ---------------------------------------------------------------------- in a lesson


def step_through(
    lesson: "Lesson",
    trace: Trace,
    *,
    key: str,
    options: TraceOptions = _PLAIN,
    display: Display = _AS_USUAL,
    beside: Mapping[str, Any] | None = None,
    on_edits: Callable[[object], None] = lambda message: None,
) -> int:
    """Draw the stepper as a lesson's view has it, and return where the reader is.

    When the trace changes, as by a switch, the reader stays at the tag and token that was on screen
    (`pages.shared.course.matching_step`). A trace of another sentence begins with its first column
    filled; where the reader is to find out what the cells hold, at its first cell.
    """
    view, first, last = lesson.view, lesson.first_step, len(trace.steps) - 1
    hides = display.predict or "answers" in view.hide
    beginning = 0 if hides else _end_of_first_column(trace)
    views.BEGINNING.at(lesson.name).set(beginning)
    offer, place = preview_endpoint.offer(key), _PLACE.at(key).value
    with st.container():  # always there, so that the stepper keeps its place
        if place is None and first is not None and first > last:
            st.warning(say("stepper.beyond", step=first + 1, last=last + 1))
    if place is None:
        place = _Place(trace, clamp_step(first, last, default=beginning))
    else:  # who has stepped since the last run has said so beside it
        place = place._replace(reached=_said(offer.said, place.trace, place.reached))
    place, moved = _moved(place, trace, _GO.at(key).take(), beginning)
    if moved:  # what was said was said of another
        offer.said = None
    step = stepper(
        trace,
        key=key,
        options=options,
        display=display._replace(
            hide=tuple(sorted((view.hide | {*display.hide}) & PARTS)),
            scale=view.scale,
            lecture=view.scale > 1 or "controls" in view.hide,
        ),
        beside={
            "step": place.reached, "sent": place.sent, **(beside or {}), "live": offer.address,
        },
        on_edits=on_edits,
        said=offer.said,
    )  # fmt: skip
    if moved:  # the browser has not been told yet, and so cannot have said where it is
        step = place.reached
    _PLACE.at(key).set(place._replace(reached=step))
    lesson.reached.set(step)
    lesson.trellis.set(True)
    return step


def _moved(place: _Place, trace: Trace, asked: int | None, beginning: int) -> tuple[_Place, bool]:
    """Where the reader stands in a trace, and whether Python has moved the reader there.

    `asked`: a step that `go_to` asks for; `beginning`: where the trace of another sentence begins.
    """
    moved = asked is not None
    if place.trace is not trace:
        stays = (place.trace.tokens, place.trace.tags) == (trace.tokens, trace.tags)
        reached = matching_step(place.trace, place.reached, trace) if stays else beginning
        place, moved = _Place(trace, reached, place.sent), True
    if asked is not None:
        place = _Place(trace, clamp_step(asked, len(trace.steps) - 1, default=0), place.sent + 1)
    return place, moved


def _end_of_first_column(trace: Trace) -> int:
    """Return the step that fills the last cell of the first column."""
    return sum(s.kind == "cell" and s.column == trace.steps[0].column for s in trace.steps) - 1


def reached(lesson: "Lesson", trace: Trace, *, key: str) -> int:
    """Where the reader is by now, who may have moved since the stepper was drawn."""
    return _said(preview_endpoint.offer(key).said, trace, lesson.reached.value)


def _said(said: object, trace: Trace, before: int) -> int:
    """Where the browser has said that the reader is; `before`, if it has said nothing."""
    step = said[0] if isinstance(said, list) and said else None
    return clamp_step(step, len(trace.steps) - 1, default=before)
