"""What `streamlit run app.py` starts: the way to the router, pages/router.py.

Not the router itself: a folder pages/ beside the script that runs would wake Streamlit's older way
of finding pages, and a link that is opened on a cold server would miss the router.

It imports nothing that needs torch, because the server answers before torch is there.
"""

import sys

import streamlit as st

from pages import beats
from pages.now import sheet
from pages.read import page as article
from pages.shared.course import start_options
from pages.shared.ui import component, fonts, preload
from pages.shared.ui.server import streamlit_files
from pages.shared.ui.server.stack import stack
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import beat_page, draw, lectures
from pages.words import runs

options = start_options.given = start_options.read(sys.argv)
routes, how, room = [streamlit_files.mount(root()), *component.routes(), fonts.route()], {}, None
if options.room:
    from pages.teach.classroom import server

    room = server.parts(options, beats.LESSONS)
    routes, how = [*routes, *room.routes], {"lifespan": room.lifespan}
visitor = room.visitor if room else None
for part in (beat_page, draw, lectures):
    routes += part.routes(beats.LESSONS, visitor)
routes += [*runs.routes(visitor), *article.routes(), *sheet.routes()]
preload.start(first=bool(options.room))
middleware = stack(options, visitor)
app = st.App("pages/router.py", routes=routes, middleware=middleware, **how)

if __name__ == "__main__":
    app.run()
