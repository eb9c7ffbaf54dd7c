"""log Z of a growing chain: each method in each format, against the core and plain floats."""

import math

import pytest

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.stability import growing, verdicts
from pages.stability.chains import METHODS, grow, probability, repeated, two_tracks
from pages.stability.figures import error_curves
from pages.stability.number_formats import DTYPES, limits
from tests.oracles import recursions as oracle

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf


def runs(problem, tokens):
    return {(run.method, run.dtype): run for run in grow(problem, tokens)}


@pytest.fixture(scope="module")
def long():
    return runs(OLD_MAN, 300)


class TestValues:
    @pytest.mark.parametrize("name", ["old-man", "bio", "pair-potentials"])
    def test_once_through_it_is_the_problem_and_every_prefix_a_chain_of_its_own(self, name):
        problem = EXAMPLES[name].problem
        found = runs(problem, len(problem.tokens))
        for method in METHODS:
            value = found[method, "float64"].values[-1]
            assert value == pytest.approx(oracle.total(problem, "sum"), abs=1e-9)
        log_z = []  # of ever fewer tokens, the end scores after the last of them
        while len(problem.tokens) > 1:
            problem = problem.remove_token(len(problem.tokens) - 1)
            log_z.append(oracle.total(problem, "sum"))
        shorter = found["log", "float64"].values[:-1]
        assert shorter == pytest.approx(log_z[::-1], abs=1e-12)

    def test_columns(self, long):
        for column in long["scaled", "float64"].columns:
            assert math.fsum(column) == pytest.approx(1)
        log_alphas = long["log", "float64"].columns
        assert probability(repeated(OLD_MAN, 8)).alphas.log().tolist() == [
            pytest.approx(column) for column in log_alphas[:8]
        ]
        assert growing.peaks(OLD_MAN)[:300] == pytest.approx(list(map(max, log_alphas)))


class TestBreaks:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_probability_space_overflows_where_alpha_passes_the_largest_number(self, long, dtype):
        useless = long["probability", dtype].useless
        largest = list(map(max, long["log", "float64"].columns))
        assert useless.kind == "overflow"
        assert largest[useless.token] > limits(dtype).overflow - 0.01
        assert max(largest[: useless.token]) < limits(dtype).overflow
        for method in ("scaled", "log"):
            assert long[method, dtype].broke is None
            assert long[method, dtype].errors[-1] < INF

    def test_probability_space_underflows_on_small_potentials(self):
        found = runs(EXAMPLES["bio"].problem, 300)
        useless = [found["probability", dtype].useless for dtype in DTYPES]
        assert [u and u.kind for u in useless] == ["underflow", "underflow", "underflow", None]
        for dtype, at in zip(DTYPES[:3], useless, strict=False):
            values = found["probability", dtype].values
            assert values[at.token] == -INF < values[at.token - 1]

    def test_a_verdict_for_every_length(self, long):
        kinds = long["log", "bfloat16"].kinds
        first = kinds.index("inexact")
        assert 1 < first < 20
        assert set(kinds[:first]) <= {"right", "near"}
        assert set(long["log", "float32"].kinds[:200]) == {"right"}
        broken = long["probability", "float32"]
        assert set(broken.kinds[: broken.useless.token]) == {"right"}
        assert set(broken.kinds[broken.useless.token :]) == {"overflow"}

    def test_no_path_is_no_failure_but_for_scaling_which_divides_by_nothing(self):
        found = runs(EXAMPLES["rib-rob"].problem, 6)
        assert {found["log", d].values[-1] for d in DTYPES} == {-INF}
        assert all(found[m, d].broke is None for m in ("probability", "log") for d in DTYPES)
        assert [found["scaled", d].broke.kind for d in DTYPES] == ["nan"] * 4


@pytest.mark.parametrize(
    ("lag", "wrong"), [(120.0, ["bfloat16", "float32"]), (24.0, ["float16"]), (900.0, ["float64"])]
)
def test_scaling_forgets_the_path_that_wins(lag, wrong):
    """It returns the other one's score, in good order; where A is lost too it is nan."""
    found = runs(two_tracks(lag), 4)
    assert enumerate_paths(two_tracks(lag))[0].score == -lag
    for dtype in DTYPES:
        value = found["scaled", dtype].values[-1]
        assert (value == pytest.approx(-4 * lag / 3, abs=1)) == (dtype in wrong)
        assert found["log", dtype].values[-1] == pytest.approx(-lag, rel=1e-4)
    broke = found["scaled", wrong[-1]].broke
    assert (broke.token, broke.kind) == (1, "lost")


def test_what_makes_nan_of_inf_is_said():
    without = OLD_MAN.with_score("transitions", (3, 3), -INF)
    for problem, said in ((OLD_MAN, False), (without, True)):
        assert ("inf · 0" in " ".join(verdicts.chain_words(grow(problem, 60)))) == said


def test_log_space_is_not_said_to_keep_what_float16_cannot_hold():
    large = OLD_MAN.with_score("emissions", (0, 0), 9e5)
    for problem, kept in ((large, False), (OLD_MAN, True)):
        (words,) = verdicts.chain_spacing(grow(problem, 5))
        assert ("keeps every score in range" in words) == ("in float16" in words) == kept


def test_error_curves_end_and_are_shaded_where_the_number_does():
    found = grow(OLD_MAN, 60)
    figure = error_curves(found, OLD_MAN.tokens)
    broken = [run.useless.token + 1 for run in found if run.useless]
    assert list(figure.data[-1].x) == [shape.x0 for shape in figure.layout.shapes] == broken
    curve, run = figure.data[0], found[0]  # probability space, float16
    assert list(curve.y).index(None) == run.errors.index(INF)
    curve, run = figure.data[9], found[9]  # log space, bfloat16
    word, value, off = curve.customdata[12]
    assert (curve.x[12], word) == (13, OLD_MAN.tokens[2])
    assert curve.y[12] == pytest.approx(run.errors[12])
    assert float(off) == pytest.approx(run.errors[12], rel=0.05)
    assert float(value.replace("−", "-")) == pytest.approx(run.values[12], rel=1e-6)
