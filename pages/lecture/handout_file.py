"""The whole lecture as one HTML file; the figure in `handout` fetches each stop's figures."""

from crf.figures.words import words
from pages.lecture import stage
from pages.shared.contents import ROOT
from pages.shared.course.lecture import Lecture
from pages.shared.ui.component import component
from pages.shared.ui.served import root

_FOLDER = "pages/lecture/handout"
_COMPONENT = component("lecture_file", _FOLDER)


def handout(lecture: Lecture) -> None:
    """Show the button that saves it."""
    stops = [
        {
            "href": f"{root()}{stage.address_of(stop)}{'?' * bool(stop.query)}{stop.query}",
            "title": stop.title,
            "note": stop.note,
        }
        for stop in lecture.stops
    ]
    data = {
        "title": lecture.title or "My lecture",
        "name": "lecture.html",
        "stops": stops,
        "words": words(ROOT / _FOLDER),
    }
    _COMPONENT(key="lecture.handout", data=data)
