"""My lecture: the stops in their order, their times and notes; presenting them."""

import streamlit as st

from pages.lecture import listing, presentation
from pages.shared.ui import frame, lectures, state

if state.asked("window") == "speaker":
    presentation.speaker()
    st.stop()
lectures.keep()
with st.container():
    frame.show_complaints()
listing.from_address()
if presentation.ON.value:
    presentation.show(lectures.current())
    st.stop()
listing.show(lectures.current())
