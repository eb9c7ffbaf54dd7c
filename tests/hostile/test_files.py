"""Hostile files, codes and numbers, as `python -m tests.hostile` tries them."""

import pytest

from tests.hostile import files


@pytest.mark.parametrize("attack", files.EVERY, ids=lambda attack: attack.__name__)
def test_what_is_no_good_is_refused_in_a_sentence(attack):
    tally = attack()
    assert tally.tries > 5
    assert tally.failures == []
