"""What stands behind "⋯" of What now?: what was measured, and the layer as code."""

import pandas as pd
import streamlit as st

from crf.figures.numbers import decimal
from pages.now.beats import LAYER, measured, word
from pages.shared.course.state import State
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui.frame import note


def _measured(_state: State, _beat: Beat, text: LessonText) -> None:
    """Each network with a softmax, and with a CRF; of names also what forbidding alone gives."""
    rows = [
        [
            word(row["name"]),
            word(f"{row['name']}-measure"),
            *(decimal(f"{value:.1f}") for value in row["pair"]),
            decimal(f"{row['cut']:.1f}") if "cut" in row else "",
        ]
        for row in measured()
    ]
    heads = [text.line(f"labels.{name}") for name in ("network", "measure")]
    heads += [word("softmax"), word("crf"), text.line("labels.forbidding")]
    frame = pd.DataFrame(rows, columns=heads)
    note(text.line("labels.caption"))
    st.dataframe(frame, hide_index=True, height="content", alt=text.line("labels.caption"))


def _layer(_state: State, _beat: Beat, _text: LessonText) -> None:
    st.code(LAYER.read_text(encoding="utf-8"), language="python")


SECTIONS = {"numbers": {"measured": _measured}, "code": {"layer": _layer}}
