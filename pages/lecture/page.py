"""My lecture: the stops in their order, their times and notes; presenting them."""

import streamlit as st

from pages.lecture import listing, stage
from pages.shared.ui import frame, lectures, state

if state.asked("window") == "speaker":
    stage.speaker()
    st.stop()
lectures.keep()
with st.container():
    frame.show_complaints()
listing.from_address()
if stage.ON.value:
    stage.show(lectures.current())
    st.stop()
listing.show(lectures.current())
