"""The terms of the course, one sentence or two each; every lesson links to them. Its last page."""

import streamlit as st
from markupsafe import Markup

from pages.glossary import quiz
from pages.shared.ui import menu
from pages.shared.ui.component import component
from pages.shared.ui.frame import note
from pages.shared.ui.lesson import Lesson

_ANCHOR = component("anchor", "pages/glossary/anchor")

lesson = Lesson.open("glossary")
if lesson.asks:
    with st.container(horizontal=True, vertical_alignment="center"):
        note("The course ends here. Go on:")
        menu.link("check", "Implement it, and check your code →")
        menu.link("", "Tag a sentence of your own →")
        if st.button("Train a tagger →", type="tertiary"):
            menu.go("tagger", {"beat": "train"})
if lesson.tells:
    st.html(quiz.TEXT.html("can"))
    st.html(quiz.as_html())
entry = Markup('<div id="{}"><dt>{}</dt><dd>{}</dd></div>').format
terms = sorted(lesson.text.paragraphs.items(), key=lambda one: one[1].title.lower())
entries = Markup("").join(entry(name, one.title, lesson.text.body(name)) for name, one in terms)
st.html(Markup('<dl class="crf-glossary">{}</dl>').format(entries))
lesson.teacher()
_ANCHOR(key="glossary.anchor", data={})  # the address is left alone: it names the term
