"""The app as tests run it: a session goes first to the page that the test asks for."""

import streamlit as st

from pages import router
from pages.shared.ui import menu

if __name__ == "__main__":  # as Streamlit runs it; a collector of tests only imports it
    if goes := st.session_state.pop("goes", None):
        menu.navigation(router.draw_page)
        menu.go(*goes)
    router.draw()
