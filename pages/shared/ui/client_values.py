"""Checks of the values that components send; a value that fails counts as not sent.

A component's value may be any JSON:

    choice = genuine(state(key, "choice"), record(token=index(9), tag=index(17)))  # None: not sent

What a widget says is checked by its control (`pages.shared.ui.controls`). A browser that sends what
no widget can say gets Streamlit's own error, and nobody else does.
"""

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
Check = Callable[[object], T]


class ForgedError(ValueError):
    """A value that no browser running our pages would send."""


def state(key: str, name: str) -> object:
    """The value that a component sent under the name of a state or event; None if it sent none."""
    return _of(st.session_state.get(key), name)


def has_had(key: str) -> bool:
    """Whether the session has had the widget with this key."""
    return key in st.session_state


def genuine(value: object, check: Check[T]) -> T | None:
    """The value if it passes the check, else None.

    >>> genuine({"token": 3}, record(token=index(9))), genuine({"token": 9}, record(token=index(9)))
    ({'token': 3}, None)
    """
    try:
        return check(value)
    except ForgedError:
        return None


def points(key: str) -> list[dict[str, object]]:
    """The points that the reader selected in a plot."""
    chosen = _of(_of(st.session_state.get(key), "selection"), "points")
    return [p for p in chosen if isinstance(p, dict)] if isinstance(chosen, list) else []


def _of(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _where(holds: Callable[[Any], bool], take: Callable[[Any], Any] = lambda value: value) -> Any:
    """A check that accepts a value if `holds` is true of it."""

    def check(value: object) -> Any:
        if holds(value):
            return take(value)
        raise ForgedError(type(value).__name__)

    return check


def index(below: int, low: int = 0) -> Check[int]:
    """A whole number from `low` to `below` − 1."""
    return _where(lambda value: type(value) is int and low <= value < below)


def text(longest: int) -> Check[str]:
    """A text of at most `longest` characters."""
    return _where(lambda value: isinstance(value, str) and len(value) <= longest)


def texts(names: Collection[str], longest: int) -> Check[dict[str, str]]:
    """An object whose keys are some of these names, with texts of at most `longest` characters."""
    return _where(
        lambda value: (
            isinstance(value, dict)
            and value.keys() <= set(names)
            and all(isinstance(text, str) and len(text) <= longest for text in value.values())
        )
    )


flag: Check[bool] = _where(lambda value: isinstance(value, bool))


def one_of(values: Collection[T]) -> Check[T]:
    """One of these texts or numbers."""
    return _where(lambda value: any(type(v) is type(value) and v == value for v in values))


def listed(check_each: Check[T], longest: int, shortest: int = 0) -> Check[list[T]]:
    """A list of values that pass a check."""
    return _where(
        lambda value: isinstance(value, list) and shortest <= len(value) <= longest,
        lambda value: [check_each(x) for x in value],
    )


def record(**checks: Check[Any]) -> Check[dict[str, Any]]:
    """An object with these fields; other fields are dropped."""
    return _where(
        lambda value: isinstance(value, dict),
        lambda value: {name: each(value.get(name)) for name, each in checks.items()},
    )
