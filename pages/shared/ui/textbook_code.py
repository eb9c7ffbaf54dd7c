"""A part to unfold with a recursion as textbooks write it, beside our names for theirs.

In the lessons with a stepper its script marks the lines of the step on screen, by `data-code`.
"""

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.shared.course import textbook
from pages.shared.figures.text import LessonText
from pages.shared.ui.lesson import Lesson

_WORDS = LessonText.load(Path(__file__).with_name("textbook_code.md"))


def show(lesson: Lesson, name: str, *, stepper: str = "", now: str = "") -> None:
    """Draw it, if it is open.

    Args:
        lesson: Whose part it is.
        name: A function of `textbook`.
        stepper: Key of the stepper that marks the lines.
        now: Without one, the kind of step whose lines are marked.
    """
    with lesson.fold("As textbooks write it", key="textbook", icon=":material/code:") as is_open:
        if is_open and lesson.tells:
            st.html(_WORDS.html("marked" if stepper else "marked-batch"))
            st.html(listing(name, stepper=stepper, now=now))
            names = _WORDS.html(name.replace("_", "-"))
            st.html(Markup('<div class="crf-scroll" tabindex="0">{}</div>').format(names))


def listing(name: str, *, stepper: str = "", now: str = "") -> Markup:
    """A function as HTML, each line with the kind of step in which it runs."""
    line = Markup('<span data-step="{}"{}>{}</span>\n')
    lit = Markup(' class="crf-runs"')
    code = Markup("").join(
        line.format(kind, lit if now and kind == now else "", text)
        for text, kind in textbook.lines(getattr(textbook, name))
    )
    return Markup('<pre class="crf-listing" data-code="{}"><code>{}</code></pre>').format(
        stepper, code
    )
