"""The whole lecture as one HTML file; the figure in `handout` fetches each stop's figures."""

from markupsafe import Markup

from crf.figures.words import words
from pages.lecture import presentation
from pages.shared.contents import ROOT, SLIDE
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.slide import Slide
from pages.shared.ui.component import component
from pages.shared.ui.server_path import root

_FOLDER = "pages/lecture/handout"
_COMPONENT = component("lecture_file", _FOLDER)


def handout(lecture: Lecture) -> None:
    """Show the button that saves it."""
    stops = [
        {
            "href": f"{root()}{presentation.address_of(stop)}{'?' * bool(stop.query)}{stop.query}",
            "title": stop.title,
            "note": stop.note,
            "slide": _slide(stop),
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


def _slide(stop: Stop) -> str:
    """Return a slide of the lecturer's own as HTML; "" for any other stop."""
    if stop.page != SLIDE.folder:
        return ""
    slide = Slide.from_query(stop.values)
    image = Markup('<img src="{}" alt="">').format(stop.image) if stop.image else ""
    return str(Markup("{}{}<p>{}</p>").format(Markup(slide.html), image, slide.question))
