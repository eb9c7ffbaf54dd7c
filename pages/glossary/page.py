"""The terms of the course, one sentence or two each; every lesson links to them."""

import streamlit as st
from markupsafe import Markup

from pages.shared.ui.component import component
from pages.shared.ui.lesson import Lesson

_ANCHOR = component("anchor")

lesson = Lesson.open("glossary")
entry = Markup('<div id="{}"><dt>{}</dt><dd>{}</dd></div>').format
terms = sorted(lesson.text.paragraphs.items(), key=lambda one: one[1].title.lower())
entries = Markup("").join(entry(name, one.title, lesson.text.body(name)) for name, one in terms)
st.html(Markup('<dl class="crf-glossary">{}</dl>').format(entries))
lesson.teacher()
_ANCHOR(key="glossary.anchor", data={})  # the address is left alone: it names the term
