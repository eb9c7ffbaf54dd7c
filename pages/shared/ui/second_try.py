"""Questions beside each other: each keeps its verdict, and a wrong answer gets one more try.

given = st.text_input(…)
pressed = st.form_submit_button("Check")
if checked(key, pressed, given) and settled(key, is_right(given), pressed):
    …the solution…
"""

import streamlit as st


def checked(key: str, pressed: bool, answer: object) -> bool:
    """Whether there is a verdict on the answer: it was checked, now or before, and not changed.

    Args:
        key: Of the question, with its numbers: new numbers are a new question.
        pressed: Whether the answer is being checked now.
        answer: What its field holds.
    """
    slot = f"{key}·checked"
    if pressed:
        st.session_state[slot] = answer
    return slot in st.session_state and st.session_state[slot] == answer


def settled(key: str, right: bool, pressed: bool = True) -> bool:
    """Whether the solution may be shown: not before the second wrong answer.

    Args:
        key: As above.
        right: Whether the answer is.
        pressed: Whether it is being checked now; else it has been counted before.

    Returns:
        True if it is right, or the second wrong one.
    """
    slot = f"{key}·wrong"
    before = st.session_state.get(slot)
    before = before if isinstance(before, int) else 0
    wrong = before + (pressed and not right)
    st.session_state[slot] = wrong
    return right or wrong > 1
