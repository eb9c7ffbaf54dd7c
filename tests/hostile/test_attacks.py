"""Hostile files, readers, pages, phones and programs; `python -m tests.hostile` tries more."""

import pytest

from tests.hostile import cold_start, crowds, files, hogs, lecture, network

thorough = pytest.mark.thorough
ATTACKS = {
    **{attack.__name__: attack for attack in files.EVERY},
    "a fresh server": lambda: cold_start.start(10),
    "a foreign page": network.a_foreign_page,
    "a full room": crowds.a_full_room,
    "many lines": crowds.many_lines,
    "idle lines": crowds.idle,
    "few files": crowds.few_files,
    "drawings": hogs.drawings,
    "uploads": hogs.uploads,
    "a lecture": lambda: lecture.under_attack(8),
}
THOROUGH = {
    "a fresh server and a class": cold_start.start,
    "a whole class": crowds.a_whole_class,
    "a whole class’s lecture": lecture.under_attack,
}


@pytest.mark.parametrize(
    "attack", [*ATTACKS, *(pytest.param(name, marks=thorough) for name in THOROUGH)]
)
def test_nobody_else_notices(attack):
    tally = (ATTACKS | THOROUGH)[attack]()
    assert tally.tries > 5
    assert tally.failures == []
