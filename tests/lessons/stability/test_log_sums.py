"""Every verdict, in every format, and the exact values against a second way to get them."""

import math
from decimal import localcontext
from fractions import Fraction

import pytest
import torch

from pages.shared.figures.text import case
from pages.stability.number_formats import DTYPES, limits
from pages.stability.sums import METHODS, exact_log_sum_exp, log_add, log_sum, log_sums

INF = math.inf
LARGE, SMALL = [95.0, 90.0], [-1000.0, -1001.0]


class TestExact:
    def test_against_rational_numbers(self):
        numerators = [1, 3, 7]  # exp(log(k)) adds up to 11, whatever log is rounded to
        value = exact_log_sum_exp([math.log(k) for k in numerators])
        assert float(value) == pytest.approx(math.log(Fraction(11)), rel=1e-15)

    def test_a_shift_adds_to_it_exactly(self):
        scores = [0.5, -2.25, 3.0]
        moved = exact_log_sum_exp([q + 4096 for q in scores])
        with localcontext() as context:
            context.prec = 60
            assert abs(moved - 4096 - exact_log_sum_exp(scores)) < 1e-44

    def test_no_score_allowed(self):
        assert exact_log_sum_exp([-INF, -INF]) == -INF


class TestVerdicts:
    @pytest.mark.parametrize(
        ("scores", "method", "expected"),
        [
            (LARGE, "naive", ["overflow", "overflow", "overflow", "right"]),
            (LARGE, "shifted", ["near", "near", "right", "right"]),
            (LARGE, "pairwise", ["near", "near", "right", "right"]),
            (SMALL, "naive", ["underflow"] * 4),
            (SMALL, "shifted", ["near", "near", "right", "right"]),
            (SMALL, "pairwise", ["near", "near", "right", "right"]),
            ([88.0, 88.5], "naive", ["overflow", "overflow", "overflow", "right"]),
            ([-100.0, -101.0], "naive", ["underflow", "underflow", "inexact", "right"]),
            ([1.0, 2.0, 3.0], "naive", ["right", "near", "right", "right"]),
            ([800.0, 1.0], "naive", ["overflow"] * 4),
            ([-INF, -INF], "naive", ["forbidden"] * 4),
            ([-INF, -INF], "shifted", ["nan"] * 4),
            ([-INF, -INF], "pairwise", ["forbidden"] * 4),
            ([-INF, 1.0], "shifted", ["right"] * 4),
            ([70000.0, 1.0], "shifted", ["nan", "near", "right", "right"]),
            ([70000.0, 1.0], "pairwise", ["overflow", "near", "right", "right"]),
        ],
    )
    def test_in_each_format(self, scores, method, expected):
        assert [log_sum(scores, method, dtype).kind for dtype in DTYPES] == expected

    def test_the_scores_whose_exp_is_lost_are_named(self):
        found = log_sum([5.0, 95.0, -200.0, -INF], "naive", "float32")
        assert found.overflowed == (1,)
        assert found.underflowed == (2,)

    def test_pairwise_names_the_score_that_is_added(self):
        found = log_sum([5.0, 4.0, -200.0], "pairwise", "float32")
        assert found.underflowed == (2,)
        assert len(found.exps) == 2

    def test_where_only_the_sum_overflows_no_score_is_named(self):
        found = log_sum([88.0, 88.5], "naive", "float32")
        assert found.overflowed == ()
        assert found.told.name == "sum-verdict.sum-large"

    def test_words_name_the_score_and_the_limit(self):
        found = log_sum(LARGE, "naive", "float16").told
        limit = f"{limits('float16').overflow:.2f}"
        assert found == case("sum-verdict.overflow", score="95", dtype="float16", limit=limit)

    def test_each_way_in_each_format(self):
        found = [(r.method, r.dtype) for r in log_sums((0.0,))]
        assert found == [(method, dtype) for method in METHODS for dtype in DTYPES]

    @pytest.mark.parametrize("scores", [[], [math.nan], [INF, 1.0]])
    def test_what_is_no_score_is_refused(self, scores):
        with pytest.raises(ValueError, match="scores: expected"):
            log_sum(scores, "naive", "float32")


class TestLogAdd:
    def test_against_exact(self):
        for a, b in [(0.0, 0.0), (3.0, -40.0), (-1e3, -1e3 + 1), (-INF, 2.0)]:
            value = log_add(*torch.tensor([a, b], dtype=torch.float64)).item()
            assert value == pytest.approx(float(exact_log_sum_exp([a, b])), rel=1e-15)

    def test_log1p_keeps_what_log_loses(self):
        a, b = torch.tensor([0.0, -40.0], dtype=torch.float64)
        assert log_add(a, b).item() == pytest.approx(math.exp(-40), rel=1e-12, abs=0)
        assert math.log(1 + math.exp(-40)) == 0

    def test_nothing_and_nothing(self):
        nothing = torch.tensor(-INF)
        assert log_add(nothing, nothing).item() == -INF
