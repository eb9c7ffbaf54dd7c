"""One sum in every number format, and −10000 against −∞: values, gradients, verdicts, words."""

import math
from decimal import localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch

from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.text import case
from pages.stability.chains import (
    STAND_IN,
    empty_row,
    every_other_forbidden,
    forbid,
)
from pages.stability.formats import (
    DTYPES,
    RIGHT,
    exact_log_sum_exp,
    held,
    judge,
    limits,
    log_add,
    log_sum,
    spacing,
    with_offset,
)
from pages.stability.more import read

INF = math.inf


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_leaves_the_format_at_its_limits_and_not_before(dtype):
    bound = limits(dtype)
    q = [bound.overflow - 1, bound.overflow + 1, bound.underflow + 1, bound.underflow - 1]
    exps = held(q, dtype).exp()
    assert exps.isinf().tolist() == [False, True, False, False]
    assert (exps == 0).tolist() == [False, False, False, True]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exact", [1.2345, 95.0067, -622.2168, 9999.9])
def test_spacing_is_to_the_next_number_and_the_nearest_is_good(exact, dtype):
    number = held([exact], dtype)
    nearest, (below, above) = (
        number.item(),
        torch.nextafter(number, held([-INF, INF], dtype)).tolist(),
    )
    assert spacing(nearest, dtype) == abs((above if nearest >= 0 else below) - nearest)
    assert judge(nearest, exact, dtype) in ("right", "near")
    for other in (below, above):
        expected = "right" if abs(other - exact) <= RIGHT else "inexact"
        assert judge(other, exact, dtype) == expected


@pytest.mark.parametrize(
    ("value", "exact", "dtype", "kind"),
    [
        (math.nan, 1.0, "float32", "nan"),
        (math.nan, -INF, "float32", "nan"),
        (-INF, -INF, "float32", "forbidden"),
        (INF, 1.0, "float32", "overflow"),
        (-INF, 1.0, "float32", "underflow"),
        (-9999.0, -INF, "float32", "invented"),
        (65504.0, 70_000.0, "float16", "inexact"),
        (801.0, 800.3, "bfloat16", "near"),
        (95.5, 95.0, "bfloat16", "inexact"),
        (0.3009, 0.3, "float64", "right"),
    ],
)
def test_verdicts(value, exact, dtype, kind):
    assert judge(value, exact, dtype) == kind


LARGE, SMALL = [95.0, 90.0], [-1000.0, -1001.0]


def test_exact_against_rational_numbers_and_shifted():
    value = exact_log_sum_exp([math.log(k) for k in (1, 3, 7)])
    assert float(value) == pytest.approx(math.log(Fraction(11)), rel=1e-15)
    assert exact_log_sum_exp([-INF, -INF]) == -INF
    scores = [0.5, -2.25, 3.0]
    moved = exact_log_sum_exp([q + 4096 for q in scores])
    with localcontext() as context:
        context.prec = 60
        assert abs(moved - 4096 - exact_log_sum_exp(scores)) < 1e-44


@pytest.mark.parametrize(
    ("scores", "method", "expected"),
    [
        (LARGE, "naive", ["overflow", "overflow", "overflow", "right"]),
        (LARGE, "shifted", ["near", "near", "right", "right"]),
        (LARGE, "pairwise", ["near", "near", "right", "right"]),
        (SMALL, "naive", ["underflow"] * 4),
        (SMALL, "shifted", ["near", "near", "right", "right"]),
        ([88.0, 88.5], "naive", ["overflow", "overflow", "overflow", "right"]),
        ([-100.0, -101.0], "naive", ["underflow", "underflow", "inexact", "right"]),
        ([800.0, 1.0], "naive", ["overflow"] * 4),
        ([-INF, -INF], "naive", ["forbidden"] * 4),
        ([-INF, -INF], "shifted", ["nan"] * 4),
        ([-INF, -INF], "pairwise", ["forbidden"] * 4),
        ([70000.0, 1.0], "shifted", ["nan", "near", "right", "right"]),
        ([70000.0, 1.0], "pairwise", ["overflow", "near", "right", "right"]),
    ],
)
def test_verdicts_in_each_format(scores, method, expected):
    assert [log_sum(scores, method, dtype).kind for dtype in DTYPES] == expected


OWN = ("1, 2, 3", "95, 90, 88", "800, 799, 650", "-1000, -1001", "0.5, -inf, 2", "-inf, -inf")


@pytest.mark.parametrize("scores", list(map(read, OWN)))
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_as_written_is_what_numpy_gives(scores, dtype):
    with np.errstate(all="ignore"):
        value = float(np.log(np.sum(np.exp(np.array(scores, dtype=dtype)))))
    assert log_sum(scores, "naive", dtype).value == pytest.approx(value, rel=2e-3)


def test_the_sentence_names_the_score_and_the_limit():
    limit = f"{limits('float16').overflow:.2f}"
    told = log_sum(LARGE, "naive", "float16").sentence
    assert told == case("sum-verdict.overflow", score="95", dtype="float16", limit=limit)
    assert log_sum([88.0, 88.5], "naive", "float32").sentence.name == "sum-verdict.sum-large"


class TestOffset:
    def test_any_c_gives_the_same_but_too_far_below_or_above(self):
        scores = (1.5, -2.0, 0.25)
        for c in (-300.0, 0.0, 1.5, 400.0):
            found = with_offset(scores, c, "float64")
            assert found.value == pytest.approx(math.log(sum(map(math.exp, scores))), abs=1e-12)
            assert found.total == pytest.approx(math.fsum(math.exp(q - c) for q in scores))
        values = [with_offset((0.0,), c, "float32").value for c in (-89.0, 104.5)]
        assert values == [INF, -INF]


def test_two_at_a_time_against_exact_and_what_each_way_loses():
    for a, b in ((0.0, 0.0), (3.0, -40.0), (-1e3, -1e3 + 1), (-INF, 2.0), (-INF, -INF)):
        value = log_add(*torch.tensor([a, b], dtype=torch.float64)).item()
        assert value == pytest.approx(float(exact_log_sum_exp([a, b])), rel=1e-15)
    in_half = log_add(*held((0.0, -12.0), "float16")).item()
    assert in_half == pytest.approx(math.exp(-12), rel=0.02)  # log(1 + x) would give 0


def test_the_stand_in_makes_up_a_log_z_and_marginals_and_minus_infinity_does_not():
    problem = every_other_forbidden()
    half, *_, double = (forbid(problem, "stand-in", dtype) for dtype in DTYPES)
    assert half.value == STAND_IN  # A at both ends, 1 each, is lost in float16
    assert double.value == STAND_IN + 2
    assert double.gradient == ((1, 0), (0, 1), (1, 0))  # A B A, though word 2 does not allow B
    for dtype in DTYPES:
        handled = forbid(problem, "handled", dtype)
        assert (handled.value, set(sum(handled.gradient, ()))) == (-INF, {0.0})
        assert any(map(math.isnan, sum(forbid(problem, "unhandled", dtype).gradient, ())))


@pytest.mark.parametrize("way", ["stand-in", "handled"])
@pytest.mark.parametrize("name", ["bio", "rib-rob", "old-man"])
def test_where_there_is_a_path_all_give_the_marginals(name, way):
    problem = EXAMPLES[name].problem
    found = forbid(problem, way, "float64")
    gradient = torch.tensor(found.gradient, dtype=torch.float64)
    torch.testing.assert_close(gradient, problem.chain().marginals[0])
    assert found.value == pytest.approx(problem.chain().log_partition.item())


def test_a_row_of_nothing():
    written, library, handled = map(empty_row, ("written", "torch", "handled"))
    assert (math.isnan(written[0]), library[0]) == (True, -INF)
    assert all(map(math.isnan, (*written[1], *library[1])))
    assert handled == (-INF, (0.0, 0.0, 0.0))
