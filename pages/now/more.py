"""What stands behind "⋯" of What now?: the layer as code."""

import streamlit as st

from pages.now.beats import LAYER
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText


def _layer(_state: State, _beat: Beat, _text: LessonText) -> None:
    st.code(LAYER.read_text(encoding="utf-8"), language="python")


SECTIONS = {"code": {"layer": _layer}}
