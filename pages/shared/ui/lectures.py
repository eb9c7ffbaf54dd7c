"""The lecture that is being prepared: in the session, and kept in the browser.

lectures.keep()                     # draws the component that keeps it; once on a page
lectures.change(lectures.current().with_stop(stop))
"""

from dataclasses import dataclass, field
from typing import Any

from crf.figures.words import fill, words
from pages.shared.contents import PAGES
from pages.shared.course import lecture as files
from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.ui import client_values
from pages.shared.ui.component import component
from pages.shared.ui.controls import Integer
from pages.shared.ui.state import SessionValue, complain

_COMPONENT = component("kept", "pages/shared/ui/scripts/kept")
_KEY = "lecture.kept"
NAME = "crf.lecture"  # in the browser's storage
MOST_UNDONE = 50


@dataclass
class Mine:
    """The session's copy."""

    lecture: Lecture = field(default_factory=Lecture)  # as it stands
    serial: int = 0  # how often it was changed here
    heard: bool = False  # whether the browser has said what it keeps
    past: list[Lecture] = field(default_factory=list)  # earlier ones, the latest last


# The stop, from 1, that is chosen in the list, was presented last, or was added last.
CHOSEN = Integer("lecture.chosen", 1, low=1, high=files.MOST_STOPS, address="stop")
MINE = SessionValue[Mine | None]("lecture.mine", None, kind=Mine)


def say(name: str, /, **facts: Any) -> str:
    """Return a text of the lecture's text.md as plain text, "table.case", its holes filled."""
    return fill(words(PAGES / "lecture", file="text")[name], **facts)


def mine() -> Mine:
    """The session's copy, which begins when it is first asked for."""
    return MINE.begin(Mine)


def current() -> Lecture:
    """The lecture as it stands."""
    return mine().lecture


def change(lecture: Lecture) -> None:
    """Put another in its place; `undo` brings this one back."""
    own = mine()
    if lecture != own.lecture:
        own.past = [*own.past, own.lecture][-MOST_UNDONE:]
        own.lecture, own.serial = lecture, own.serial + 1


def add(stop: Stop) -> str:
    """Add a stop at the end and choose it; return what is said of it.

    Raises:
        ProblemError: There are too many stops.
    """
    lecture = current().with_stop(stop)
    change(lecture)
    CHOSEN.set(len(lecture.stops))
    return say("add.added", number=len(lecture.stops), lecture=lecture.title)


def undo() -> None:
    """Take the last change back."""
    own = mine()
    if own.past:
        own.lecture, own.serial = own.past.pop(), own.serial + 1


def keep() -> None:
    """Let the browser keep it, and take over what it keeps."""
    own = mine()
    write = files.to_json(own.lecture) if own.serial and own.heard else None
    _COMPONENT(
        key=_KEY,
        data={"name": NAME, "write": write, "serial": own.serial},
        on_kept_change=_hear,
        on_full_change=lambda: complain(say("list.full")),
    )


def _hear() -> None:
    """The browser says what it keeps: at the start, and when another tab has changed it."""
    pair = client_values.listed(lambda value: value, 2, 2)  # how often it was heard, and what
    kept_text = client_values.text(MAX_FILE)
    said = client_values.genuine(
        client_values.state(_KEY, "kept"), lambda value: kept_text(pair(value)[1])
    )
    own = mine()
    first, own.heard = not own.heard, True
    if not said:
        return
    try:
        kept = files.from_json(said)
        if first and own.serial and own.lecture.stops:  # something was added before it was heard
            kept = Lecture(kept.title, (*kept.stops, *own.lecture.stops))
            own.serial += 1
        own.lecture = kept
    except ProblemError as error:
        complain(say("list.unreadable", why=f"{error}."))
