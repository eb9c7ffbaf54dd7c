"""Homework: sheets to hand out, a link whose answers come back as a code, and a check of codes."""

import streamlit as st

from pages.homework import checking, sheets, student
from pages.shared.ui import frame, state

with st.container():
    frame.show_complaints()
if state.asked("class") is not None:
    student.show(state.all_asked())
    st.stop()
checked = st.container()  # above the form: where one looks when it has been sent
make, check = st.columns(2, gap="large")
with make:
    sheets.show()
with check:
    checking.show(checked)
