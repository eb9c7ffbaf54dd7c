"""Every equation on screen comes out: evaluated as it is shown, in states of every kind."""

import pytest

from pages import beats
from pages.shared.ui.stage.view import state_of
from tests.beats.equations import faults, texts

OLD = [  # each was on a page once
    "log Σ exp ( −2.5 +5 3.50 , −1 −3 4.00 ) = 6.01",
    "+.67 −.33 −.33 −.33 −.33 = −.67",
    "+.03 −.003 −.01 −.003 −.01 = +.01",
    "loss = 18.38 − 18.38 = 0.01",
    "6.00 −3 −3 = 0.01",
]
RIGHT = [
    "log Σ exp ( 10.16 −2 , 13.43 −1 , 18.93 +0.5 , 12.00 +0 ) = 19.43",
    "max ( 2.5 −3 , 5.0 −3 , 12.0 −2.5 ) +5 = 14.5",
    "+.67 −.33 −.33 −.33 −.33 ≈ −.67",
    "a probability: exp(19.0 − 19.4324) = .649",
    "log(1 − .67 + .67 · e) = .77. For a small change",
    "NOUN .949 × .018 = .017   VERB .050 × .960 = .048",
    "( 7.39 · 4.48 + 1.65 · 1 ) · 7.39 = 256.9",
    "{p}: .24 ÷ .35 ≈ .69",
    "log Z = 19.43, and ∂ log p = observed − expected = +.35",
]


@pytest.mark.parametrize("text", OLD)
def test_the_oracle_sees_old_faults(text):
    assert faults(text)


@pytest.mark.parametrize("text", RIGHT)
def test_the_oracle_lets_pass_what_comes_out(text):
    assert faults(text) == []


QUERIES = [
    {"ex": "old-man"},
    {"ex": "pair-potentials"},
    {"ex": "fifty"},
    {"ex": "bio"},
    {"ex": "three-one-three-steady"},
    {"ex": "all-zero"},
    {"ex": "no-path"},
]


@pytest.mark.thorough
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query["ex"])
@pytest.mark.parametrize("lesson", beats.LESSONS)
def test_the_equations_of_every_step_come_out(lesson, query):
    for beat in beats.LESSONS[lesson]:
        for step in beat.steps(state_of(query, lesson)[0].problem)[:40]:
            now = beat.now(state_of(query | {"step": str(step), "bet": "-"}, lesson)[0])
            for text in texts(now):
                assert faults(text) == [], (beat.name, step)
