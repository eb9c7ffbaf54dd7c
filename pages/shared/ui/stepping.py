"""The stepper in a lesson: where it starts, and where it stays when what it shows changes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from crf.figures.trellis.narration import is_guessed
from crf.steps import Trace
from pages.shared.course.matching_step import matching_step
from pages.shared.ui import preview_endpoint
from pages.shared.ui import view as views
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue
from pages.shared.ui.stepper import GO, PARTS, At, clamp_step, stepper
from pages.shared.ui.words import say


class _Place(NamedTuple):
    """What a stepper was given, and where the reader has come.

    `sent` counts how often `go_to` sent the reader to a step.
    """

    trace: Trace
    reached: int
    sent: int = 0


_PLACE = SessionValue[_Place | None]("{}·place", None, kind=_Place)


def step_through(
    lesson: Lesson,
    trace: Trace,
    *,
    key: str,
    beside: Mapping[str, Any] | None = None,
    hide: frozenset[str] = frozenset(),
    **how: Any,
) -> At:
    """Draw the stepper, with what the view hides, and return where the reader is.

    When the trace changes, as by a switch, the reader stays at the tag and token that was on screen
    (`pages.shared.course.matching_step`). A trace of another sentence begins with its first column
    filled; where the reader is to find out what the cells hold, at its first cell.

    Args:
        lesson: The page.
        trace: From `pages.shared.ui.computed`, the same object on every rerun.
        key: Of the widget.
        beside: What is sent beside the trace.
        hide: Parts that are not shown, beside those of the view.
        how: Further arguments of `pages.shared.ui.stepper.stepper`.
    """
    view, first = lesson.view, lesson.first_step
    kept, place = _PLACE.at(key), _PLACE.at(key).value
    last = len(trace.steps) - 1
    hides = how.get("predict") or "answers" in view.hide
    beginning = 0 if hides else _end_of_first_column(trace)
    views.BEGINNING.at(lesson.name).set(beginning)
    with st.container():  # always there, so that the stepper keeps its place
        if place is None and first is not None and first > last:
            st.warning(say("stepper.beyond", step=first + 1, last=last + 1))
    offer = preview_endpoint.offer(key)
    if place is None:
        place = _Place(trace, clamp_step(first, last, default=beginning))
    else:  # who has stepped since the last run has said so beside it
        place = place._replace(reached=_said(offer, place.trace, place.reached))
    place, moved = _moved(place, trace, GO.at(key).take(), beginning)
    if moved:  # what was said was said of another
        offer.said = None
    at = stepper(
        trace,
        key=key,
        beside={**(beside or {}), "live": offer.address},
        said=offer.said,
        initial_step=place.reached,
        sent=place.sent,
        hide=(view.hide | hide) & PARTS,
        text_scale=view.scale,
        lecture=view.scale > 1 or "controls" in view.hide,
        **how,
    )
    if moved:  # the browser has not been told yet, and so cannot have said where it is
        asked = at.guessing and is_guessed(trace.steps[place.reached])
        at = at._replace(step=place.reached, asked=asked)
    kept.set(place._replace(reached=at.step))
    lesson.reached.set(at.step)
    lesson.trellis.set(True)
    return at


def _moved(place: _Place, trace: Trace, asked: int | None, beginning: int) -> tuple[_Place, bool]:
    """Where the reader stands in a trace, and whether Python has moved the reader there.

    Args:
        place: Where the reader stood, perhaps in another trace.
        trace: What is shown now.
        asked: A step that `go_to` asks for.
        beginning: Where the trace of another sentence begins.
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


def reached(lesson: Lesson, trace: Trace, *, key: str) -> int:
    """Where the reader is by now, who may have moved since the stepper was drawn."""
    return _said(preview_endpoint.offer(key), trace, lesson.reached.value)


def _said(offer: preview_endpoint.PreviewChannel, trace: Trace, before: int) -> int:
    """Where the browser has said that the reader is; `before`, if it has said nothing."""
    step = offer.said[0] if isinstance(offer.said, list) and offer.said else None
    return clamp_step(step, len(trace.steps) - 1, default=before)
