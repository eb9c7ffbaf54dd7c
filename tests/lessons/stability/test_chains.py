"""log Z of a growing chain: each way in each format, against the core and plain floats."""

import math

import pytest

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.stability.chains import (
    METHODS,
    log_space,
    powers,
    probability,
    repeated,
    run,
    two_tracks,
)
from pages.stability.formats import DTYPES, limits
from tests.oracles import recursions as oracle

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf


@pytest.mark.parametrize("name", ["old-man", "bio", "pair-potentials"])
def test_once_through_it_is_the_problem_and_every_prefix_a_chain_of_its_own(name):
    problem = EXAMPLES[name].problem
    for method in METHODS:
        value = run(problem, method, "float64", len(problem.tokens)).values[-1]
        assert value == pytest.approx(oracle.total(problem, "sum"), abs=1e-9)
    values = run(problem, "log", "float64", len(problem.tokens)).values[:-1]
    log_z = []  # of ever fewer tokens, the end scores after the last of them
    while len(problem.tokens) > 1:
        problem = problem.remove_token(len(problem.tokens) - 1)
        log_z.append(oracle.total(problem, "sum"))
    assert values == pytest.approx(log_z[::-1], abs=1e-12)


def test_repeats_have_the_one_matrix_between_them_or_none_of_their_own():
    tables = repeated(OLD_MAN, 7)
    steps = [OLD_MAN.transitions] * 6
    assert tables.transitions.tolist() == [list(map(list, step)) for step in steps]
    pairs = EXAMPLES["pair-potentials"].problem
    m, S = len(pairs.tokens), len(pairs.tags)
    steps = repeated(pairs, m + 2).transitions.tolist()
    assert steps[m - 1] == [[0.0] * S] * S
    assert steps[m] == [list(row) for row in pairs.matrix(1)]


def test_columns():
    log_alphas = log_space(repeated(OLD_MAN, 8)).alphas
    assert probability(repeated(OLD_MAN, 8)).alphas.log().tolist() == [
        pytest.approx(column) for column in log_alphas.tolist()
    ]
    assert run(OLD_MAN, "log", "float64", 8).peaks == pytest.approx(log_alphas.amax(1).tolist())


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_break_where_they_pass_the_format_s_last_number(dtype):
    """By the other half of the way: the sum of logs, against the limits of exp."""
    found, exact = (
        run(OLD_MAN, way, dtype_, 300) for way, dtype_ in (("multiply", dtype), ("log", "float64"))
    )
    assert exact.values[found.broke - 1] > limits(dtype).overflow - 2.1  # an end score of −2
    assert max(exact.peaks[: found.broke - 2]) < limits(dtype).overflow
    for method in ("scaled", "log"):
        assert run(OLD_MAN, method, dtype, 300).broke is None
    products, _ = powers(400, dtype)
    zero = products.index(0.0)
    assert zero == pytest.approx(limits(dtype).underflow / math.log(0.1), abs=1)


def test_small_potentials_underflow():
    broke = [run(EXAMPLES["bio"].problem, "multiply", dtype, 300).broke for dtype in DTYPES]
    assert broke[3] is None
    assert broke[0] < broke[1] < broke[2]


def test_the_closing_chart_of_a_thousand_words():
    wrong = [[run(OLD_MAN, way, d, 1000).wrong for d in DTYPES] for way in METHODS]
    assert wrong == [
        [3, 28, 28, 228],
        [91, 16, None, None],
        [3, 28, 28, 228],
        [330, 21, None, None],
    ]
    assert run(OLD_MAN, "log", "bfloat16", 1000).values[-1] == 2048
    assert run(OLD_MAN, "log", "bfloat16", 1000).stuck
    assert not run(OLD_MAN, "log", "float16", 1000).stuck


def test_no_path_is_no_failure_but_for_scaling_which_divides_by_nothing():
    problem = EXAMPLES["no-path"].problem
    for dtype in DTYPES:
        for method in ("multiply", "naive", "log"):
            found = run(problem, method, dtype, 6)
            assert (found.values[-1], found.wrong) == (-INF, None)
        assert run(problem, "scaled", dtype, 6).wrong


@pytest.mark.parametrize(
    ("lag", "wrong"), [(120.0, ["bfloat16", "float32"]), (24.0, ["float16"]), (900.0, ["float64"])]
)
def test_scaling_forgets_the_path_that_wins(lag, wrong):
    """It returns the other one's score, in good order; where A is lost too it is nan."""
    assert enumerate_paths(two_tracks(lag))[0].score == -lag
    for dtype in DTYPES:
        value = run(two_tracks(lag), "scaled", dtype, 4).values[-1]
        assert (value == pytest.approx(-4 * lag / 3, abs=1)) == (dtype in wrong)
        assert run(two_tracks(lag), "log", dtype, 4).values[-1] == pytest.approx(-lag, rel=1e-4)
    assert run(two_tracks(lag), "scaled", wrong[-1], 4).lost
