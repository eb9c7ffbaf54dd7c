"""The switches of the lessons: from the address into the session, checked on the way."""

import pytest

from pages.shared.ui import options
from pages.shared.ui.lesson import shown

ALL = (options.CONVENTION, options.SPACE, options.SEMIRING)
EACH = [(option, value) for option in ALL for value in option.values]


@pytest.mark.parametrize(("option", "value"), EACH)
def test_the_address_says_how_it_stands(session, option, value):
    session.open(**{option.key: value})
    assert options.adopt(option, next(iter(option.values))) == value
    assert session.complaints() == []


@pytest.mark.parametrize(("option", "value"), EACH)
def test_what_is_published_is_read_again(session, option, value):
    defaults = {option.key: next(iter(option.values))}
    query = shown({option.key: value}, defaults)
    assert (option.key in query) == (value != defaults[option.key])
    session.open(**query)
    assert options.adopt(option, defaults[option.key]) == value


def test_the_default_is_the_page_s(session):
    assert options.adopt(options.SEMIRING, "max") == "max"


def test_the_session_knows_better_than_the_address(session):
    session.open(space="log")
    session.state[options.SPACE.slot] = "probability"
    assert options.adopt(options.SPACE, "log") == "probability"


def test_a_lesson_may_have_a_value_of_its_own(session):
    own = options.of_page(options.SEMIRING, "viterbi")
    assert own.key == options.SEMIRING.key
    assert options.adopt(own, "max") == "max"
    assert options.adopt(options.SEMIRING, "sum") == "sum"
    session.open(semiring="sum")
    assert options.adopt(own, "max") == "sum"


@pytest.mark.parametrize("option", ALL)
@pytest.mark.parametrize("value", ["", "no", "STATE", "<b>", "x" * 100_000, "null", "0"])
def test_a_forged_value_gets_a_message_and_the_default(session, option, value):
    default = list(option.values)[-1]
    session.open(**{option.key: value})
    assert options.adopt(option, default) == default
    (message,) = session.complaints()
    assert "does not exist" in message
    assert all(known in message for known in option.values)
    assert len(message) < 300
    assert options.adopt(option, default) == default
    assert session.complaints() == []


@pytest.mark.parametrize("forged", [None, 3, "x", float("nan")])
def test_a_forged_session_value_is_replaced(session, forged):
    session.state[options.SPACE.slot] = forged
    assert options.adopt(options.SPACE, "log") == "log"
