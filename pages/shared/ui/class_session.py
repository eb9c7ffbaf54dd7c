"""The class of this server as one session sees it: who its reader is, and what they may do.

room.lead(stop)              # from the lecturer's session; nothing happens in any other
room.show_page()             # the same with the page on screen
if room.lecturing(): …       # what is for the lecturer alone
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import streamlit as st

from pages.shared import contents
from pages.shared.course.classroom import classroom
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.tally import Tally
from pages.shared.course.lecture import PAGES, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.ui import problem_state, teacher
from pages.shared.ui import view as views
from pages.shared.ui.state import SessionValue, all_asked, complain

SHOWN = SessionValue(
    "class.shown", 0
)  # the number of the column whose answers stand in the picture
OPEN_KEY = SessionValue("class.open", "")  # key of the question that the class still answers
HERE = SessionValue("class.here", "")  # the address of the page on screen
STUDENT, LECTURER = "crf_student", "crf_lecturer"  # cookies
NEWS = "class/news"  # where the server says what goes on


class Member(NamedTuple):
    """A reader who has joined."""

    room: Classroom  # the class
    student: str = ""  # who they are, without a name; "" for the lecturer


def role(room: Classroom, cookies: Mapping[str, str]) -> str:
    """What a browser's cookies say: "lecturer", "student", or "" for neither."""
    if room.is_lecturer(cookies.get(LECTURER)):
        return "lecturer"
    return "student" if room.student(cookies.get(STUDENT)) else ""


def lecturing() -> Classroom | None:
    """The class that this session leads; None if it leads none."""
    room = classroom.running()
    return room if room and role(room, st.context.cookies) == "lecturer" else None


def member() -> Member | None:
    """The student of this session; None: whoever reads has not joined, or leads."""
    room = classroom.running()
    if room is None or role(room, st.context.cookies) != "student":
        return None
    return Member(room, room.student(st.context.cookies.get(STUDENT)) or "")


def lead(stop: Stop) -> int:
    """Show a stop to the class that this session leads.

    Returns:
        The stop's running number; 0: there is no class, it is another's, or it cannot be kept,
        which the page then says.
    """
    room = lecturing()
    if room is None:
        return 0
    try:
        return room.lead(stop)
    except StoreError as error:
        complain(f"The class does not follow. {error}")
        return 0


def show_page(less: Collection[str] = ()) -> bool:
    """Show the page on screen to the class that this session leads, exactly as its address does.

    A class that is there already is left in peace: who has begun to write is not sent anew.

    Args:
        less: Values of the address that the class is not to see, as they would tell an answer.

    Returns:
        Whether the class is there; False as well while this is one picture of a lecture, whose
        stop the class is led to by whoever presents it. What went wrong, the page says.
    """
    room, entry = lecturing(), contents.entry(HERE.value)
    page = "" if entry is contents.FIRST else entry.folder
    if room is None or page not in PAGES or views.current().screen:
        return False
    if problem_state.SHARED.is_set and problem_state.address() is None:
        complain("The class stays where it is: this problem is too large for a link.")
        return False
    unseen = {*less, "size", "picture"}

    def seen(stop: Stop) -> tuple[str, dict[str, str]]:
        return stop.page, {k: text for k, text in stop.values.items() if k not in unseen}

    query = {key: text for key, text in all_asked().items() if key not in unseen}
    try:
        stop, led = Stop(page, teacher.encoded(query), entry.title), room.stop(room.now())
    except (ProblemError, StoreError) as error:
        complain(f"The class stays where it is. {error}")
        return False
    return bool(led and seen(led) == seen(stop)) or lead(stop) > 0


class _Led(NamedTuple):
    """Where this session has led the class."""

    number: int  # of the stop in the lecture
    moves: int  # how often the window had been moved on
    running: int  # the stop's running number in the class


_LED = SessionValue[_Led | None]("class.led", None, kind=_Led)


def present(stop: Stop, number: int, moves: int) -> None:
    """Lead the class to a stop of a lecture that is presented.

    Args:
        stop: As it stands on the screen.
        number: Of the stop in the lecture. While it stays, the class stays: two hundred phones are
            not sent on at every step. But where somebody else has led the class away meanwhile,
            the next move leads it back: of two lecturers the last one that moves leads.
        moves: How often the window has been moved on.
    """
    led = _LED.value
    if led and led.number == number and (led.moves == moves or not is_led_elsewhere()):
        return
    running = lead(stop)
    if not running:
        return
    _LED.set(_Led(number, moves, running))


def is_led_elsewhere() -> bool:
    """Whether somebody else has led the class on since this session did by a lecture."""
    led, room = _LED.value, lecturing()
    if not led or room is None:
        return False
    try:
        return room.now().number != led.running
    except StoreError:
        return False  # the panel says so


def revealed_column() -> tuple[Ballot, Tally] | None:
    """The column that the class has computed, once it is revealed to whoever is in the room."""
    if not SHOWN.value:
        return None
    room = classroom.running()
    if room is None or not role(room, st.context.cookies):
        return None
    try:
        now = room.now()
        ballot = room.ballot(now.ballot) if now.phase == "revealed" else None
        if ballot is None or ballot.column is None:
            return None
        return ballot, room.tally(now.ballot, ballot)
    except (StoreError, ProblemError):
        return None  # the panel above says so


def ask(ballot: Ballot) -> bool:
    """Ask the class that this session leads; whether it was asked."""
    room = lecturing()
    if room is None:
        return False
    try:
        room.ask(ballot)
    except (StoreError, RefusedError, ProblemError) as error:
        complain(f"The class was not asked. {error}")
        return False
    return True
