"""The router: every page in its frame, in the order of the course. `streamlit run app.py`.

A new lesson is a script in pages/ and a line in pages/ui/course.py.
"""

import streamlit as st

from pages.shared.ui import course, frame

st.set_page_config(page_title=frame.SITE, page_icon=frame.ICON, layout="wide")
page = course.navigation()
frame.open_app()
page.run()
course.way_on(page.url_path)
frame.close_app()
