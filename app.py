"""What `streamlit run app.py` starts: the way to the router, pages/shared/router.py.

Not the router itself: a folder pages/ beside the script that runs would wake Streamlit's older way
of finding pages, and a link that is opened on a cold server would miss the router.
"""

import sys

import streamlit as st

from pages.shared.course import start_options

options = start_options.read(sys.argv)
if options.room:
    from pages.shared.ui import class_server

    app = st.App("pages/shared/router.py", **class_server.parts(options))
else:
    app = st.App("pages/shared/router.py")

if __name__ == "__main__":
    app.run()
