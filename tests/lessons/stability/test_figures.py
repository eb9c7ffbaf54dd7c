"""The curves of the lesson on stability: values, places, shaded regions."""

import math
import re

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.stability.chains import grow, repeated
from pages.stability.figures import error_curves, offset_plot
from pages.stability.number_formats import DTYPES, limits
from pages.stability.sums import exact_log_sum_exp

PROBLEM = EXAMPLES["old-man"].problem


@pytest.fixture(scope="module")
def runs():
    return grow(repeated(PROBLEM, 60))


class TestErrorCurves:
    def test_a_point_has_its_error_and_the_token_behind_it(self, runs):
        figure = error_curves(runs, PROBLEM.tokens)
        curve, run = figure.data[9], runs[9]  # log space, bfloat16
        assert curve.name == "log space, bfloat16"
        assert curve.x[12] == 13
        assert curve.y[12] == pytest.approx(run.errors[12])
        token, value, word, off = curve.customdata[12]
        assert (token, word) == (12, PROBLEM.tokens[2])
        assert float(value.replace("−", "-")) == pytest.approx(run.values[12], rel=1e-6)
        assert float(off) == pytest.approx(run.errors[12], rel=0.05)

    def test_small_errors_are_written_as_everywhere(self, runs):
        curve = error_curves(runs, PROBLEM.tokens).data[10]  # log space, float32
        written = [off for *_, off in curve.customdata if off != "0"]
        assert all(re.fullmatch(r"\d\.\d × 10⁻\d*[⁰-⁹¹²³]+", off) for off in written), written

    def test_a_curve_ends_where_the_number_does(self, runs):
        figure = error_curves(runs, PROBLEM.tokens)
        curve, run = figure.data[0], runs[0]  # probability space, float16
        end = next(t for t, e in enumerate(run.errors) if e == math.inf)
        assert curve.y[end] is None
        assert None not in curve.y[:end]

    def test_crosses_and_shades_stand_where_it_broke(self, runs):
        figure = error_curves(runs, PROBLEM.tokens)
        broken = [run.useless.token + 1 for run in runs if run.useless]
        assert list(figure.data[-1].x) == broken
        heights = figure.data[-1].y  # one under the other, none out of sight
        drawn = [y for curve in figure.data[:-1] for y in curve.y if y is not None]
        assert min(drawn) < heights[-1]
        assert list(heights) == sorted({*heights}, reverse=True)
        assert len(heights) > 1
        assert [shape.x0 for shape in figure.layout.shapes] == broken
        assert "overflow" in figure.data[-1].text[0]
        assert "shaded" in figure.data[-1].name  # which the legend shows

    def test_nothing_broken_nothing_shaded(self, runs):
        figure = error_curves([run for run in runs if run.method == "log"], PROBLEM.tokens)
        assert len(figure.data) == 4
        assert not figure.layout.shapes

    def test_transparent(self, runs):
        layout = error_curves(runs, PROBLEM.tokens).layout
        assert layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_choice_of_c(dtype):
    scores, bound = (95.0, 90.0, -3.0), limits(dtype)
    exact = float(exact_log_sum_exp(scores))
    figure = offset_plot(scores, dtype)
    line, points, top = figure.data
    assert [x + y * math.log(10) for x, y in zip(line.x, line.y, strict=True)] == (
        pytest.approx([exact] * len(line.x))  # of slope one
    )
    left, right = figure.layout.shapes
    low, high = figure.layout.xaxis.range
    assert low == left.x0 < left.x1 < max(scores) < right.x0 < right.x1 == high
    assert left.x1 == pytest.approx(exact - bound.overflow)
    assert right.x0 == pytest.approx(max(scores) - bound.underflow)
    for c, y in zip(points.x, points.y, strict=True):  # the format's sum is there outside of both
        if not math.isclose(c, left.x1, abs_tol=0.5) and not math.isclose(c, right.x0, abs_tol=1):
            assert (y is None) == (c < left.x1 or c > right.x0), c
    assert list(top.x) == [max(scores)]
    told = [text for point in points.customdata for text in point]
    assert any("−" in text for text in told) or dtype == "float16"  # whose c are all positive
    assert not any(re.search(r"-|e\+", text) for text in told)
    assert top.hovertemplate.startswith("c = max q = 95<")


def test_nothing_allowed_has_no_plot():
    with pytest.raises(ValueError, match="scores"):
        offset_plot([-math.inf], "float32")
