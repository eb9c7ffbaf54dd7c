"""The router: which lessons there are and in what order. Run it with `streamlit run app.py`.

A new lesson is a script in pages/ and a line here. With one page Streamlit draws no menu.
"""

import streamlit as st

from pages.ui import frame

st.set_page_config(page_title=frame.SITE, page_icon=frame.ICON, layout="wide")
page = st.navigation(
    [
        st.Page("pages/tag.py", title="Tag a sentence", url_path="start", default=True),
        st.Page("pages/tag.py", title="Tag a sentence", url_path="tag", visibility="hidden"),
    ]
)
frame.open_app()
page.run()
frame.close_app()
