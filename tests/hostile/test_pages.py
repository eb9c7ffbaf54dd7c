"""A part of what `python -m tests.hostile` tries, on every page, which it finds itself."""

from collections.abc import Iterator

import pytest

from benchmarks.raw_client import run_apart
from pages.shared.contents import COURSE, TEACHING
from tests.hostile.addresses import addresses
from tests.hostile.classes import a_class
from tests.hostile.forged import attack_page
from tests.hostile.soak import soak
from tests.hostile.watch import Server, server

PAGES = [entry.address for entry in (*COURSE, *TEACHING)]


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with server() as found:
        yield found


HALF = [
    pytest.param(page, marks=pytest.mark.thorough) if k % 2 else page
    for k, page in enumerate(PAGES)
]


@pytest.mark.parametrize("page", HALF)
def test_a_forged_value_ends_in_no_error_of_ours(running, page):
    tries = run_apart(lambda: attack_page(running, page, 100, ("widgets", "components")))
    assert [tally.failures for tally in tries] == [[], []]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.thorough
def test_whatever_is_typed_is_answered(running, page):
    (tally,) = run_apart(lambda: attack_page(running, page, 40, ("fields",)))
    assert tally.tries > 0 or page in ("glossary", "lecture")  # which have no field at first
    assert tally.failures == []


def test_a_forged_address_is_answered(running):
    assert run_apart(lambda: addresses(running, part=1000)).failures == []


@pytest.mark.thorough
def test_readers_at_random(running):
    assert run_apart(lambda: soak(running, actions=100)).failures == []


@pytest.mark.thorough
def test_a_class():
    assert [line for tally in a_class(part=40) for line in tally.failures] == []
