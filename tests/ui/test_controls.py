"""Controls: what comes from the session or the address is checked, and written back."""

import importlib
import math

import pytest
import streamlit as st

from pages.shared.course.state import KEYS
from pages.shared.ui import preload
from pages.shared.ui.controls import Choice, Flag, Integer, InvalidError, Number, Text
from pages.shared.ui.state import TABLE

LETTERS = Choice("test.letter", "a", address="letter", labels={"a": "A", "b": "B"})
COUNT = Integer("test.count", 3, address="count", low=1, high=9)
RATE = Number("test.rate", 0.5, address="rate", low=0.0, high=10.0)
FLAG = Flag("test.flag", False, address="flag")
WORDS = Text("test.words", "", address="words", longest=5)
GOOD = {LETTERS: "b", COUNT: 7, RATE: 2.25, FLAG: True, WORDS: "a~b ;"}
FORGED = (None, True, 3.7, math.nan, math.inf, -1, 10**30, "zzzzzz", b"x", [1], {"a": 1}, ("a",))


@pytest.mark.parametrize("control", GOOD, ids=lambda control: control.key)
def test_what_a_control_holds_is_checked_and_the_address_gives_it_back(session, control):
    assert control.value == control.default
    assert control.query() == {}
    control.set(GOOD[control])
    written = control.query()
    assert list(written) == [control.address]
    session.open(**written)
    assert control.value == GOOD[control]
    assert session.complaints() == []
    for forged in FORGED:
        try:
            control.check(forged)
        except InvalidError:
            st.session_state[control.key] = forged
            assert control.value == control.default
            with pytest.raises(InvalidError):
                control.set(forged)
    session.open(**{control.address: "x" * 5000})
    assert control.value == control.default
    (said,) = session.complaints()
    assert control.address in said
    assert len(said) < 300


def test_numbers_in_the_address_are_finite_and_in_bounds_and_a_key_has_one_meaning(session):
    for text in ("nan", "-inf", "1e5000", "11", "-1", "9" * 5000, "2/0", "log 0"):
        session.open(rate=text)
        assert RATE.value == 0.5
        assert session.complaints()
    with pytest.raises(ValueError, match="two values"):
        Flag("test.rate", False)
    for name in preload.module_names():
        importlib.import_module(name)
    names = {one.address for one in TABLE.values() if getattr(one, "address", "")}
    assert len(names) > 4
    assert not names & {*KEYS, "beat"} - {"sentence", "tagger", "spaces"}  # of a beat's state
