"""What a browser sends is checked in one place; what cannot be counts as not sent.

At the door: `guard` makes Streamlit drop a widget's value that has another type than the widget
sends, is none of its options, or cannot be read. A component's value may still be any JSON:

    choice = genuine(state(key, "choice"), record(token=index(9), tag=index(17)))  # None: not sent
"""

import math
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state.common import WidgetMetadata, unpack_widget_state_value
from streamlit.runtime.state.session_state import Serialized, SessionState, WStates

from crf.strict_json import read_json

T = TypeVar("T")
Check = Callable[[object], T]
DEEPEST = 20  # lists in lists
LARGEST = 1 << 20  # bytes of what a component says
_NUMBERS = {"int_value", "double_value"}  # a number field sends either


class ForgedError(ValueError):
    """No browser with our pages would have sent this."""


# ---------------------------------------------------------------------- the door


def guard() -> None:
    """Put the guard before Streamlit's reading of widgets, if it is not there yet.

    Streamlit reads what a browser sends by each widget's deserialiser, and what one of them
    raises ends the run with a traceback. There are two ways in: the values of widgets that the
    session knows, as they arrive, and those of others, when they are first drawn.
    """
    if SessionState.set_widgets_from_proto is not _let_in:
        SessionState.set_widgets_from_proto = _let_in
        WStates.__getitem__ = _read


_streamlits_let_in = SessionState.set_widgets_from_proto
_streamlits_read = WStates.__getitem__


def _let_in(self: SessionState, widget_states: WidgetStates) -> None:
    known = self._new_widget_state.widget_metadata
    sent = widget_states.widgets
    good = [one for one in sent if one.id not in known or is_genuine(known[one.id], one)]
    _streamlits_let_in(
        self, widget_states if len(good) == len(sent) else WidgetStates(widgets=good)
    )


def _read(self: WStates, k: str) -> Any:
    state, widget = self.states.get(k), self.widget_metadata.get(k)
    if isinstance(state, Serialized) and widget and not is_genuine(widget, state.value):
        raise KeyError(k)  # as for a widget of which nothing was sent
    return _streamlits_read(self, k)


def is_genuine(widget: WidgetMetadata[Any], sent: WidgetState) -> bool:
    """Whether a widget can have sent this: its type, its options, and it can be read.

    Args:
        widget: What Streamlit knows of it.
        sent: What is said to come from it; an empty value is one that was cleared.
    """
    kind = sent.WhichOneof("value")
    if kind is None:
        return True
    if kind != widget.value_type and not {kind, widget.value_type} <= _NUMBERS:
        return False
    try:
        value = unpack_widget_state_value(sent)
        if widget.formatted_options is not None:
            return _can_be_chosen(widget, [value] if isinstance(value, str) else list(value))
        if kind == "json_value" and not isinstance(value, dict):  # a component's state
            return False
        if kind == "json_trigger_value":
            check_data(read_json(str(value), LARGEST))
        else:
            check_data(value)
        check_data(widget.deserializer(value))
    except Exception:  # whatever a deserialiser makes of nonsense
        return False
    return True


def _can_be_chosen(widget: WidgetMetadata[Any], chosen: list[str]) -> bool:
    most = widget.max_array_length or len(chosen)
    twice = len(set(chosen)) < len(chosen) and not widget.allow_url_duplicates
    return len(chosen) <= most and not twice and set(chosen) <= set(widget.formatted_options or ())


def check_data(value: object) -> None:
    """Refuse data that is nested too deeply to be copied or compared, and numbers that are none.

    Raises:
        ForgedError: It is like that.
    """
    level = [value]
    for _ in range(DEEPEST):
        if any(isinstance(x, float) and not math.isfinite(x) for x in level):
            raise ForgedError("a number that is not finite")
        inner = (
            x.values() if isinstance(x, dict) else x for x in level if isinstance(x, dict | list)
        )
        level = [y for x in inner for y in x]
        if not level:
            return
    raise ForgedError("nested too deeply")


# ---------------------------------------------------------------------- what components say


def state(key: str, name: str) -> object:
    """What a component says under the name of a state or event; None: nothing."""
    return _of(st.session_state.get(key), name)


def genuine(value: object, check: Check[T]) -> T | None:
    """A value, if it passes; else None.

    >>> genuine({"token": 3}, record(token=index(9))), genuine({"token": 9}, record(token=index(9)))
    ({'token': 3}, None)
    """
    try:
        return check(value)
    except ForgedError:
        return None


def points(key: str) -> list[dict[str, object]]:
    """The points that are chosen in a plot."""
    chosen = _of(_of(st.session_state.get(key), "selection"), "points")
    return (
        [point for point in chosen if isinstance(point, dict)] if isinstance(chosen, list) else []
    )


def _of(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def index(below: int, low: int = 0) -> Check[int]:
    """A whole number from `low` to `below` − 1."""

    def check(value: object) -> int:
        if type(value) is int and low <= value < below:
            return value
        raise ForgedError(f"expected an index from {low} to {below - 1}")

    return check


def number(low: float, high: float) -> Check[float]:
    """A number from `low` to `high`, both included."""

    def check(value: object) -> float:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        raise ForgedError(f"expected a number from {low:g} to {high:g}")

    return check


def text(longest: int) -> Check[str]:
    """A text of up to so many characters."""

    def check(value: object) -> str:
        if isinstance(value, str) and len(value) <= longest:
            return value
        raise ForgedError(f"expected a text of up to {longest} characters")

    return check


def flag(value: object) -> bool:
    """True or false."""
    if isinstance(value, bool):
        return value
    raise ForgedError("expected true or false")


def one_of(values: Collection[T]) -> Check[T]:
    """One of these texts or numbers."""

    def check(value: object) -> T:
        found = [v for v in values if type(v) is type(value) and v == value]
        if found:
            return found[0]
        raise ForgedError(f"expected one of {len(values)} values")

    return check


def listed(check_each: Check[T], longest: int, shortest: int = 0) -> Check[list[T]]:
    """A list of such values."""

    def check(value: object) -> list[T]:
        if isinstance(value, list) and shortest <= len(value) <= longest:
            return [check_each(x) for x in value]
        raise ForgedError(f"expected a list of {shortest} to {longest}")

    return check


def record(**checks: Check[Any]) -> Check[dict[str, Any]]:
    """An object with these fields; further ones are left out."""

    def check(value: object) -> dict[str, Any]:
        if isinstance(value, dict):
            return {name: each(value.get(name)) for name, each in checks.items()}
        raise ForgedError("expected an object")

    return check
