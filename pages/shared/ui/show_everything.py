"""The switch between a first reading and all there is: in the link, and kept in the browser."""

from typing import Any

import streamlit as st

from pages.shared.ui import client_values
from pages.shared.ui.controls import Flag
from pages.shared.ui.state import SessionValue, asked
from pages.shared.ui.words import say

EVERYTHING = Flag("lesson.everything", False, address="all")  # variants, tables, further folds
_TURNED = SessionValue("lesson.everything.turned", 0)  # how often, in this session
_SENT = SessionValue("lesson.everything.sent", 0)  # how often when the browser was told last
_LINKED = SessionValue("lesson.everything.linked", False)  # whether the link says it


def switch() -> bool:
    """Draw the switch; whether everything is shown."""
    if asked(EVERYTHING.address) is not None:
        _LINKED.set(True)
    is_on = EVERYTHING.widget(say("recursion.everything"), on_change=_turn)
    if _SENT.value < _TURNED.value:  # this was a fragment: the rest of the page tells the browser
        st.rerun()
    return is_on


def kept() -> dict[str, Any]:
    """What the browser keeps of the choice, for `scripts/kept/index.js`."""
    _SENT.set(_TURNED.value)
    write = EVERYTHING.write(EVERYTHING.value) if _TURNED.value else None
    return {"name": "crf.everything", "write": write, "serial": _TURNED.value, "quiet": True}


def _turn() -> None:
    _TURNED.set(_TURNED.value + 1)


def hear(key: str) -> None:
    """The browser says what was chosen before; what the link asks for comes first."""
    two = client_values.listed(lambda said: said, 2, 2)
    pair = client_values.genuine(client_values.state(key, "kept"), two)
    if pair and pair[1] in ("0", "1") and not _TURNED.value and not _LINKED.value:
        EVERYTHING.set(pair[1] == "1")
