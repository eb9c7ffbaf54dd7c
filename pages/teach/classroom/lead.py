"""The lecturer's browser: a component without a picture, which reports what is presented."""

from pathlib import Path

import streamlit as st

from crf.figures.words import words
from pages.shared.course import start_options
from pages.shared.ui.component import component
from pages.shared.ui.server_path import root
from pages.teach.classroom import network, server
from pages.teach.classroom.door import LECTURER

_FOLDER = Path(__file__).parent
_LEAD = component("lead", "pages/teach/classroom/lead")


def show() -> None:
    """Draw the component in the lecturer's session; draw nothing in any other."""
    room = next(iter(server.running), None)
    if room is None or not room.is_lecturer(st.context.cookies.get(LECTURER)):
        return
    _, bases = server.addresses(start_options.given.public)
    link = f"{next(iter(bases), 'http://127.0.0.1')}/join"
    data = {
        "words": words(_FOLDER),
        "base": root(),
        "code": room.keys.code,
        "link": link.partition("//")[2],
        "qr": network.qr_as_image(f"{link}?code={room.keys.code}"),
        "style": (_FOLDER / "lead.css").read_text(encoding="utf-8"),
    }
    _LEAD(key="class.lead", data=data)
