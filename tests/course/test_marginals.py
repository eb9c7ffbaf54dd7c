"""Marginals from two traces, against sums over all paths; samples, against what is expected."""

import math

import pytest

from pages.backward import samples as sampling
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.marginals import Marginals, entropy, log_sum, normalised
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
@pytest.mark.parametrize("semiring", SEMIRINGS)
def test_every_column_has_the_same_total(problem, convention, semiring):
    found = both(problem, convention, semiring)
    expected = oracle.total(problem, semiring)
    for t in range(found.m):
        assert found.column_totals[t] == pytest.approx(expected, abs=1e-12)
        assert found.residual(t) < 1e-12
    cell = oracle.total(
        problem, semiring, [pair for pair in oracle.every_path(problem) if pair[0][0] == 1]
    )
    assert found.product(0, 1) == pytest.approx(cell, abs=1e-12)


@pytest.mark.parametrize("problem", CASES)
@pytest.mark.parametrize("convention", FORMS)
def test_unary(problem, convention):
    found = both(problem, convention).unary
    for row, expected in zip(found, oracle.unary(problem), strict=True):
        assert row == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("problem", CASES)
def test_pairs_and_slices(problem):
    found, S = both(problem), len(problem.tags)
    for t in range(found.m - 1):
        expected = oracle.pairs(problem, t)
        for row, wanted in zip(found.pairs(t), expected, strict=True):
            assert row == pytest.approx(wanted, abs=1e-12)
        for s in range(S):
            after = oracle.unary(problem, lambda y, t=t, s=s: y[t] == s)[t + 1]
            before = oracle.unary(problem, lambda y, t=t, s=s: y[t + 1] == s)[t]
            assert found.after(t, s) == pytest.approx(after, abs=1e-12)
            assert found.before(t + 1, s) == pytest.approx(before, abs=1e-12)


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


def test_small_functions():
    assert log_sum([math.log(2), math.log(3)]) == pytest.approx(math.log(5))
    assert log_sum([-math.inf]) == -math.inf
    assert normalised([2.0, 6.0]) == [0.25, 0.75]
    assert entropy([0.25, 0.75]) == pytest.approx(0.25 * math.log(4) + 0.75 * math.log(4 / 3))


class TestDraws:
    problem = EXAMPLES["old-man"].problem

    def test_frequencies_approach_the_marginals_as_fast_as_expected(self):
        chain, unary = self.problem.chain(), oracle.unary(self.problem)
        ratios = []
        for seed in range(20):
            samples = sampling.draw(chain, seed, 400)
            (distance,) = sampling.distances(samples, unary, [400])
            ratios.append((distance / sampling.expected_distance(unary, 400)) ** 2)
        assert 0.6 < sum(ratios) / len(ratios) < 1.5  # its expectation is 1

    def test_expected_distance_falls_like_one_over_root_n(self):
        unary = oracle.unary(self.problem)
        one, hundred = (sampling.expected_distance(unary, n) for n in (1, 100))
        assert one == pytest.approx(10 * hundred)
        assert one**2 == pytest.approx(sum(p * (1 - p) for row in unary for p in row) / 20)

    def test_the_same_seed_draws_the_same(self):
        chain = self.problem.chain()
        first, again, other = (sampling.draw(chain, seed, 50) for seed in (3, 3, 4))
        assert first.equal(again)
        assert not first.equal(other)

    def test_counts(self):
        samples = sampling.draw(self.problem.chain(), 1, 300).tolist()
        tensor = sampling.draw(self.problem.chain(), 1, 300)
        counted = sampling.frequencies(tensor, 4)
        assert counted[2][3] == pytest.approx(sum(y[2] == 3 for y in samples) / 300)
        for one in sampling.most_frequent(tensor, 3):
            assert samples.count(list(one.tags)) == one.times
        times = [one.times for one in sampling.most_frequent(tensor, 99)]
        assert times == sorted(times, reverse=True)
        assert sum(times) == 300

    def test_nothing_to_draw(self):
        with pytest.raises(ValueError, match="allow a path"):
            sampling.draw(EXAMPLES["no-path"].problem.chain(), 1, 1)
