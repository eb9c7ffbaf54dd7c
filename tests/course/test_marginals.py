"""Marginals from two traces, against sums over all paths."""

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals
from pages.shared.course.problem import Problem
from tests.oracles import marginals as oracle

FORMS, SEMIRINGS = ("state", "message", "pair"), ("sum", "max")
SMALL = ["old-man", "fish", "bio", "rib-rob", "one-token", "no-path", "all-forbidden"]
STEPS = Problem.blank(["A", "B", "C"], ["w", "x", "y"]).per_step_form().random(4)
CASES = [EXAMPLES[name].problem for name in SMALL] + [STEPS]


def both(problem, convention="state", semiring="sum"):
    how = {"convention": convention, "semiring": semiring}
    return Marginals(problem.trace("forward", **how), problem.trace("backward", **how))


@pytest.mark.parametrize("problem", CASES)
@pytest.mark.parametrize("convention", FORMS)
def test_totals_and_unary(problem, convention):
    for semiring in SEMIRINGS:
        found, expected = both(problem, convention, semiring), oracle.total(problem, semiring)
        assert found.column_totals == pytest.approx([expected] * found.m, abs=1e-12)
        assert max(map(found.residual, range(found.m))) < 1e-12
        through = [pair for pair in oracle.every_path(problem) if pair[0][0] == 1]
        cell = oracle.total(problem, semiring, through)
        assert found.product(0, 1) == pytest.approx(cell, abs=1e-12)
    for row, expected in zip(both(problem, convention).unary, oracle.unary(problem), strict=True):
        assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("problem", CASES)
def test_pairs(problem):
    found = both(problem)
    for t in range(found.m - 1):
        for row, wanted in zip(found.pairs(t), oracle.pairs(problem, t), strict=True):
            assert row == pytest.approx(wanted, abs=1e-12)


def test_refuses_traces_that_do_not_belong_together():
    with pytest.raises(ValueError, match="one convention"):
        Marginals(STEPS.trace("forward"), STEPS.trace("backward", convention="pair"))
    with pytest.raises(ValueError, match="state form"):
        both(STEPS, "message").pairs(0)


def test_the_emission_stands_between_two_messages():
    problem = EXAMPLES["old-man"].problem
    roles = [[f.role for f in both(problem, "message").factors(t, 0)] for t in (0, 2, 4)]
    assert roles == [
        ["start", "emission", "backward"],
        ["forward", "emission", "backward"],
        ["forward", "emission", "end"],
    ]
    assert both(problem, "message").factors(2, 3)[1].log_value == problem.emissions[2][3]
