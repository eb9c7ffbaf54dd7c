"""A lecturer's own stop of a lecture: a title, text, a picture, a question to the class."""

import streamlit as st
from markupsafe import Markup

from pages.shared.course.slide import Slide, name_of
from pages.shared.ui import lectures, question, state
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.state import SessionValue

SHOWN = SessionValue[Slide | None]("slide", None, kind=Slide)

slide = SHOWN.begin(lambda: Slide.from_query(state.all_asked()))
lesson = Lesson.open("slide", own=lambda _: slide.query())
image = ""
if slide.image:  # on the lecturer's own machine, whose browser has it
    if lesson.view.screen:
        lectures.keep()
    elif not lectures.MINE.is_set:
        lectures.current()
        st.rerun()  # the head keeps it from now on
    stops = lectures.current().stops
    image = next((stop.image for stop in stops if name_of(stop.image) == slide.image), "")
picture, text = lesson.split()
with picture:
    shown = Markup('<img src="{}" alt="">').format(image) if image else ""
    st.html(
        Markup('<div class="crf-slide" data-figure="slide"><h2>{}</h2>{}{}</div>').format(
            slide.title, Markup(slide.html), shown
        )
    )
with text:
    if slide.choices:
        options, right = slide.choices
        question.guess(slide.question, options, right, key="slide.guess", subject=slide)
lesson.close()
