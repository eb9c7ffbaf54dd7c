"""The switches of the lessons: one table of their keys, values and words, kept in the address.

A switch that stands as its page has it by default is left out of the address.
"""

from dataclasses import dataclass, replace

import streamlit as st

from pages.shared.ui.state import complain


@dataclass(frozen=True)
class Option:
    """A switch.

    Attributes:
        key: In the address.
        label: What the page calls it.
        values: Its values, each with the words on its button.
        help: What it does.
        page: The lesson that has a value of its own; "": all lessons share one.
    """

    key: str
    label: str
    values: dict[str, str]
    help: str
    page: str = ""

    @property
    def slot(self) -> str:
        """Where its value is in the session."""
        return ".".join(filter(None, ("lesson", self.page, self.key)))


CONVENTION = Option(
    "convention",
    "Convention",
    {"state": "State", "message": "Message", "pair": "Pair"},
    "Where the emission goes. State: a cell holds its own token’s emission. Message: a cell holds "
    "everything before the next tag, so there is one column fewer. Pair: transition and emission "
    "are one table. All give the same Z.",
)
SPACE = Option(
    "space",
    "Numbers as",
    {"log": "Log-scores", "probability": "Potentials"},
    "Log-scores are added; potentials, their exponentials, are multiplied. The same recursion.",
)
SEMIRING = Option(
    "semiring",
    "Ways are",
    {"sum": "Summed", "max": "Compared (max)"},
    "Sum over all ways into a cell: forward. Keep the best way only: Viterbi. All else is equal.",
)


def of_page(option: Option, page: str) -> Option:
    """The same switch with a value of this lesson's own; its key in the address stays."""
    return replace(option, page=page)


def adopt(option: Option, default: str) -> str:
    """The value of a switch: the session's, else the address's, else the default."""
    slot = option.slot
    if st.session_state.get(slot) not in option.values:
        asked = st.query_params.get(option.key, default)
        if asked not in option.values:
            complain(
                f"The address asks for {option.key} “{asked[:40]}”, which does not exist. There "
                f"are {', '.join(option.values)}."
            )
            asked = default
        st.session_state[slot] = asked
    return st.session_state[slot]


def switch(option: Option, default: str) -> str:
    """Draw a switch and return its value."""
    adopt(option, default)
    return st.segmented_control(
        option.label,
        list(option.values),
        format_func=option.values.get,
        required=True,
        help=option.help,
        key=option.slot,
        persist_state="session",
    )
