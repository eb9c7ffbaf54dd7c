"""Lesson: a trained tagger at work on a sentence of the reader's own, and all its readings."""

import streamlit as st

from pages.shared.ui import frame, state
from pages.shared.ui import view as views
from pages.tag import controls
from pages.tag.answer import about, answer

view = views.current()
views.dress(view, "tag")  # first: the menu takes the room that its letters have then
views.offer_all(view)
for key in ("hide", "size"):
    state.publish_one(key, view.query().get(key, ""))
if "controls" in view.hide:  # the fields keep what they hold
    frame.style(".st-key-tag-fields, .st-key-tag-spaces, .st-key-tag-buttons { display: none; }")


@st.fragment
def sentence() -> None:
    """The fields and the answer: a new sentence runs this, not the menu and the foot around it."""
    complaints = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom", key="tag-fields"):
        text = controls.sentence_field()
        controls.examples(text)
        name = controls.tagger_switch()
    with st.container(key="tag-spaces", horizontal=True, vertical_alignment="center", gap="large"):
        controls.spaces_switch()
        controls.tour()
    with complaints:
        frame.show_complaints()

    with st.container():
        loaded = controls.load(name)
        tokens = controls.split(loaded[1], text) if loaded else None
    with st.container():
        if loaded and tokens and answer(*loaded, tokens, text):
            about(*loaded, tokens)


sentence()
