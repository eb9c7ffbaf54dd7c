"""Presenting: the component `stage`, for the class's screen and for the speaker's window."""

import streamlit as st

from pages.shared import contents
from pages.shared.course.lecture import LONGEST_QUERY, Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.start_options import given
from pages.shared.ui import client_values, lectures, state
from pages.shared.ui.component import component
from pages.shared.ui.controls import Flag

_COMPONENT = component("stage", "pages/lecture/presenter")
_KEY = "lecture.stage"
# A reload before a class goes on where it was.
ON = Flag("lecture.presenting", False, address="present")


def start(number: int) -> None:
    """Present from this stop on."""
    lectures.CHOSEN.set(number + 1)
    ON.set(True)


def show(lecture: Lecture) -> None:
    """Draw the class's screen; it says of every stop that it shows."""
    if not lecture.stops:
        if lectures.mine().heard:
            ON.set(False)
            st.rerun()
        st.caption(lectures.say("present.opening"))
        return
    state.publish(lectures.CHOSEN.query() | ON.query())
    stops = [
        {
            "address": address_of(stop), "query": stop.query, "title": stop.title,
            "note": stop.note, "minutes": stop.minutes,
        }
        for stop in lecture.stops
    ]  # fmt: skip
    first = min(lectures.CHOSEN.value, len(lecture.stops)) - 1
    data = {
        "speaker": False, "title": lecture.title, "stops": stops, "first": first,
        "isClass": bool(given().room),
    }  # fmt: skip

    @st.fragment
    def screen() -> None:
        if not ON.value:
            st.rerun()
        _COMPONENT(key=_KEY, data=data, on_at_change=lambda: _follow(lecture))

    screen()


def speaker() -> None:
    """The speaker's window; it learns everything from the other one, in the browser."""
    _COMPONENT(key="lecture.speaker", data={"speaker": True})


def address_of(stop: Stop) -> str:
    """A stop's part of the address, before the question mark."""
    return contents.entry(stop.page).address if stop.page else ""


def _follow(lecture: Lecture) -> None:
    """Keep what the browser says that it shows, and lead the class there; it may say anything."""
    at = client_values.genuine(
        client_values.state(_KEY, "at"),
        client_values.record(
            stop=client_values.index(len(lecture.stops)),
            query=client_values.text(LONGEST_QUERY),
            blank=client_values.flag,
            left=client_values.flag,
        ),
    )
    if at is None:
        return
    lectures.CHOSEN.set(at["stop"] + 1)
    ON.set(not at["left"])
    state.publish(lectures.CHOSEN.query() | ON.query())
    if at["left"] or at["blank"] or not given().room:
        return
    from pages.shared.ui import class_news, class_session  # nobody needs them without a class

    planned = lecture.stops[at["stop"]]
    try:
        shown = Stop(planned.page, at["query"], planned.title)
    except ProblemError:  # no address of ours: the planned one stands
        shown = planned
    picture = class_news.sent(client_values.state(_KEY, "at"))
    class_session.present(shown, at["stop"], picture)
