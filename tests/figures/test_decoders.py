"""What is said of decoders that miss the best path, against values found path by path."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.shared.figures import decoders
from pages.shared.figures.decoders import Decoded
from tests.figures.recursions import OLD_MAN
from tests.oracles import recursions as oracle

BEST, GREEDY = (0, 2, 3, 0, 2), (0, 1, 2, 0, 2)
BLANK = Problem.blank(["A", "B"], ["x"])


def found(problem, path):
    score = oracle.prefix_score(problem, path) + problem.end[path[-1]]
    return Decoded("greedy", path, score, score - oracle.total(problem, "sum"))


@pytest.mark.parametrize("path", [GREEDY, (3, 2, 3, 0, 2), (0, 2, 3, 0, 0)])
def test_what_is_named_adds_up(path):
    best, other = found(OLD_MAN, BEST), found(OLD_MAN, path)
    text = decoders.went_wrong(OLD_MAN, other, best).replace("−", "-")
    pairs = re.findall(r"\((-?[\d.]+)\) instead of \S+ \((-?[\d.]+)\)", text)
    assert len(pairs) == sum(a != b for a, b in zip(path, BEST, strict=True))
    gained = sum(float(a) - float(b) for a, b in pairs)
    numbers = re.findall(r"it is ([\d.]+) (ahead|behind)", text)
    emissions, steps = (float(n) * (1 if side == "ahead" else -1) for n, side in numbers)
    assert emissions == pytest.approx(gained)
    assert emissions + steps == pytest.approx(other.score - best.score)
    assert f"{best.score - other.score:.2f} behind in all" in text


@pytest.mark.parametrize(
    ("problem", "path", "best", "said"),
    [
        (OLD_MAN, BEST, BEST, "finds the best path"),
        (BLANK, (1,), (0,), "the two paths tie"),
        (EXAMPLES["bio"].problem, (2, 1), (0, 1), "forbidden and has probability 0"),
        (OLD_MAN.with_score("transitions", (0, 1), -math.inf), GREEDY, BEST, "‘old’, among other"),
    ],
)
def test_what_went_wrong(problem, path, best, said):
    text = decoders.went_wrong(problem, found(problem, path), found(problem, best))
    assert said in text


def test_long_lists_are_cut():
    problem = EXAMPLES["pair-potentials"].problem
    best = problem.trace("viterbi").best_path
    path = tuple((s + 1) % 5 for s in best)
    text = decoders.went_wrong(problem, found(problem, path), found(problem, best))
    assert f"others for {len(problem.tokens) - decoders.MOST_DIFFERING} more words" in text


def test_why_left_to_right_took_the_wrong_turn():
    best, other = found(OLD_MAN, BEST), found(OLD_MAN, GREEDY)
    there = decoders.greedy_step(OLD_MAN, other, best)
    adj, noun = (OLD_MAN.transitions[0][s] + OLD_MAN.emissions[1][s] for s in (1, 2))
    assert f"coming from DET, it compared ADJ with {adj:.2f} and NOUN with {noun:.2f}" in there
    assert "could not see what follows" in there
    one = EXAMPLES["one-token"].problem
    last = decoders.greedy_step(one, found(one, (0,)), found(one, (1,)))
    assert "it did not count the end score" in last
    assert decoders.greedy_step(BLANK, found(BLANK, (1,)), found(BLANK, (0,))) == ""


def test_of_equal_ones_none_is_called_likelier_and_what_is_behind_a_little_is_not_level():
    assert decoders.ahead_or_behind(-0.002) == "level, to 2 decimals"
    assert decoders.ahead_or_behind(0.0) == "level"
    digits = decoders.digits_that_add_up(3.886, -16.634)  # 3.89 and 16.63, and yet 12.75
    assert decoders.ahead_or_behind(3.886 - 16.634, digits) == "12.748 behind"
    tied = found(BLANK, (1,)), found(BLANK, (0,))
    assert "equally likely" in decoders.posterior_step(BLANK, *tied, [[0.5, 0.5]])
    assert "likelier" in decoders.posterior_step(BLANK, *tied, [[0.4, 0.6]])
