"""Every line of the textbooks' recursions has its step."""

import pytest

from pages.shared.course import textbook


@pytest.mark.parametrize("name", ["forward", "backward", "viterbi", "forward_batch"])
def test_each_kind_of_step_has_lines(name):
    kinds = [kind for _, kind in textbook.lines(getattr(textbook, name))]
    assert {"first", "cell", "total"} <= set(kinds) <= {"", "first", "cell", "total", "backtrace"}
    assert ("backtrace" in kinds) == (name == "viterbi")
