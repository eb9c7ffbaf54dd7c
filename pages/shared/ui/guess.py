"""Commit to a guess, then see: a question in front of an answer, skippable.

    if guess.first("Which word will greedy get wrong?", words, right=2, key=…, subject=…):
        …the answer…

Whoever asks to just see is not asked again in this session.
"""

from collections.abc import Hashable, Sequence

import streamlit as st

from pages.shared.figures import theme

_SKIPPED = "guess.skipped"


def first(
    question: str,
    options: Sequence[str],
    right: int,
    *,
    key: str,
    subject: Hashable,
    why: str = "",
) -> bool:
    """Ask, and say whether the answer may be shown.

    Args:
        question: Plain text.
        options: Plain texts to choose from.
        right: Index of the right one.
        key: Of the widgets.
        subject: What the question is about; about another one it is asked again.
        why: Said with the verdict.

    Returns:
        Whether the reader has committed to a guess, or has asked to see without one.
    """
    slot = f"{key}·said"
    said = st.session_state.get(slot)
    said = said[1] if isinstance(said, tuple) and said[0] == subject else None
    skipped = bool(st.session_state.get(_SKIPPED))
    if said is None and skipped:
        return True
    with st.container(border=True):
        chosen = st.radio(
            question,
            range(len(options)),
            index=None,
            format_func=lambda k: theme.markdown(options[k]),
            horizontal=True,
            key=f"{key}·{hash(subject)}",
        )
        if said is None:
            with st.container(horizontal=True):
                committed = st.button("Commit, then see", key=f"{key}·commit")
                if st.button("Just show me", key=f"{key}·skip", type="tertiary"):
                    st.session_state[_SKIPPED] = True
                    st.rerun()
            if committed and chosen is None:
                st.info("Choose one of them first, or just look.")
            elif committed:
                st.session_state[slot] = (subject, chosen)
                st.rerun()
            return False
        _verdict(said == right, options[right], why)
    return True


def _verdict(is_right: bool, right: str, why: str) -> None:
    if is_right:
        st.success(theme.markdown(f"Right. {why}".strip()), icon=":material/check:")
    else:
        st.error(theme.markdown(f"It is: {right}. {why}".strip()), icon=":material/close:")
