"""The router: every page in its frame, in the order of the course. app.py starts it."""

import streamlit as st

from pages.shared import contents
from pages.shared.ui import frame, loading, menu

loading.start()
st.set_page_config(page_title=frame.SITE, page_icon=frame.ICON, layout="wide")
page = menu.navigation()
frame.open_app()
menu.head(page.url_path)
if contents.entry(page.url_path) is not contents.FIRST:  # that one paints first, then waits
    loading.wait()
page.run()
menu.way_on(page.url_path)
frame.close_app()
