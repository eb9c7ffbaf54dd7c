"""The stepper in a lesson: where it starts, and where it stays when what it shows changes."""

from typing import Any, NamedTuple

import streamlit as st

from crf.steps import Trace
from pages.shared.course.places import same_place
from pages.shared.figures.narration import is_guessed
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.stepper import At, clamp_step, stepper

_STEPPER_PARTS = frozenset({"values", "equation", "terms", "sentence", "answers"})


class _Place(NamedTuple):
    """What a stepper was given, where it started, where the reader has come since.

    `sent` counts how often `go_to` sent the reader to a step.
    """

    trace: Trace
    how: dict[str, Any]
    start: int
    reached: int
    sent: int = 0


def step_through(lesson: Lesson, trace: Trace, *, key: str, **how: Any) -> At:
    """The stepper, with what the view hides.

    When the trace changes, as by a switch, the reader stays at the tag and token that was on screen
    (`pages.shared.course.places`), whatever number that step has now.

    Args:
        lesson: The page.
        trace: From `pages.shared.ui.computed`, the same object on every rerun.
        key: Of the widget.
        how: Further arguments of `pages.shared.ui.stepper.stepper`.

    Returns:
        Where the reader is. In a trace that has just changed every guess is still to be made.
    """
    view, first = lesson.view, lesson.first_step
    slot = f"{key}·place"
    place = st.session_state.get(slot)
    last = len(trace.steps) - 1
    with st.container():  # always there, so that the stepper keeps its place
        if place is None and first > last:
            st.warning(
                f"The address asks for step {first + 1}, and there are {last + 1}: this is the "
                "last."
            )
    asked = st.session_state.pop(f"{key}·go", None)
    moved = asked is not None
    if place is None:
        place = _Place(trace, how, clamp_step(first, last, default=0), 0)
    elif place.trace is not trace or place.how != how:
        start = same_place(place.trace, place.reached, trace)
        place, moved = place._replace(trace=trace, how=how, start=start), True
    if asked is not None:
        place = place._replace(start=clamp_step(asked, last, default=0), sent=place.sent + 1)
    at = stepper(
        trace,
        key=key,
        initial_step=place.start,
        sent=place.sent,
        hide=view.hide & _STEPPER_PARTS,
        text_scale=view.scale,
        **how,
    )
    if moved:  # the browser has not been told yet, and so cannot have said where it is
        asked = at.guessing and is_guessed(trace.steps[place.start])
        at = at._replace(step=place.start, asked=asked)
    st.session_state[slot] = place._replace(reached=at.step)
    st.session_state[lesson.step_slot] = at.step
    return at


def go_to(key: str, step: int) -> None:
    """Let the stepper with this key stand at a step when it is next drawn."""
    st.session_state[f"{key}·go"] = step
