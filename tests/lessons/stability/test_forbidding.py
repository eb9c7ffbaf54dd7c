"""−10000 against −∞ in every format: values, gradients, verdicts."""

import math

import pytest
import torch

from pages.shared.course.examples import EXAMPLES
from pages.stability.forbidden import (
    STAND_IN,
    compare,
    empty_row,
    every_other_forbidden,
    forbid,
    handled_logsumexp,
)
from pages.stability.number_formats import DTYPES


def kinds(problem):
    found = compare(problem)
    return [[f.kind for f in found[k : k + 4]] for k in (0, 4, 8)]


class TestWithAPath:
    def test_all_are_right_or_as_near_as_the_format_gets(self):
        """In bfloat16 a marginal of .4 is off by .0016: between 1 and its neighbours lie .0078."""
        assert kinds(EXAMPLES["bio"].problem) == [["right", "near", "right", "right"]] * 3

    def test_the_gradient_is_the_marginals(self):
        for name in ("bio", "rib-rob"):
            problem = EXAMPLES[name].problem
            found = forbid(problem, -math.inf, "float64", handled=True)
            expected = problem.chain().marginals[0]
            assert torch.allclose(torch.tensor(found.marginals, dtype=torch.float64), expected)
            assert found.column_sums == pytest.approx([1.0] * len(problem.tokens))


class TestWithoutAPath:
    def test_verdicts_in_each_format(self):
        short, long = every_other_forbidden(3), every_other_forbidden(16)
        assert kinds(short) == [["invented"] * 4, ["nan"] * 4, ["forbidden"] * 4]
        # −10000 for each of eight pairs is below −65504, the lowest number of float16
        assert kinds(long) == [["nan", *["invented"] * 3], ["nan"] * 4, ["forbidden"] * 4]

    def test_the_stand_in_makes_up_a_log_z_and_marginals(self):
        found = forbid(every_other_forbidden(3), STAND_IN, "float64")
        assert found.log_partition == pytest.approx(STAND_IN + 1)  # A at both ends, .5 each
        assert found.marginals[1] == pytest.approx((0, 1))  # B, which token 2 does not allow
        assert found.error == math.inf

    def test_next_to_it_small_scores_lose_their_digits(self):
        values = [
            forbid(every_other_forbidden(3), STAND_IN, dtype).log_partition for dtype in DTYPES
        ]
        assert values[0] == STAND_IN  # the 1 is gone: float16 counts by 8 there
        assert values[1] == -9984.0  # bfloat16 counts by 64
        assert values[3] == pytest.approx(STAND_IN + 1)

    def test_handled_no_gradient_flows(self):
        found = forbid(every_other_forbidden(5), -math.inf, "float32", handled=True)
        assert found.log_partition == -math.inf
        assert set(sum(found.marginals, ())) == {0.0}
        assert found.gradient_error == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_row_of_nothing(dtype):
    written, library, handled = empty_row(dtype).values()
    assert math.isnan(written[0])
    assert library[0] == -math.inf
    assert all(map(math.isnan, (*written[1], *library[1])))
    assert handled == (-math.inf, (0.0, 0.0, 0.0))


def test_handled_is_logsumexp_and_its_gradient_softmax():
    q = torch.tensor([[1.0, -math.inf, 3.0], [-2.0, 0.5, 900.0]], dtype=torch.float64)
    q.requires_grad_()
    value = handled_logsumexp(q, 1)
    (gradient,) = torch.autograd.grad(value.sum(), q)
    assert torch.allclose(value, torch.logsumexp(q, 1))
    assert torch.allclose(gradient, torch.softmax(q, 1))
