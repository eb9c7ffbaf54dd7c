"""Every control of the app: its key, its allowed values, its default, its name in the address.

    RATE = Number("learning.rate", 0.5, low=1e-4, high=1e9, address="rate")
    RATE.widget("Learning rate")   # draws it and returns what it holds
    RATE.value                     # the same without drawing it
    RATE.set(0.1)                  # from a callback

What a control holds comes from a browser, by a widget or by the address, and is checked each time
it is read. A value that its widget could not have sent counts as not sent; one that the address
asks for and cannot have is answered by a sentence on the page. `state.TABLE` has all of them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from crf.figures.languages import language
from crf.figures.numbers import exact
from pages.shared.course.problem import ProblemError
from pages.shared.course.typed_numbers import parse_number
from pages.shared.ui.state import PAGE, InvalidError, SessionValue, asked, complain
from pages.shared.ui.words import say

T = TypeVar("T")


_NOTHING = object()


@dataclass(frozen=True)
class Control(SessionValue[T]):
    """What all controls have in common; a key is "lesson.…" where lessons share it."""

    address: str = field(default="", kw_only=True)  # its name there; "" keeps it out

    def read(self, text: str) -> T:
        """The value in the address; raises `InvalidError` if the text is not one."""
        return self.check(text)

    def write(self, value: T) -> str:
        """A value as text for the address; `read` takes it back."""
        return str(value)

    @property
    def value(self) -> T:
        """The current value: the session's, at its start the address's, else the default."""
        value = st.session_state.get(self.key, _NOTHING)
        if value is _NOTHING:
            value = st.session_state[self.key] = self._first()
        return self._checked(value)

    def _first(self) -> T:
        text = asked(self.address) if self.address else None
        try:
            return self.default if text is None else self.read(text)
        except InvalidError as why:
            complain(say("control.asked", name=self.address, asked=(text or "")[:40], why=why))
            return self.default

    def query(self) -> dict[str, str]:
        """The control's part of the address; empty for the default."""
        value = self.value
        return {self.address: self.write(value)} if self.address and value != self.default else {}

    def _draw(self, widget: Callable[..., object], label: str, *values: Any, **how: Any) -> T:
        """Draw the widget, starting from an allowed value, and return the current value."""
        value, page = self.value, f"{PAGE.value} {language()}"
        slot = f"{self.key}·page"  # elsewhere, or in other words, it is another widget
        if st.session_state[self.key] != value or st.session_state.get(slot) != page:
            st.session_state[self.key] = value
        st.session_state[slot] = page
        return self._checked(widget(label, *values, key=self.key, persist_state="session", **how))


@dataclass(frozen=True)
class Choice(Control[str]):
    """One of a few named values.

    Attributes:
        words: Returns these for a value in the reader's language; None: as in `labels`.
    """

    labels: Mapping[str, str] = field(default_factory=dict, kw_only=True, hash=False)
    words: Callable[[str], str] | None = field(
        default=None, kw_only=True, hash=False, compare=False
    )

    def label(self, value: str) -> str:
        """The words on a value's button, in the reader's language."""
        return self.words(value) if self.words else self.labels[value]

    def check(self, value: object) -> str:
        if isinstance(value, str) and value in self.labels:
            return value
        raise InvalidError(say("control.choice", known=", ".join(filter(None, self.labels))))

    def widget(
        self, label: str, *, shape: str = "segmented", among: Sequence[str] = (), **how: Any
    ) -> str:
        """Draw it, "segmented" or as "select"; `among`: those that there are now, (): all."""
        how = {"format_func": self.label, **how}
        options = list(among or self.labels)
        if shape == "select":
            return self._draw(st.selectbox, label, options, **how)
        return self._draw(st.segmented_control, label, options, **{"required": True, **how})


@dataclass(frozen=True)
class Flag(Control[bool]):
    """On or off; 1 or 0 in the address."""

    def check(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise InvalidError(say("control.flag"))

    def read(self, text: str) -> bool:
        return self.check({"0": False, "1": True}.get(text))

    def write(self, value: bool) -> str:
        return "1" if value else "0"

    def widget(self, label: str, **how: Any) -> bool:
        """Draw it."""
        return self._draw(st.toggle, label, **how)


@dataclass(frozen=True)
class Integer(Control[int]):
    """A whole number from `low` to `high`, both included."""

    low: int = field(default=0, kw_only=True)
    high: int = field(default=100, kw_only=True)

    def check(self, value: object) -> int:
        if type(value) is int and self.low <= value <= self.high:
            return value
        raise InvalidError(say("control.range", low=self.low, high=self.high))

    def read(self, text: str) -> int:
        digits = text.removeprefix("-")
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 16
        return self.check(int(text) if is_number else None)

    def widget(self, label: str, *, shape: str = "number", **how: Any) -> int:
        """Draw it, as a field ("number") or a "slider"; a `max_value` below `high` may be given."""
        draw = st.slider if shape == "slider" else st.number_input
        return self._draw(draw, label, self.low, **{"max_value": self.high, **how})


@dataclass(frozen=True)
class Number(Control[float]):
    """A finite number from `low` to `high`, both included."""

    low: float = field(default=-math.inf, kw_only=True)
    high: float = field(default=math.inf, kw_only=True)

    def check(self, value: object) -> float:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if math.isfinite(value) and self.low <= value <= self.high:
                return float(value)
        raise InvalidError(say("control.range", low=f"{self.low:g}", high=f"{self.high:g}"))

    def read(self, text: str) -> float:
        try:
            return self.check(parse_number(text, self.address))
        except ProblemError:
            return self.check(None)

    def write(self, value: float) -> str:
        return exact(value)

    def widget(self, label: str, *, shape: str = "number", **how: Any) -> float:
        """Draw it: a field ("number"), a "slider", or by `options=[…]` a slider over these."""
        if "options" in how:
            options = sorted({*how.pop("options"), self.value})
            return self._draw(st.select_slider, label, options, **how)
        draw = st.slider if shape == "slider" else st.number_input
        return self._draw(draw, label, self.low, self.high, **how)


@dataclass(frozen=True)
class Text(Control[str]):
    """A text that the reader types, of limited length."""

    longest: int = field(default=1000, kw_only=True)

    def check(self, value: object) -> str:
        if isinstance(value, str) and len(value) <= self.longest:
            return value
        raise InvalidError(say("control.text", n=self.longest))

    def widget(self, label: str, *, shape: str = "line", **how: Any) -> str:
        """Draw it, as a "line" or an "area"."""
        draw = st.text_area if shape == "area" else st.text_input
        return self._draw(draw, label, max_chars=self.longest, **how)


@dataclass(frozen=True)
class Value(Control[T]):
    """Any other value, such as fixed tags or a list of numbers; the page draws its own widget."""

    checked: Callable[[object], T] = field(kw_only=True, hash=False, compare=False)
    reads: Callable[[str], T] | None = field(default=None, kw_only=True, hash=False, compare=False)
    writes: Callable[[T], str] = field(default=str, kw_only=True, hash=False, compare=False)

    def check(self, value: object) -> T:
        return self.checked(value)

    def read(self, text: str) -> T:
        return (self.reads or self.check)(text)

    def write(self, value: T) -> str:
        return self.writes(value)
