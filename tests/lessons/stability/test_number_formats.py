"""What a verdict says: right in any format, as near as the format gets, or with digits lost."""

import math

import pytest
import torch

from pages.stability.number_formats import DTYPES, GOOD, RIGHT, judge, limits, spacing, torch_dtype

INF = math.inf
SIZES = (1.0, 1.7, 95.0, -622.2, 800.3, 10_000.0, 2.0**-8)


def neighbours(x, dtype):
    """The numbers of the format on both sides of one of its numbers."""
    held = torch.tensor(x, dtype=torch.float64).to(torch_dtype(dtype))
    towards = torch.tensor([-INF, INF], dtype=torch_dtype(dtype))
    return torch.nextafter(held, towards).tolist(), held.item()


class TestLimits:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_exp_is_finite_below_and_infinite_above(self, dtype):
        below, above = limits(dtype).overflow - 1, limits(dtype).overflow + 1
        q = torch.tensor([below, above], dtype=torch.float64).to(torch_dtype(dtype))
        assert q.exp().isinf().tolist() == [False, True]

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_exp_is_zero_only_below(self, dtype):
        at = limits(dtype).underflow
        q = torch.tensor([at + 1, at - 1], dtype=torch.float64).to(torch_dtype(dtype))
        assert (q.exp() == 0).tolist() == [False, True]

    def test_the_numbers_of_the_textbooks(self):
        assert limits("float32").overflow == pytest.approx(88.72, abs=0.005)
        assert limits("float64").overflow == pytest.approx(709.78, abs=0.005)
        assert limits("float16").overflow == pytest.approx(math.log(65504))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("x", SIZES)
class TestSpacing:
    def test_the_next_number_away_from_0(self, x, dtype):
        (below, above), held = neighbours(x, dtype)
        assert spacing(held, dtype) == abs((above if held > 0 else below) - held)


@pytest.mark.parametrize("dtype", DTYPES)
def test_spacing_does_not_vanish_at_0(dtype):
    zero = torch.zeros(1, dtype=torch_dtype(dtype))
    assert spacing(0.0, dtype) == torch.nextafter(zero, zero + 1).item()


class TestJudge:
    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize("exact", [1.2345, 95.0067, -622.2168, 800.3132, 9999.9])
    def test_the_nearest_number_is_good_and_what_is_farther_is_not(self, exact, dtype):
        (below, above), nearest = neighbours(exact, dtype)
        assert judge(nearest, exact, dtype) in ("right", "near")
        for other in (below, above):
            expected = "right" if abs(other - exact) <= RIGHT else "inexact"
            assert judge(other, exact, dtype) == expected

    @pytest.mark.parametrize("exact", [0.3, 17.25, -1500.0])
    def test_right_is_the_same_in_every_format(self, exact):
        for dtype in DTYPES:
            assert judge(exact + 0.9 * RIGHT, exact, dtype) == "right"
            assert judge(exact - 1.1 * RIGHT, exact, dtype) != "right"

    def test_half_a_nat_is_never_right(self):
        for dtype in DTYPES:
            assert judge(95.5, 95.0, dtype) == "inexact"
        assert judge(801.0, 800.3, "bfloat16") == "near"

    @pytest.mark.parametrize(
        ("value", "exact", "kind"),
        [
            (math.nan, 1.0, "nan"), (math.nan, -INF, "nan"), (-INF, -INF, "forbidden"),
            (INF, 1.0, "overflow"), (-INF, 1.0, "underflow"), (-9999.0, -INF, "invented"),
        ],
    )  # fmt: skip
    def test_what_is_no_number(self, value, exact, kind):
        assert judge(value, exact, "float32") == kind
        assert (kind in GOOD) == (kind == "forbidden")

    def test_beyond_the_largest_number_nothing_is_near(self):
        assert judge(limits("float16").largest, 70_000.0, "float16") == "inexact"
