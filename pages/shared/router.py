"""The router: every page in its frame, in the order of the course. app.py starts it."""

import streamlit as st

from pages.shared import contents
from pages.shared.ui import frame, loading, menu, received

loading.start()
received.guard()
page = menu.navigation()
entry = contents.entry(page.url_path)
st.set_page_config(f"{entry.title} · {frame.SITE}", frame.ICON, layout="wide")
frame.open_app()
menu.head(page.url_path)
if entry is not contents.FIRST:  # that one paints first, then waits
    loading.wait()
page.run()
menu.way_on(page.url_path)
frame.close_app()
