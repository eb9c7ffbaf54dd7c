"""The fields of a slide of the lecturer's own: text, question, options, picture."""

from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from pages.shared.contents import SLIDE
from pages.shared.course import lecture as files
from pages.shared.course.lecture import Lecture, Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.slide import Slide, image_of, name_of
from pages.shared.ui import files as uploads
from pages.shared.ui import lectures, teacher
from pages.shared.ui.add_stop import MINUTES
from pages.shared.ui.lectures import say
from pages.shared.ui.state import SessionValue, complain

LARGEST_FILE = 10_000_000  # bytes of a picture
_FIELDS = {
    name: SessionValue(f"lecture.slide.{name}.{{}}", "") for name in ("text", "question", "options")
}


def button() -> None:
    """Draw the button that adds a slide."""
    st.button(say("slide.add"), icon=":material/add:", key="lecture.slide", on_click=_add)


def _add() -> None:
    try:
        lectures.add(changed(Stop(SLIDE.folder, "", say("slide.first-title"), minutes=MINUTES)))
    except ProblemError as error:
        complain(say("add.failed", why=error))


def changed(stop: Stop, **values: Any) -> Stop:
    """Return the stop with other values; a slide's address says its title, too."""
    stop = replace(stop, **values)
    if stop.page != SLIDE.folder:
        return stop
    slide = replace(Slide.from_query(stop.values), title=stop.title, image=name_of(stop.image))
    return replace(stop, query=teacher.encoded(slide.query()))


def as_html(stop: Stop) -> str:
    """Return a slide as HTML, its question with the options; "" for any other stop."""
    if stop.page != SLIDE.folder:
        return ""
    slide = Slide.from_query(stop.values)
    image = Markup('<img src="{}" alt="">').format(stop.image) if stop.image else ""
    shown = Markup("{}{}<p>{}</p>").format(Markup(slide.html), image, slide.question)
    for option in slide.choices[0] if slide.choices else ():
        shown += Markup("<p>☐ {}</p>").format(option)
    return str(shown)


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
            say(f"slide.{name}"), key=field.at(k).key, on_change=_keep_field, args=(k, name),
            persist_state="session",
        )  # fmt: skip
    if slide.question and not slide.choices:
        st.warning(say("slide.incomplete"))
    if stop.image:
        st.button(
            say("slide.no-image"), key="lecture.slide.none", on_click=_keep, args=(k, {"image": ""})
        )
    uploads.loader(
        say("slide.image"), say("slide.image-kinds"), f"lecture.slide.image.{k}",
        lambda content, _: _keep(k, {"image": image_of(content)}), most=LARGEST_FILE,
    )  # fmt: skip


def _keep_field(k: int, name: str) -> None:
    stop = lectures.current().stops[k]
    slide = replace(Slide.from_query(stop.values), **{name: _FIELDS[name].at(k).value})
    try:
        _keep(k, {"query": teacher.encoded(slide.query())})
    except ProblemError:
        complain(say("slide.too-long"))


def _keep(k: int, values: dict[str, str]) -> None:
    """Give stop k other values."""
    lecture = lectures.current()
    lecture = lecture.with_changed(k, changed(lecture.stops[k], **values))
    files.from_json(files.to_json(lecture))  # refuses what has become too large
    lectures.change(lecture)
