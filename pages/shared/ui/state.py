"""The session's values and the address's: one table, in which each key is declared once.

    REACHED = SessionValue("{}.reached", 0)     # each lesson has its own
    REACHED.at("forward").value

What the reader sets is a control (`pages.shared.ui.controls`), a kind of it that checks more, has
a widget, and may stand in the address. Nothing else touches Streamlit's session state or query;
what a component says is read by `pages.shared.ui.client_values`.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import streamlit as st

T = TypeVar("T")
U = TypeVar("U")


class InvalidError(ValueError):
    """A value that is not allowed; the message says what is."""


TABLE: dict[str, "SessionValue[Any]"] = {}


@dataclass(frozen=True)
class SessionValue(Generic[T]):
    """Something that the session remembers from run to run."""

    # In the session: the name of a lesson or a part, a dot, its own; after a widget's key a `·` and
    # what belongs to that widget. With {} in it, for `at` to fill, one for each lesson or widget.
    key: str
    default: T  # what it holds as long as nothing was kept
    # The type of what it holds; None: the default's. Any other type counts as missing, since a
    # browser may send anything for a widget with this key.
    kind: Any = field(default=None, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        other = TABLE.setdefault(self.key, self)
        meanings = {(type(one), getattr(one, "address", "")) for one in (other, self)}
        if len(meanings) > 1:
            raise ValueError(f"key: two values are called {self.key!r}; choose another name")
        TABLE[self.key] = self

    def at(self, *names: object) -> Self:
        """The value of one lesson or widget, whose names replace the {} in the key."""
        value = copy(self)
        object.__setattr__(value, "key", self.key.format(*names))
        return value

    def check(self, value: object) -> T:
        """Return the value if it is allowed, else raise an InvalidError."""
        if isinstance(value, self.kind or type(self.default)):
            return value  # pyright: ignore[reportReturnType]
        raise InvalidError(f"{self.key}: that is a {type(value).__name__}.")

    @property
    def is_set(self) -> bool:
        """Whether the session has a value."""
        return self.key in st.session_state

    @property
    def value(self) -> T:
        """The session's value, else the default."""
        return self._checked(st.session_state.get(self.key))

    def _checked(self, value: object) -> T:
        try:
            return self.check(value)
        except InvalidError:
            return self.default

    def set(self, value: T) -> None:
        """Set the value or raise InvalidError; for a drawn widget, only from a callback."""
        st.session_state[self.key] = value if value is self.default else self.check(value)

    def reset(self) -> None:
        """Go back to the default."""
        st.session_state[self.key] = self.default

    def begin(self, make: Callable[[], U]) -> U:
        """The session's value; if there is none, make one and keep it."""
        try:
            value: Any = self.check(st.session_state.get(self.key))
        except InvalidError:
            value = st.session_state[self.key] = make()
        return value

    def take(self) -> T:
        """Return the value and forget it."""
        return self._checked(st.session_state.pop(self.key, None))


PAGE = SessionValue("page", "")  # the address of the page that runs
# ---------------------------------------------------------------------- the address


def asked(name: str) -> str | None:
    """The address's value under a name."""
    return st.query_params.get(name)


def all_asked() -> dict[str, str]:
    """All values of the address."""
    return st.query_params.to_dict()


LANGUAGE = "lang"  # in every address, once it is chosen


def publish(query: Mapping[str, str]) -> None:
    """Replace the address's values by these, keeping only the language."""
    if chosen := asked(LANGUAGE):
        query = {**query, LANGUAGE: chosen}
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def publish_one(name: str, value: str, default: str = "") -> None:
    """Add a value to the address; the default is left out."""
    if value == default:
        st.query_params.pop(name, None)
    elif asked(name) != value:
        st.query_params[name] = value


# ---------------------------------------------------------------------- what was wrong

COMPLAINTS = SessionValue[list[str]]("complaints", [])  # about the last input, each shown once


def complain(message: str) -> None:
    """Keep a complaint about the last input or the address until the page shows it."""
    COMPLAINTS.begin(list).append(message)


def take_complaints() -> list[str]:
    """Return the complaints, if any, and clear them."""
    return COMPLAINTS.take()
