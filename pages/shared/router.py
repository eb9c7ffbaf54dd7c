"""The router: every page in its frame, in the order of the course. app.py starts it."""

import streamlit as st

from pages.shared import contents
from pages.shared.course.start_options import given
from pages.shared.ui import frame, loading, menu, received, sources

received.guard()
page = menu.navigation()
entry = contents.entry(page.url_path)
st.set_page_config(f"{entry.title} · {frame.SITE}", layout="wide")
frame.open_app(menu.section(page.url_path))
menu.head(page.url_path)
if entry is not contents.FIRST:  # that one paints first, then waits
    loading.wait()
if given().room:
    from pages.shared.ui import class_panel  # what nobody needs where there is no class

    class_panel.show(page.url_path)
page.run()
sources.show(entry.folder)
menu.way_on(page.url_path)
frame.close_app()
