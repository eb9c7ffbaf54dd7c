"""A class at the door of a fresh server; `tests.hostile.cold_start` as a command tries more."""

import pytest

from tests.hostile.cold_start import start


@pytest.mark.parametrize("readers", [10, pytest.param(30, marks=pytest.mark.thorough)])
def test_a_fresh_server_answers_every_reader_at_once(readers):
    assert start(readers).failures == []
