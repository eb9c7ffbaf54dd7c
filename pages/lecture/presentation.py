"""Presenting: the component `stage`, for the class's screen and for the speaker's window."""

import streamlit as st

from pages.shared import contents
from pages.shared.course.lecture import LONGEST_QUERY, Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.ui import client_values, lectures, state
from pages.shared.ui.component import component
from pages.shared.ui.controls import Flag
from pages.shared.ui.presented import is_led_elsewhere, present

_COMPONENT = component("stage", "pages/lecture/presenter")
MOST_MOVES = 1_000_000  # of one window
LOOK = 2.0  # seconds between two looks at who leads the class
_KEY = "lecture.stage"
# A reload before a class goes on where it was.
ON = Flag("lecture.presenting", False, address="present")


def start(number: int) -> None:
    """Present from this stop on."""
    lectures.CHOSEN.set(number + 1)
    ON.set(True)


def show(lecture: Lecture) -> None:
    """The class's screen; every stop that is shown goes to `presented.present`."""
    if not lecture.stops and not lectures.are_heard():
        st.caption("Opening the lecture that this browser keeps …")
        return
    if not lecture.stops:
        ON.set(False)
        st.rerun()
    state.publish(lectures.CHOSEN.query() | ON.query())
    stops = [
        {
            "address": address_of(stop),
            "query": stop.query,
            "title": stop.title,
            "note": stop.note,
            "minutes": stop.minutes,
        }
        for stop in lecture.stops
    ]
    data = {"speaker": False, "title": lecture.title, "stops": stops, "first": _first(lecture)}

    @st.fragment(run_every=LOOK if given().room else None)
    def screen() -> None:
        if not ON.value:
            st.rerun()
        _COMPONENT(
            key=_KEY,
            data=data | {"elsewhere": is_led_elsewhere()},
            on_at_change=lambda: _publish(lecture),
        )

    screen()


def speaker() -> None:
    """The speaker's window; it learns everything from the other one, in the browser."""
    _COMPONENT(key="lecture.speaker", data={"speaker": True})


def address_of(stop: Stop) -> str:
    """A stop's part of the address, before the question mark."""
    return contents.entry(stop.page).address if stop.page else ""


def _first(lecture: Lecture) -> int:
    return min(lectures.CHOSEN.value, len(lecture.stops)) - 1


def _publish(lecture: Lecture) -> None:
    """The browser says what it shows; it may say anything."""
    at = client_values.genuine(
        client_values.state(_KEY, "at"),
        client_values.record(
            stop=client_values.index(len(lecture.stops)),
            query=client_values.text(LONGEST_QUERY),
            blank=client_values.flag,
            moves=client_values.index(MOST_MOVES),
            left=client_values.flag,
        ),
    )
    if at is None:
        return
    lectures.CHOSEN.set(at["stop"] + 1)
    ON.set(not at["left"])
    state.publish(lectures.CHOSEN.query() | ON.query())
    if at["left"]:
        return
    planned = lecture.stops[at["stop"]]
    try:
        shown = Stop(planned.page, at["query"], planned.title, planned.note, planned.minutes)
    except ProblemError:  # no address of ours: the planned one stands
        shown = planned
    present(shown, at["stop"], at["moves"], at["blank"])
