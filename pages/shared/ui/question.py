"""A question to check oneself whose answer is a number.

A wrong answer gets one more try with a hint before the solution is shown; another answer, or
another question (another key), starts again.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

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


_ANSWER = SessionValue[Any]("{}.answer", None, kind=object)  # in the field of a question
_CHECKED = SessionValue[Any]("{}·checked", None, kind=object)  # the answer
_WRONG = SessionValue("{}·wrong", frozenset[object]())  # answers


def number(
    question: str,
    judge: Callable[[float], Verdict],
    *,
    key: str,
) -> None:
    """Ask for a number; if the reader types anything else, say what is wrong.

    `key`: of the question, with its numbers: new numbers are a new question.
    """
    with st.form(key):
        typed = st.text_input(
            question, key=f"{key}.answer", max_chars=60, autocomplete="off", width=520
        )
        if not _is_checked(key, typed) or not typed.strip():
            return
        try:
            value = parse_finite(typed, words("question.answer"))
        except ProblemError as error:
            st.warning(theme.markdown(str(error)))
        else:
            _settle(key, typed, judge(value))


def _say(verdict: Verdict, *, again: bool) -> None:
    """Draw a verdict as a sign and a sentence."""
    text = theme.markdown(verdict.text)
    if verdict.right:
        st.success(words("question.right", why=text).strip(), icon=":material/check:")
    else:
        wrong = words("question.wrong-again" if again else "question.wrong", why=text)
        st.error(" ".join(wrong.split()), icon=":material/close:")


def _is_checked(key: str, answer: object) -> bool:
    """Draw the button; whether the answer was checked, now or before, and not changed since."""
    field, checked = _ANSWER.at(key), _CHECKED.at(key)
    st.form_submit_button(words("question.check"), on_click=lambda: checked.set(field.value))
    return checked.is_set and checked.value == answer


def _settle(key: str, answer: object, verdict: Verdict) -> None:
    """Show the verdict, and offer the solution after the second wrong answer."""
    wrong = _WRONG.at(key).value | (set() if verdict.right else {answer})
    _WRONG.at(key).set(wrong)
    _say(verdict, again=len(wrong) < 2 and bool(verdict.solution))
    if verdict.solution and (verdict.right or len(wrong) > 1):
        st.markdown(theme.markdown(verdict.solution))
