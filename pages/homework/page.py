"""Homework: sheets to hand out, a link whose answers come back as a code, and a check of codes."""

import streamlit as st

from pages.homework import checking, sheets, student
from pages.shared.ui import frame, state

complaints = st.container()
if state.asked("class") is not None:
    student.show(state.all_asked())
else:
    make, check = st.columns(2, gap="large")
    below = st.container()
    with make:
        sheets.show()
    with check:
        checking.show(below)
    state.publish(sheets.query())
with complaints:
    frame.show_complaints()
