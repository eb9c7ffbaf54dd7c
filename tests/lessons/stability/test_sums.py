"""log Σ exp(q): every verdict in every format, exact values, the choice of c, two at a time."""

import math
from decimal import localcontext
from fractions import Fraction

import numpy as np
import pytest
import torch

from pages.shared.figures.text import case
from pages.stability.figures import offset_plot
from pages.stability.number_formats import DTYPES, limits
from pages.stability.own_scores import PRESETS, offset_steps, pair_steps, read
from pages.stability.sums import exact_log_sum_exp, log_add, log_sum, pair_sum, with_offset
from tests.lessons.stability.reading import read as number

INF = math.inf
LARGE, SMALL = [95.0, 90.0], [-1000.0, -1001.0]


class TestExact:
    def test_against_rational_numbers(self):
        value = exact_log_sum_exp([math.log(k) for k in (1, 3, 7)])
        assert float(value) == pytest.approx(math.log(Fraction(11)), rel=1e-15)
        assert exact_log_sum_exp([-INF, -INF]) == -INF

    def test_a_shift_adds_to_it_exactly(self):
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


@pytest.mark.parametrize("scores", list(map(read, PRESETS.values())))
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_as_written_is_what_numpy_gives(scores, dtype):
    with np.errstate(all="ignore"):
        value = float(np.log(np.sum(np.exp(np.array(scores, dtype=dtype)))))
    assert log_sum(scores, "naive", dtype).value == pytest.approx(value, rel=2e-3)


def test_the_sentence_names_the_score_and_the_limit():
    limit = f"{limits('float16').overflow:.2f}"
    told = log_sum(LARGE, "naive", "float16").told
    assert told == case("sum-verdict.overflow", score="95", dtype="float16", limit=limit)
    assert log_sum([88.0, 88.5], "naive", "float32").told.name == "sum-verdict.sum-large"


@pytest.mark.parametrize("scores", [[], [math.nan], [INF, 1.0]])
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(ValueError, match="scores: expected"):
        log_sum(scores, "naive", "float32")


class TestOffset:
    @pytest.mark.parametrize("c", [-300.0, -1.0, 0.0, 1.5, 400.0])
    def test_any_c_gives_the_same(self, c):
        scores = (1.5, -2.0, 0.25)
        found = with_offset(scores, c, "float64")
        assert found.value == pytest.approx(math.log(sum(map(math.exp, scores))), abs=1e-12)
        assert found.exps == pytest.approx([math.exp(q - c) for q in scores])
        assert found.total == pytest.approx(math.fsum(found.exps))

    def test_too_far_below_overflows_and_too_far_above_underflows(self):
        values = [with_offset((0.0,), c, "float32").value for c in (-89.0, 104.5)]
        assert values == [INF, -INF]

    def test_the_steps_with_their_numbers(self):
        first, second, third, _, last = offset_steps(with_offset((7.0, -INF), 4.0, "float32"))
        assert first == "log Σ exp(q) = 4 + log(exp(7 − 4) + exp(−∞ − 4))"
        assert second == f"= 4 + log({math.exp(3):.4g} + 0)"
        assert number(third.split("log ")[1]) == pytest.approx(math.exp(3), rel=1e-4)
        assert number(last[2:]) == pytest.approx(7, rel=1e-6)

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_plot_shows_where_the_format_holds_the_sum(self, dtype):
        scores, bound = (95.0, 90.0, -3.0), limits(dtype)
        exact = float(exact_log_sum_exp(scores))
        figure = offset_plot(scores, 95.0, dtype)
        line, points, top = figure.data
        assert [x + y * math.log(10) for x, y in zip(line.x, line.y, strict=True)] == (
            pytest.approx([exact] * len(line.x))  # of slope one
        )
        left, right, chosen = figure.layout.shapes
        assert left.x1 == pytest.approx(exact - bound.overflow)
        assert right.x0 == pytest.approx(max(scores) - bound.underflow)
        assert chosen.x0 == top.x[0] == 95
        for c in line.x:
            if not math.isclose(c, left.x1, abs_tol=0.5) and not math.isclose(
                c, right.x0, abs_tol=1
            ):
                assert (c in points.x) == (left.x1 < c < right.x0)


class TestTwoAtATime:
    @pytest.mark.parametrize(
        ("a", "b"), [(0.0, 0.0), (3.0, -40.0), (-1e3, -1e3 + 1), (-INF, 2.0), (-INF, -INF)]
    )
    def test_against_exact(self, a, b):
        value = log_add(*torch.tensor([a, b], dtype=torch.float64)).item()
        assert value == pytest.approx(float(exact_log_sum_exp([a, b])), rel=1e-15)

    def test_what_each_loses(self):
        found = pair_sum(0.0, -12.0, "float16")
        assert found.plain == found.with_log == 0
        assert found.with_log1p == pytest.approx(math.exp(-12), rel=0.02)
        assert pair_sum(800.0, 0.0, "float64").plain == INF
        assert pair_sum(800.0, 0.0, "float64").with_log == 800
        assert pair_sum(-5.0, 2.0, "float64") == pytest.approx(
            [math.log(math.exp(-5) + math.exp(2))] * 4
        )
        assert f"= {2 + math.log1p(math.exp(-22)):.12g}" == pair_steps(2.0, -20.0)[-1]
