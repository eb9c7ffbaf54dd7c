"""The lead of Forward and Viterbi says what the symbols of the formula under it stand for."""

import itertools
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import formulas
from pages.shared.figures.leads import lead

OLD_MAN = EXAMPLES["old-man"].problem


def told(algorithm, convention, space="log"):
    run = OLD_MAN.trace(algorithm, convention=convention)
    return lead(run, space), re.sub(r"<[^>]+>", "", formulas.recursion(run, space))


CASES = [
    ("forward", "state", "α̂"), ("forward", "message", "α"), ("forward", "pair", "α"),
    ("viterbi", "state", "δ"), ("viterbi", "message", "v"), ("viterbi", "pair", "δ"),
]  # fmt: skip


@pytest.mark.parametrize("space", ["log", "probability"])
@pytest.mark.parametrize(("algorithm", "convention", "symbol"), CASES)
def test_lead_and_formula_have_the_same_symbols(algorithm, convention, symbol, space):
    text, formula = told(algorithm, convention, space)
    assert f"{symbol}ₜ(s)" in text
    assert f"{symbol}t(s)" in formula
    assert ("Z sums up" in text) == ("Z = " in formula) == (algorithm == "forward")
    assert ("κₜ(s)" in text) == ("κt(s)" in formula) == (algorithm == "viterbi")


def test_the_hat_is_explained_where_it_is_and_where_it_is_missed():
    assert "its emission included (hence the hat)" in told("forward", "state")[0]
    assert "not in it yet (so α has no hat)" in told("forward", "message")[0]
    assert not any(" hat" in told("viterbi", form)[0] for form in ("state", "message", "pair"))


def test_each_form_has_its_own():
    forms = ("state", "message", "pair")
    pages = itertools.product(("forward", "viterbi"), forms)
    assert len({told(*page)[0] for page in pages}) == 6


def test_the_value_is_a_score_or_a_potential():
    assert "holds the score of the best" in told("viterbi", "state")[0]
    assert (
        "holds the potential, exp(score), of the best" in told("viterbi", "state", "probability")[0]
    )
