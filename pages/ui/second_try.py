"""A wrong answer gets a hint and one more try before the solution is shown."""

import streamlit as st


def settled(key: str, right: bool) -> bool:
    """Count an answer; whether the solution may be shown now.

    Args:
        key: Of the question, with its numbers: new numbers are a new question.
        right: Whether the answer is.

    Returns:
        True if it is right, or the second wrong one.
    """
    slot = f"{key}·wrong"
    before = st.session_state.get(slot)
    before = before if isinstance(before, int) else 0
    st.session_state[slot] = before + (not right)
    return right or before > 0
