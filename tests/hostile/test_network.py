"""A server on a network with a hostile page, phone or program."""

import pytest

from tests.hostile import crowds, hogs, network

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


@pytest.mark.parametrize("attack", ATTACKS)
def test_nobody_else_notices(attack):
    assert attack().failures == []
