"""Controls: what comes from the session or the address is checked, and written back."""

import importlib
import math

import pytest
import streamlit as st

from pages.shared.ui import preload
from pages.shared.ui.controls import Choice, Flag, Integer, InvalidError, Number, Text
from pages.shared.ui.problem_state import ADDRESS_KEYS
from pages.shared.ui.state import TABLE
from pages.shared.ui.view import KEYS

LETTERS = Choice("test.letter", "a", address="letter", labels={"a": "A", "b": "B"})
COUNT = Integer("test.count", 3, address="count", low=1, high=9)
RATE = Number("test.rate", 0.5, address="rate", low=0.0, high=10.0)
FLAG = Flag("test.flag", False, address="flag")
WORDS = Text("test.words", "", address="words", longest=5)
GOOD = {LETTERS: "b", COUNT: 7, RATE: 2.25, FLAG: True, WORDS: "a~b ;"}
FORGED = (None, True, 3.7, math.nan, math.inf, -1, 10**30, "zzzzzz", b"x", [1], {"a": 1}, ("a",))


@pytest.fixture(autouse=True)
def session(monkeypatch):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", {})


@pytest.mark.parametrize("control", GOOD, ids=lambda control: control.key)
class TestEveryControl:
    def test_it_holds_its_default_and_is_then_not_in_the_address(self, control):
        assert control.value == control.default
        assert control.query() == {}

    def test_the_address_gives_back_what_it_was_given(self, control):
        control.set(GOOD[control])
        written = control.query()
        assert list(written) == [control.address]
        st.session_state.clear()
        st.query_params.update(written)
        assert control.value == GOOD[control]
        assert "complaints" not in st.session_state

    def test_a_forged_value_counts_as_not_sent(self, control):
        for forged in FORGED:
            try:
                control.check(forged)
            except InvalidError:
                st.session_state[control.key] = forged
                assert control.value == control.default
                with pytest.raises(InvalidError):
                    control.set(forged)

    def test_an_address_that_asks_for_what_it_cannot_have_is_told_so(self, control):
        st.query_params[control.address] = "x" * 5000
        assert control.value == control.default
        (said,) = st.session_state["complaints"]
        assert control.address in said
        assert len(said) < 300


def test_numbers_in_the_address_are_finite_and_in_bounds():
    for text in ("nan", "inf", "-inf", "1e5000", "11", "-1", "9" * 5000, "2/0", "log 0"):
        st.session_state.clear()
        st.query_params["rate"] = text
        assert RATE.value == 0.5
        assert st.session_state["complaints"]


def test_two_controls_cannot_share_a_key():
    with pytest.raises(ValueError, match="two values"):
        Flag("test.rate", False)


def test_the_table_has_them_all():
    assert {control.key for control in GOOD} <= TABLE.keys()


def test_no_control_takes_a_name_that_every_address_has():
    """Of a view or of the problem: one value would be read as the other."""
    for name in preload.module_names():
        importlib.import_module(name)
    names = {one.address for one in TABLE.values() if getattr(one, "address", "")}
    assert len(names) > 30
    assert not names & {*KEYS, *ADDRESS_KEYS} - {"sentence", "tagger"}
