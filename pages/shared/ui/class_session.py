"""The class of this server as one session sees it: who its reader is, and what they may do.

lead(stop)              # from the lecturer's session; nothing happens in any other
show_page()             # the same with the page on screen
if lecturing(): …       # what is for the lecturer alone
"""

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from pages.shared import contents
from pages.shared.course.classroom import classroom
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.tally import Tally
from pages.shared.course.lecture import PAGES, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.ui import language, lectures, problem_state, teacher
from pages.shared.ui import view as views
from pages.shared.ui.show_everything import EVERYTHING
from pages.shared.ui.state import SessionValue, all_asked, asked, begin_anew, complain
from pages.shared.ui.words import say_in_class as say

SHOWN = SessionValue("class.shown", 0)  # number of the column whose answers are in the picture
OPEN_KEY = SessionValue("class.open", "")  # key of the question that the class still answers
HERE = SessionValue("class.here", "")  # the address of the page on screen
STUDENT, LECTURER = "crf_student", "crf_lecturer"  # cookies
NEWS = "class/news"  # where the server says what goes on
PICTURE = "class/picture"  # where it has the picture of a stop
STOP = "at"  # in a phone's address: the running number of the stop that it is led to
_LASTING = language.CHOSEN.key, lectures.MINE.key, EVERYTHING.key  # what is the student's own
# The stop to which this session has led the class: its number in the lecture, and in the class.
_LED = SessionValue[tuple]("class.led", (-1, 0))


def follow() -> None:
    """A phone that is led to another stop begins there as one that opens its link."""
    if stop := asked(STOP):
        begin_anew(stop, _LASTING)


def lecturing() -> Classroom | None:
    """The class that this session leads; None if it leads none."""
    room = classroom.running()
    return room if room and room.is_lecturer(st.context.cookies.get(LECTURER)) else None


def lead(stop: Stop, picture: str = "") -> int:
    """Show a stop to the class that this session leads, and its picture, if there is one.

    Returns:
        The stop's running number; 0: it leads none, or the stop cannot be kept, as the page says.
    """
    room = lecturing()
    if room is None:
        return 0
    if stop.page == contents.SLIDE.folder:  # its options tell which one is right
        shown = {k: text for k, text in stop.values.items() if k not in ("question", "options")}
        stop = replace(stop, query=teacher.encoded(shown))
    try:
        return room.lead(stop, picture)
    except StoreError as error:
        complain(say("panel.not-led", why=error))
        return 0


def show_page(less: Collection[str] = ()) -> bool:
    """Show the page on screen to the class that this session leads, exactly as its address does.

    A class that is there already is left in peace: who has begun to write is not sent anew. The
    values `less` of the address, which would tell an answer, are not shown.

    Returns:
        Whether the class is there; False as well while this is one picture of a lecture, whose
        stop the class is led to by whoever presents it. What went wrong, the page says.
    """
    room, entry = lecturing(), contents.entry(HERE.value)
    page = "" if entry is contents.FIRST else entry.name
    if room is None or page not in PAGES or views.current().screen:
        return False
    if problem_state.SHARED.is_set and problem_state.address() is None:
        complain(say("panel.too-large"))
        return False
    unseen = {*less, "size", "picture"}

    def seen(stop: Stop) -> tuple[str, dict[str, str]]:
        return stop.page, {k: text for k, text in stop.values.items() if k not in unseen}

    query = {key: text for key, text in all_asked().items() if key not in unseen}
    try:
        stop, led = Stop(page, teacher.encoded(query), entry.title), room.stop(room.now())
    except (ProblemError, StoreError) as error:
        complain(say("panel.stays", why=error))
        return False
    return bool(led and seen(led) == seen(stop)) or lead(stop) > 0


def present(stop: Stop, number: int, picture: str = "") -> None:
    """Lead the class to a stop of a lecture that is presented.

    While the stop stays, the class stays: two hundred phones are not sent on at every step. Where
    somebody else has led the class away meanwhile, the next move leads it back.
    """
    if (room := lecturing()) is None:
        return
    with suppress(StoreError):  # the panel says so
        if (number, room.now().number) == _LED.value:
            if picture:
                room.store.show(_LED.value[1], picture)
        elif running := lead(stop, picture):
            _LED.set((number, running))


def revealed_column() -> tuple[Ballot, Tally] | None:
    """The column that the class has computed, once it is revealed to whoever is in the room."""
    if not SHOWN.value:
        return None
    room, cookies = classroom.running(), st.context.cookies
    if room is None or not (
        room.is_lecturer(cookies.get(LECTURER)) or room.student(cookies.get(STUDENT))
    ):
        return None
    try:
        now = room.now()
        ballot = room.ballot(now.ballot) if now.phase == "revealed" else None
        return (ballot, room.tally(now.ballot, ballot)) if ballot and ballot.column else None
    except (StoreError, ProblemError):
        return None  # the panel above says so


def ask(make: Callable[[], Ballot]) -> bool:
    """Ask the class that this session leads what is made now; whether it was asked."""
    room = lecturing()
    if room is None:
        return False
    try:
        room.ask(make())
    except (StoreError, RefusedError, ProblemError) as error:
        complain(say("ask.not-asked", why=error))
        return False
    return True
