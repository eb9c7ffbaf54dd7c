"""The stage in a page of Streamlit, and the bench that an entry of "⋯" opens below it.

The browser moves the state: it asks /draw, draws, and writes the address. It tells this session
the state when something is committed, so that "⋯" and a page that is opened again show the same.
After the first paint a run changes nothing in the picture, unless the reader changes something
behind "⋯": then the stage is sent an order, a number that has grown with the parts to change.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import streamlit as st

from pages.shared import contents
from pages.shared.course.state import KEYS
from pages.shared.figures.beat import Beat, beat_with
from pages.shared.ui import client_values, frame
from pages.shared.ui.component import component
from pages.shared.ui.stage import look
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.draw import LONGEST
from pages.shared.ui.state import SessionValue, all_asked, take_complaints

_STAGE = component("beat", views.STAGE)
_KEYS = (*KEYS, views.BEAT)
_LESSON = client_values.one_of([one.folder for one in (*contents.COURSE, contents.STORY)])
_STATE = client_values.record(lesson=_LESSON, state=client_values.texts(_KEYS, LONGEST))
_LOOK = client_values.record(lesson=_LESSON, look=client_values.text(40))
_VIEW = "stage.view"  # one stage for all lessons: it stays where it is from page to page
_DOCKED = """
.st-key-stage-view { position: sticky; top: 0; z-index: 10; }
.crf-course { position: fixed; }
"""  # the picture, and what lies over it, stay above the bench
_OF_BEAT = (views.BEAT, "step", "bet", "path")  # what another door does not take over


class StageOrder(NamedTuple):
    """A change that the page orders in the stage's state."""

    number: int = 0
    parts: Mapping[str, str] = {}


# the parts that the address has named, or since then the browser has told
STATE = SessionValue[dict]("{}.stage", {})
LOOK = SessionValue("{}.look", "")  # the entry of the menu whose bench is open
ORDER = SessionValue[StageOrder]("{}.order", StageOrder())
_SEEN = SessionValue[tuple]("{}.seen", ({}, ""))  # the address and the door of the page's last run
GOES = SessionValue("stage.goes", "")  # the page to which the reader has followed a link
_OPENED = SessionValue("stage.opened", False)  # whether the opening may have played


def query(lesson: str, door: str = "") -> dict[str, str]:
    """The page's state: from the address if that is new, else the one the stage last reported.

    Another door of the lesson opens its own beat, on the scores that were on screen.
    """
    parts = {key: text for key, text in all_asked().items() if key in _KEYS}
    state, seen = STATE.at(lesson), _SEEN.at(lesson)
    asked, last = seen.value
    if parts and parts != asked:
        state.set(parts)
    elif door != last:
        state.set({key: text for key, text in state.value.items() if key not in _OF_BEAT})
    seen.set((parts, door))
    return state.value


def arrive(lesson: str, door: str, query: str) -> None:
    """Have a lesson open in the state that a link to it names."""
    parts = {key: text for key, text in parse_qsl(query) if key in _KEYS}
    STATE.at(lesson).set(parts)
    seen = _SEEN.at(lesson)
    seen.set((seen.value[0], door))


def order(lesson: str, **parts: str) -> None:
    """Have the stage change parts of its state; "" gives a part its default."""
    STATE.at(lesson).set(STATE.at(lesson).value | parts)
    ORDER.at(lesson).set(StageOrder(ORDER.at(lesson).value.number + 1, parts))


def show(
    lesson: str,
    beats: Sequence[Beat],
    table: look.Sections,
    *,
    path: str = "",
    door: str = "",
    usual: Mapping[str, str] | None = None,
) -> None:
    """Draw the stage, and below it the bench while one is open.

    Args:
        lesson: Its folder.
        beats: All of the lesson's.
        table: What its menu behind "⋯" opens.
        path: Where the page is on the server.
        door: The beat that the page opens where its address names none; "": the first.
        usual: The state where neither the address nor the browser names one.
    """
    parts = query(lesson, door) or dict(usual or {})
    opens = not parts and not _OPENED.value
    _OPENED.set(True)
    beat = beat_of(beats, parts, door)
    state, fault = views.state_of(parts, lesson)
    if not LOOK.at(lesson).value:  # else they are said below
        fault = " ".join([*filter(None, [fault]), *take_complaints()])
    home = door or beats[0].name
    data = views.data(beat, lesson, state, fault, "reader", opens=opens, beats=beats, door=home)
    data["path"] = path
    data["named"] = bool(parts)  # another door's state stands in the address, too
    data["looks"] = look.menu(lesson, table)
    _stage(lesson, beats, door, data, table)


def beat_of(beats: Sequence[Beat], parts: Mapping[str, str], door: str = "") -> Beat:
    """The beat in the address; the door's own beat if the address names none that exists."""
    by_name = {beat.name: beat for beat in beats}
    return by_name.get(parts.get(views.BEAT, "")) or by_name.get(door) or beats[0]


@st.fragment
def _stage(
    lesson: str, beats: Sequence[Beat], door: str, data: dict[str, Any], table: look.Sections
) -> None:
    """Draw the stage as a fragment, so that its messages rerun nothing else.

    A message names its lesson: it may come when the reader has left.
    """
    if (
        GOES.value
    ):  # told in one turn with a message of the stage's: Streamlit ran the fragment alone
        st.rerun()

    def keep_state() -> None:
        if told := client_values.genuine(client_values.state(_VIEW, "state"), _STATE):
            parts = {name: text for name, text in told["state"].items() if text}
            STATE.at(told["lesson"]).set(parts)

    def opened() -> None:
        if told := client_values.genuine(client_values.state(_VIEW, "look"), _LOOK):
            LOOK.at(told["lesson"]).set(told["look"])

    number, parts = ORDER.at(lesson).value
    name = LOOK.at(lesson)
    _STAGE(
        key=_VIEW,
        data=data | {"order": number, "set": dict(parts), "look": name.value},
        on_state_change=keep_state,
        on_look_change=opened,
    )
    with st.container(key="more"):
        if name.value:
            frame.style(_DOCKED)
            address = STATE.at(lesson).value
            state, _ = views.state_of(address, lesson)
            beat, state = beat_with(beat_of(beats, address, door), state, beats)
            look.bench(lesson, table, name.value, state, beat, name.reset)
