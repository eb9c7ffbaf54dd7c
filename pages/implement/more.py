"""What stands behind "⋯" of Implement it: the problem as code, the starter, how to print."""

import pandas as pd
import streamlit as st

from crf.lab import mistakes
from crf.lab.starter import FLAVOURS, starter
from pages.implement import checking
from pages.shared.course.problem_code import problem_code
from pages.shared.course.state import State
from pages.shared.figures import theme
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui import bench
from pages.shared.ui.stage import look, whose

FILE = "homework.py"
KINDS = {"plain": "lists", "numpy": "numpy", "torch": "torch"}  # of the copied problem
PRINTING = """
torch.set_printoptions(precision=6, sci_mode=False, threshold=10_000)
print(log_alphas)
""".strip()


def _written(text: LessonText) -> tuple[str, bool]:
    """How code is to be written: its flavour, and whether for a batch."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label, names = text.line("labels.flavour"), list(FLAVOURS)
        flavour = st.segmented_control(label, names, default="plain", required=True)
        return flavour, st.toggle(text.line("labels.batched"))


def _starter(_state: State, _beat: Beat, text: LessonText) -> None:
    flavour, batched = _written(text)
    st.html(text.html("starter"))
    code = starter(flavour, batched=batched)
    label = text.line("labels.file")
    st.download_button(label, code, FILE, "text/x-python", key="implement.starter")
    st.code(code, language="python", height=320)


def _copy(state: State, _beat: Beat, text: LessonText) -> None:
    flavour, batched = _written(text)
    problem = checking.checked(state)
    tags = checking.scores_of(problem).tags
    st.html(text.html("copy"))
    code = problem_code(problem, KINDS[flavour], tags, batched=batched)
    st.code(code, language="python", height=260)


def _numbers(state: State, beat: Beat, _text: LessonText) -> None:
    problem = checking.checked(state)
    bench.show(bench.OnBench("implement", problem, hidden_from=bench.hides(state, beat)))


def _print(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("print"))
    st.code(PRINTING, language="python")


def _mistakes(_state: State, _beat: Beat, text: LessonText) -> None:
    st.html(text.html("mistakes"))
    rows = {mistakes.title(name): why for name, why in mistakes.explanations().items()}
    index = pd.Index([*rows], name=text.line("labels.mistake"))
    st.table(pd.DataFrame({text.line("labels.why"): [*rows.values()]}, index).map(theme.markdown))


SECTIONS: look.Sections = {
    "numbers": {"heat-maps": _numbers},
    "why": {"mistakes": _mistakes},
    "code": {"copy": _copy, "print": _print},
    "keep": {"whose": whose.section("implement"), "starter": _starter},
}
