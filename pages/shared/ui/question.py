"""A question to check oneself whose answer is a number.

A wrong answer gets one more try with a hint before the solution is shown; another answer, or
another question (another key), starts again.
"""

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_finite
from pages.shared.figures import theme
from pages.shared.ui.state import SessionValue
from pages.shared.ui.words import say as words


class Verdict(NamedTuple):
    """The verdict on an answer."""

    right: bool  # whether it is
    text: str = ""  # Why, if it is; else a hint. Plain text.
    solution: str = ""  # shown after the second wrong answer; "" if there is none


_TRIED = SessionValue[tuple[str, ...]]("{}·tried", ())  # the answers that were checked, in order


def number(
    question: str,
    judge: Callable[[float], Verdict],
    *,
    key: str,
) -> None:
    """Ask for a number; if the reader types anything else, say what is wrong.

    `key`: of the question, with its numbers: new numbers are a new question.
    """
    tried = _TRIED.at(key)
    with st.form(key):
        typed = st.text_input(
            question, key=f"{key}.answer", max_chars=60, autocomplete="off", width=520
        )
        if st.form_submit_button(words("question.check")):
            tried.set((*tried.value, typed))
        if tried.value[-1:] != (typed,) or not typed.strip():
            return  # not checked, or changed since
        try:
            verdict = judge(parse_finite(typed, words("question.answer")))
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
            return
        wrong = {answer for answer in tried.value if _is_wrong(answer, judge)}
        _say(verdict, again=len(wrong) < 2 and bool(verdict.solution))
        if verdict.solution and (verdict.right or len(wrong) > 1):
            st.markdown(theme.markdown(verdict.solution))


def _is_wrong(answer: str, judge: Callable[[float], Verdict]) -> bool:
    try:
        return not judge(parse_finite(answer, "")).right
    except ProblemError:
        return False


def _say(verdict: Verdict, *, again: bool) -> None:
    """Draw a verdict as a sign and a sentence."""
    text = theme.markdown(verdict.text)
    if verdict.right:
        st.success(words("question.right", why=text).strip(), icon=":material/check:")
    else:
        wrong = words("question.wrong-again" if again else "question.wrong", why=text)
        st.error(" ".join(wrong.split()), icon=":material/close:")
