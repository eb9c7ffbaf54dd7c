"""The frame of a lesson: how it opens, its stepper, its address.

A page calls `begin`, then draws, and `publish` at its end.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from pages.shared.course.places import same_place
from pages.shared.figures.narration import is_guessed
from pages.shared.ui import frame, problem_state
from pages.shared.ui import view as views
from pages.shared.ui.stepper import At, clamp_step, stepper
from pages.shared.ui.view import View

if TYPE_CHECKING:
    from crf.steps import Trace

_STEPPER_PARTS = frozenset({"values", "equation", "terms", "sentence", "answers"})


def begin() -> View:
    """The first line of a lesson's page, under its head; then it may draw."""
    problem_state.current()  # whatever is wrong with the address is known now
    view = views.current()
    with st.container():  # a message must not move what follows, or it would be made anew
        frame.show_complaints()
    st.html(f"<style>{_rules(view)}</style>")
    if view.hide or view.size != "1":
        st.button("Show everything, in normal size", on_click=views.show_all, type="tertiary")
    return view


def _rules(view: View) -> str:
    """The style of a view: in large, the head makes room for the figure."""
    rules = ".st-key-head p.crf-note { display: none; }" if "prose" in view.hide else ""
    if view.size != "1":
        rules += (
            f"html {{ font-size: {100 * view.scale:.0f}%; --crf-menu: 2.5rem; }}"
            "h1 { font-size: 1.4rem !important; }"
            "[data-testid='stHorizontalBlock']:has(h1) p { font-size: .8rem; }"
        )
    return rules


class _Place(NamedTuple):
    """What a stepper was given, where it started, where the reader has come since.

    `sent` counts how often `go_to` sent the reader to a step.
    """

    trace: "Trace"
    how: dict[str, Any]
    start: int
    reached: int
    sent: int = 0


def step_through(trace: "Trace", *, key: str, view: View, **how: Any) -> At:
    """The stepper, with what the view hides.

    When the trace changes, as by a switch, the reader stays at the tag and token that was on screen
    (`pages.shared.course.places`), whatever number that step has now.

    Args:
        trace: From `pages.shared.ui.computed`, the same object on every rerun.
        key: Of the widget.
        view: The page's.
        how: Further arguments of `pages.shared.ui.stepper.stepper`.

    Returns:
        Where the reader is. In a trace that has just changed every guess is still to be made.
    """
    slot = f"{key}·place"
    place = st.session_state.get(slot)
    last = len(trace.steps) - 1
    with st.container():  # always there, so that the stepper keeps its place
        if place is None and view.step > last:
            st.warning(
                f"The address asks for step {view.step + 1}, and there are {last + 1}: this is the "
                "last."
            )
    asked = st.session_state.pop(f"{key}·go", None)
    moved = asked is not None
    if place is None:
        place = _Place(trace, how, clamp_step(view.step, last, default=0), 0)
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
    return at


def go_to(key: str, step: int) -> None:
    """Let the stepper with this key stand at a step when it is next drawn."""
    st.session_state[f"{key}·go"] = step


def publish(switches: Mapping[str, str], defaults: Mapping[str, str]) -> None:
    """Put the problem, the switches that are not as usual, and the view into the address.

    A problem that is too large for a link stays out of it; the bar says so.
    """
    query = (problem_state.address() or {}) | shown(switches, defaults) | views.current().query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def shown(switches: Mapping[str, str], defaults: Mapping[str, str]) -> dict[str, str]:
    """The switches that are not as usual."""
    return {key: value for key, value in switches.items() if value != defaults.get(key)}
