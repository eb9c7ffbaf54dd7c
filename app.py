"""What `streamlit run app.py` starts: the way to the router, pages/shared/router.py.

Not the router itself: a folder pages/ beside the script that runs would wake Streamlit's older way
of finding pages, and a link that is opened on a cold server would miss the router.
"""

import sys

import streamlit as st

from pages import beats
from pages.shared.course import start_options
from pages.shared.ui import component, preload
from pages.shared.ui.server.stack import stack
from pages.shared.ui.stage import beat_page, draw, lectures
from pages.words import runs

options = start_options.read(sys.argv)
routes, how = [*component.routes()], {}
routes += [*draw.routes(beats.LESSONS), *beat_page.routes(beats.LESSONS)]
routes += [*lectures.routes(beats.LESSONS), *runs.routes()]
if options.room:
    from pages.shared.ui import class_server

    how = class_server.parts(options)
    routes += how.pop("routes")
preload.start(first=bool(options.room))
app = st.App("pages/shared/router.py", routes=routes, middleware=stack(options), **how)

if __name__ == "__main__":
    app.run()
