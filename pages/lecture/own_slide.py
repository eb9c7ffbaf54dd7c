"""The fields of a slide of the lecturer's own: text, question, options, picture."""

from dataclasses import replace
from typing import Any

import streamlit as st

from pages.shared.contents import SLIDE
from pages.shared.course import lecture as files
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.slide import Slide, image_of, name_of
from pages.shared.ui import files as uploads
from pages.shared.ui import lectures, teacher
from pages.shared.ui.add_stop import MINUTES, TEXT
from pages.shared.ui.state import SessionValue, complain

LARGEST_FILE = 10_000_000  # bytes of a picture
_FIELDS = {
    name: SessionValue(f"lecture.slide.{name}.{{}}", "") for name in ("text", "question", "options")
}


def button() -> None:
    """Draw the button that adds a slide."""
    st.button(TEXT.title("slide"), icon=":material/add:", key="lecture.slide", on_click=_add)


def _add() -> None:
    lecture, title = lectures.current(), TEXT.title("slide-title")
    try:
        stop = changed(Stop(SLIDE.folder, "", title, minutes=MINUTES))
        lectures.change(lecture.with_stop(stop))
    except ProblemError as error:
        complain(TEXT.title("not-added", why=str(error)))
    else:
        lectures.CHOSEN.set(len(lecture.stops) + 1)


def changed(stop: Stop, **values: Any) -> Stop:
    """Return the stop with other values; a slide's address says its title, too."""
    stop = replace(stop, **values)
    if stop.page != SLIDE.folder:
        return stop
    slide = replace(Slide.from_query(stop.values), title=stop.title, image=name_of(stop.image))
    return replace(stop, query=teacher.encoded(slide.query()))


def fields(lecture: Lecture, k: int) -> None:
    """Draw the fields of stop k, each kept as soon as it is left; nothing where it is no slide."""
    stop = lecture.stops[k]
    if stop.page != SLIDE.folder:
        return
    slide = Slide.from_query(stop.values)
    for name, field in _FIELDS.items():
        if field.at(k).value != getattr(slide, name):
            field.at(k).set(getattr(slide, name))
        draw = st.text_input if name == "question" else st.text_area
        draw(
            TEXT.title(f"slide-{name}"), key=field.at(k).key, on_change=_say, args=(k, name),
            persist_state="session",
        )  # fmt: skip
    if slide.question and not slide.choices:
        st.warning(TEXT.title("slide-incomplete"))
    if stop.image:
        st.button(
            TEXT.title("slide-no-image"), key="lecture.slide.none", on_click=_show, args=(k, "")
        )
    uploads.loader(
        TEXT.title("slide-image"), TEXT.title("slide-image-kinds"), f"lecture.slide.image.{k}",
        lambda content, _: _show(k, image_of(content)), most=LARGEST_FILE,
    )  # fmt: skip


def _say(k: int, name: str) -> None:
    """Keep what one field says."""
    stop = lectures.current().stops[k]
    slide = replace(Slide.from_query(stop.values), **{name: _FIELDS[name].at(k).value})
    try:
        _put(k, changed(replace(stop, query=teacher.encoded(slide.query()))))
    except ProblemError:
        complain(TEXT.title("slide-too-long"))


def _show(k: int, image: str) -> None:
    _put(k, changed(lectures.current().stops[k], image=image))


def _put(k: int, stop: Stop) -> None:
    lecture = lectures.current()
    lecture = lecture.with_changed(k, **vars(stop))
    files.from_json(files.to_json(lecture))  # refuses what has become too large
    lectures.change(lecture)
