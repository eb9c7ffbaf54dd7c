"""What a verdict says: right in any format, as near as the format gets, or with digits lost."""

import math

import pytest
import torch

from pages.stability.number_formats import DTYPES, GOOD, RIGHT, judge, limits, spacing, torch_dtype

INF = math.inf


def neighbours(x, dtype):
    """The numbers of the format on both sides of one of its numbers."""
    held = torch.tensor(x, dtype=torch.float64).to(torch_dtype(dtype))
    towards = torch.tensor([-INF, INF], dtype=torch_dtype(dtype))
    return torch.nextafter(held, towards).tolist(), held.item()


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_leaves_the_format_at_its_limits_and_not_before(dtype):
    bound = limits(dtype)
    q = [bound.overflow - 1, bound.overflow + 1, bound.underflow + 1, bound.underflow - 1]
    exps = torch.tensor(q, dtype=torch.float64).to(torch_dtype(dtype)).exp()
    assert exps.isinf().tolist() == [False, True, False, False]
    assert (exps == 0).tolist() == [False, False, False, True]


def test_the_numbers_of_the_textbooks():
    assert limits("float32").overflow == pytest.approx(88.72, abs=0.005)
    assert limits("float64").overflow == pytest.approx(709.78, abs=0.005)
    assert limits("float16").overflow == pytest.approx(math.log(65504))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exact", [1.2345, 95.0067, -622.2168, 9999.9])
def test_spacing_is_to_the_next_number_and_the_nearest_is_good(exact, dtype):
    (below, above), nearest = neighbours(exact, dtype)
    assert spacing(nearest, dtype) == abs((above if nearest >= 0 else below) - nearest)
    assert judge(nearest, exact, dtype) in ("right", "near")
    for other in (below, above):
        expected = "right" if abs(other - exact) <= RIGHT else "inexact"
        assert judge(other, exact, dtype) == expected


@pytest.mark.parametrize(
    ("value", "exact", "dtype", "kind"),
    [
        (math.nan, 1.0, "float32", "nan"), (math.nan, -INF, "float32", "nan"),
        (-INF, -INF, "float32", "forbidden"), (INF, 1.0, "float32", "overflow"),
        (-INF, 1.0, "float32", "underflow"), (-9999.0, -INF, "float32", "invented"),
        (65504.0, 70_000.0, "float16", "inexact"), (801.0, 800.3, "bfloat16", "near"),
        (95.5, 95.0, "bfloat16", "inexact"), (0.3009, 0.3, "float64", "right"),
    ],
)  # fmt: skip
def test_verdicts(value, exact, dtype, kind):
    assert judge(value, exact, dtype) == kind
    assert (kind in GOOD) == (kind in ("forbidden", "near", "right"))
