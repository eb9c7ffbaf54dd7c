"""Pinned scores: a link has them, and whatever else it says is answered by a sentence."""

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem_links import to_query
from tests.apps import fresh, opened, switch

OLD_MAN = EXAMPLES["old-man"].problem
LOUDER = OLD_MAN.with_score("start", 0, 2.5)
PINNED = OLD_MAN.with_score("end", 1, -0.25)


@pytest.mark.parametrize(
    ("lesson", "kept"), [("forward", OLD_MAN), ("backward", PINNED), ("viterbi", PINNED)]
)
def test_a_link_has_what_is_pinned(lesson, kept):
    app = fresh(lesson, **to_query(LOUDER))
    app.session_state["recursion.pinned"] = kept
    address = dict(app.run().query_params)
    assert ("=" in address["pin"]) == (kept is not OLD_MAN)
    again = opened(lesson, **address)
    assert again.session_state["recursion.pinned"] == kept
    assert again.session_state["shared_problem"].problem == LOUDER
    assert not again.warning


def test_another_sentence_is_compared_with_nothing():
    app = opened("forward", ex="fish", pin="old-man")
    assert not app.exception
    assert "pin" not in app.query_params


@pytest.mark.parametrize("forged", ["none-such", "t=A&w=x&e=nan", "e=1&" * 99])
def test_a_forged_pin_is_a_sentence(forged):
    app = opened("viterbi", pin=forged)
    assert not app.exception
    assert any("Nothing is pinned" in warning.value for warning in app.warning)
    assert app.session_state["recursion.pinned"] is None
    assert not switch(app, "forward").warning  # once
