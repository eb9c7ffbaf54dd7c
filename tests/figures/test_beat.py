"""Beats: what a question hides, what a step is given, what a control reads."""

import pytest

from pages.shared.course.state import StatePart
from pages.shared.figures.beat import Beat, Bet, lesson
from pages.shared.ui.stage.view import state_of, view

TEXT = """
## coins-label
- en: coins

## coins-question
- en: Which side?

## coins
- en: Step {step}: {side}.

## coins-equation
- en: rate {rate}

## coins-bet
- en: Heads or tails?

## coins-answer when verdict == right
- en: Right.

## coins-answer
- en: Wrong.

## option-heads
- en: heads

## option-tails
- en: tails
"""


def rate(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError
    return value


CONTROLS = {"rate": StatePart(0.5, rate)}


@pytest.fixture
def coins(tmp_path):
    path = tmp_path / "beats.md"
    path.write_text(TEXT)
    beat = Beat(
        "coins",
        drawn=lambda state: {"sides": ["heads", "tails"]},
        facts=lambda state, step: {
            "step": step,
            "side": "heads",
            "rate": f"{state.control('rate', CONTROLS):.2f}",
        },
        at=lambda state, step: {"up": "heads"},
        steps=lambda problem: range(3),
        opens=lambda problem: 1,
        bet=lambda state, step: Bet(("heads", "tails"), "heads"),
        veil=lambda picture, now: (picture, now | {"up": None}),
        controls=CONTROLS,
    )
    return lesson("coins", path, beat, chooses=False)[0]


def test_a_beat_that_stops_at_some_steps_stops_at_its_first_and_last_too(coins):
    now = coins._replace(stops=lambda problem: (1, 7)).now(state_of({})[0])
    assert now["stops"] == [0, 1, 2]
    assert "stops" not in coins.now(state_of({})[0])


def test_an_open_question_hides_its_answer(coins):
    shown = coins.figure(state_of({})[0])
    now = shown["picture"]["now"]
    assert (now["step"], now["first"], now["of"]) == (1, 0, 3)
    assert (now["up"], now["say"], now["equation"]) == (None, [], [])
    assert now["bet"]["right"] is None
    assert not now["bet"]["revealed"]
    assert shown["chooses"] is False


@pytest.mark.parametrize(("chosen", "answer"), [("heads", ["Right."]), ("tails", ["Wrong."])])
def test_after_a_bet_the_answer_is_there(coins, chosen, answer):
    now = coins.now(state_of({"bet": chosen, "step": "2"})[0])
    assert (now["up"], now["bet"]["answer"]) == ("heads", answer)
    assert "".join(now["say"]) == "Step 2: heads."
    assert now["equation"] == ["rate 0.50"]


@pytest.mark.parametrize(
    ("given", "value", "fault"),
    [
        ("rate_.25", 0.25, ""),
        ("", 0.5, ""),
        ("rate_7", 0.5, "rate"),
        ("rate_nan", 0.5, "rate"),
        ("rate_<b>", 0.5, "rate"),
        ("no_1", 0.5, "no"),
        ("rate", 0.5, "with"),
        ("~".join(f"rate_{k}" for k in range(30)), 0.5, "with"),
    ],
)
def test_a_control_that_cannot_be_read_has_its_default(coins, given, value, fault):
    state, said = state_of({"with": given, "bet": "heads"})
    assert state.control("rate", CONTROLS) == value
    message = said or view(coins, "coins", state)["message"]
    assert fault in message
    assert bool(fault) == bool(message)
