"""A server on a network with a hostile page, phone or program."""

import pytest

from tests.hostile import crowds, hogs, lecture, network

ATTACKS = [
    network.a_foreign_page,
    crowds.a_full_room,
    crowds.many_lines,
    crowds.idle,
    crowds.few_files,
    hogs.drawings,
    hogs.uploads,
    pytest.param(crowds.a_whole_class, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize("students", [8, pytest.param(80, marks=pytest.mark.thorough)])
def test_a_lecture_goes_on_while_a_program_attacks_it(students):
    assert lecture.under_attack(students).failures == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_nobody_else_notices(attack):
    assert attack().failures == []
