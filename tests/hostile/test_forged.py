"""A part of `tests.hostile.forged`, on every page."""

import asyncio
from collections.abc import Iterator

import pytest

from pages.shared.contents import COURSE
from tests.hostile.forged import widgets_of_a_page
from tests.hostile.watch import Server, server

PART = 40  # every so many-th value; `python -m tests.hostile` sends them all


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as found:
        yield found


@pytest.mark.parametrize("address", [entry.address for entry in COURSE])
def test_a_forged_value_counts_as_not_sent(running, address):
    for tally in asyncio.run(widgets_of_a_page(running, address, PART)):
        assert tally.failures == []
