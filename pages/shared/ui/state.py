"""What the pages remember between runs: one table of keys, and the tags that were set by hand.

SENTENCE and TAGGER are in the URL, too, by these names, written from here: a widget bound to the
query would write its label, and the query could not be cleared for another page. All of it comes
from the browser, so all of it is checked before use.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

SENTENCE = "sentence"  # str, at most MAX_CHARACTERS
TAGGER = "tagger"  # key of a tagger, see taggers.py
EXAMPLE = "example"  # name of a worked example, or None
BY_HAND = "by_hand"  # ByHand
COMPLAINTS = "complaints"  # list[str]: what was wrong with the last input, each shown once

MAX_CHARACTERS = 1000
MAX_TOKENS = 60
DEFAULT_TAGGER = "bilstm"


@dataclass
class ByHand:
    """The tags set by hand for one sentence, and the way back; another tagger has them, too.

    Attributes:
        subject: (tags, tokens) that the tags belong to.
        fixed: [L] tag indices, −1 where free.
        history: Earlier values of `fixed`, latest last.
    """

    subject: tuple[tuple[str, ...], tuple[str, ...]]
    fixed: tuple[int, ...]
    history: list[tuple[int, ...]] = field(default_factory=list)

    def choose(self, token: int, tag: int) -> None:
        """Set one token's tag (−1: let the model choose)."""
        self._change((*self.fixed[:token], tag, *self.fixed[token + 1 :]))

    def hold(self, token: int, tag: int) -> None:
        """Hold one token at a tag; if it is held there, let it go."""
        self.choose(token, -1 if self.fixed[token] == tag else tag)

    def clear(self) -> None:
        """Let the model choose every tag."""
        self._change((-1,) * len(self.fixed))

    def undo(self) -> None:
        """Go back to what was before the last change."""
        if self.history:
            self.fixed = self.history.pop()

    def _change(self, fixed: tuple[int, ...]) -> None:
        if fixed != self.fixed:
            self.history.append(self.fixed)
            self.fixed = fixed


def by_hand(
    subject: tuple[tuple[str, ...], tuple[str, ...]], asked: Callable[[], dict[int, int]]
) -> ByHand:
    """The tags set by hand for these tags and tokens; none for others.

    Args:
        subject: (tags, tokens).
        asked: At the start of a session, what the address sets: token → tag index.
    """
    current = st.session_state.get(BY_HAND)
    if not isinstance(current, ByHand) or current.subject != subject:
        given = {} if isinstance(current, ByHand) else asked()
        fixed = tuple(given.get(t, -1) for t in range(len(subject[1])))
        current = st.session_state[BY_HAND] = ByHand(subject, fixed)
    return current


def adopt_sentence(default: str) -> None:
    """Take the sentence from the URL when the session starts."""
    if not isinstance(st.session_state.get(SENTENCE), str):
        st.session_state[SENTENCE] = st.query_params.get(SENTENCE, default)
        cut_sentence()


def cut_sentence() -> None:
    """Cut a sentence that is too long for its field, and for the URL, and say so."""
    text = st.session_state[SENTENCE]
    if len(text) > MAX_CHARACTERS:
        st.session_state[SENTENCE] = text[:MAX_CHARACTERS]
        complain(
            f"That text has {len(text):,} characters. The field holds {MAX_CHARACTERS:,}, so the "
            "rest was cut off."
        )


def complain(message: str) -> None:
    """Keep what was wrong with the last input, or with the address, until the page shows it."""
    st.session_state.setdefault(COMPLAINTS, []).append(message)


def take_complaints() -> list[str]:
    """What was wrong, if anything; asking clears it."""
    return st.session_state.pop(COMPLAINTS, [])


def publish(key: str, value: str, default: str) -> None:
    """Put a value in the URL; the default is left out."""
    if value == default:
        st.query_params.pop(key, None)
    elif st.query_params.get(key) != value:
        st.query_params[key] = value
