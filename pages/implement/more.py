"""What stands behind "⋯" of Implement it: the problem as code, the starter, how to print."""

import streamlit as st

from crf.lab import mistakes
from crf.lab.starter import FLAVOURS, starter
from pages.implement import checking
from pages.implement.controls import checked
from pages.shared.course.problem import Problem
from pages.shared.course.problem_code import problem_code
from pages.shared.course.state import State
from pages.shared.figures import tables
from pages.shared.figures.beat import Beat
from pages.shared.figures.text import LessonText
from pages.shared.ui.controls import Choice, Flag

FILE = "homework.py"
KINDS = {"plain": "lists", "numpy": "numpy", "torch": "torch"}  # of the copied problem
_FLAVOUR = Choice("implement.flavour", "plain", labels={name: name for name in FLAVOURS})
_BATCHED = Flag("implement.batched", False)
FIRST = {"write": "starter", "cell": "copy", "impossible": "mistakes", "hidden": "mistakes"}
PRINTING = """
torch.set_printoptions(precision=6, sci_mode=False, threshold=10_000)
print(log_alphas)
""".strip()
SECTIONS = ("starter", "copy", "print", "mistakes")


def show(state: State, beat: Beat) -> None:
    """Draw the sections, the one that belongs to the beat first."""
    text = LessonText.of("implement")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        flavour = _FLAVOUR.widget(text.line("labels.flavour"))
        batched = _BATCHED.widget(text.line("labels.batched"))
    for name in sorted(SECTIONS, key=lambda name: name != FIRST[beat.name]):
        part = st.expander(
            text.line(f"folds.{name}"), key=f"implement.more.{name}", on_change="rerun"
        )
        if part.open:
            with part:
                st.html(text.html(name))
                _section(checked(state), text, name, flavour, batched)


def _section(problem: Problem, text: LessonText, name: str, flavour: str, batched: bool) -> None:
    if name == "starter":
        code = starter(flavour, batched=batched)
        label = text.line("labels.file")
        st.download_button(label, code, FILE, "text/x-python", key="implement.starter")
        st.code(code, language="python", height=320)
    elif name == "copy":
        tags = checking.scores_of(problem).tags
        code = problem_code(problem, KINDS[flavour], tags, batched=batched)
        st.code(code, language="python", height=260)
    elif name == "print":
        st.code(PRINTING, language="python")
    else:
        heads = [text.line("labels.mistake"), text.line("labels.why")]
        rows = [[mistakes.title(name), why] for name, why in mistakes.explanations().items()]
        st.html(tables.text_table(heads, rows, text.line("folds.mistakes")))
