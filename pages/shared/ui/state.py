"""What the session remembers and what the address says: one table, each key declared once.

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
    """A value that cannot be held; the message says what can."""


TABLE: dict[str, "SessionValue[Any]"] = {}


@dataclass(frozen=True)
class SessionValue(Generic[T]):
    """Something that the session remembers from run to run."""

    # In the session: the name of a lesson or a part, a dot, its own; after a widget's key a `·` and
    # what belongs to that widget. With {} in it, for `at` to fill, one for each lesson or widget.
    key: str
    default: T  # what it holds as long as nothing was kept
    # The type of what it holds; None: the default's. All else counts as not there, since a browser
    # may send anything for a widget with this key.
    kind: Any = field(default=None, kw_only=True, hash=False)

    def __post_init__(self) -> None:
        other = TABLE.setdefault(self.key, self)
        meanings = {(type(one), getattr(one, "address", "")) for one in (other, self)}
        if len(meanings) > 1:
            raise ValueError(f"key: two values are called {self.key!r}; choose another name")
        TABLE[self.key] = self

    def at(self, *names: object) -> Self:
        """The one of a lesson, or a widget: its names stand for the {} of the key."""
        found = copy(self)
        object.__setattr__(found, "key", self.key.format(*names))
        return found

    def check(self, value: object) -> T:
        """The value, if it may be held; else an InvalidError."""
        if isinstance(value, self.kind or type(self.default)):
            return value  # pyright: ignore[reportReturnType]
        raise InvalidError(f"{self.key}: that is a {type(value).__name__}.")

    @property
    def is_set(self) -> bool:
        """Whether anything was kept."""
        return self.key in st.session_state

    @property
    def value(self) -> T:
        """What it holds."""
        return self._checked(st.session_state.get(self.key))

    def _checked(self, said: object) -> T:
        try:
            return self.check(said)
        except InvalidError:
            return self.default

    def set(self, value: T) -> None:
        """Hold this from now on, or raise InvalidError; of a drawn widget only from a callback."""
        st.session_state[self.key] = value if value is self.default else self.check(value)

    def reset(self) -> None:
        """Hold the default."""
        st.session_state[self.key] = self.default

    def begin(self, make: Callable[[], U]) -> U:
        """What it holds; where that is nothing, what is made now, from now on."""
        try:
            found: Any = self.check(st.session_state.get(self.key))
        except InvalidError:
            found = st.session_state[self.key] = make()
        return found

    def take(self) -> T:
        """What it holds, and from now on no longer."""
        return self._checked(st.session_state.pop(self.key, None))


PAGE = SessionValue("page", "")  # the address of the page that runs
# ---------------------------------------------------------------------- the address


def asked(name: str) -> str | None:
    """What the address says under a name."""
    return st.query_params.get(name)


def all_asked() -> dict[str, str]:
    """All that the address says."""
    return st.query_params.to_dict()


LANGUAGE = "lang"  # in every address, once it is chosen


def publish(query: Mapping[str, str]) -> None:
    """Let the address say this and nothing else, besides the language."""
    if chosen := asked(LANGUAGE):
        query = {**query, LANGUAGE: chosen}
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def publish_one(name: str, value: str, default: str = "") -> None:
    """Let the address say this, too; the default is left out."""
    if value == default:
        st.query_params.pop(name, None)
    elif asked(name) != value:
        st.query_params[name] = value


# ---------------------------------------------------------------------- what was wrong

COMPLAINTS = SessionValue[list[str]]("complaints", [])  # about the last input, each shown once


def complain(message: str) -> None:
    """Keep what was wrong with the last input, or with the address, until the page shows it."""
    COMPLAINTS.begin(list).append(message)


def take_complaints() -> list[str]:
    """What was wrong, if anything; asking clears it."""
    return COMPLAINTS.take()
