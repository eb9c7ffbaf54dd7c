"""Homework: sheets to hand out, a link whose answers come back as a code, and a check of codes."""

import streamlit as st

from pages.homework import checking, sheets, student
from pages.shared.ui import frame

with st.container():
    frame.show_complaints()
if "class" in st.query_params:
    student.show(st.query_params.to_dict())
    st.stop()
make, check = st.columns(2, gap="large")
with make:
    sheets.show()
with check:
    checking.show()
