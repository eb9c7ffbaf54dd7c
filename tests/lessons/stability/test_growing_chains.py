"""log Z of a growing chain: each method in each format, against the core and exact arithmetic."""

import math

import pytest
import torch

from pages.shared.course.brute_force import enumerate_paths
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.problem import Problem
from pages.stability import growing, verdicts
from pages.stability.chains import METHODS, grow, peaks, probability, repeated, two_tracks
from pages.stability.number_formats import DTYPES, RIGHT, limits, spacing
from pages.stability.sums import exact_log_partition

OLD_MAN = EXAMPLES["old-man"].problem
INF = math.inf


def runs(problem, tokens):
    return {(run.method, run.dtype): run for run in grow(repeated(problem, tokens))}


@pytest.fixture(scope="module")
def long():
    return runs(OLD_MAN, 300)


class TestValues:
    @pytest.mark.parametrize("name", ["old-man", "bio", "three-one-three", "pair-potentials"])
    @pytest.mark.parametrize("method", METHODS)
    def test_once_through_it_is_the_chains(self, name, method):
        example = EXAMPLES[name]
        run = runs(example.problem, len(example.problem.tokens))[method, "float64"]
        assert run.values[-1] == pytest.approx(example.summary.log_z, abs=1e-9)

    def test_every_prefix_is_a_chain_of_its_own(self):
        run = runs(OLD_MAN, 5)["log", "float64"]
        for t in range(1, 5):
            summary = EXAMPLES["old-man"].summary.first(t)
            assert run.values[t - 1] == pytest.approx(summary.log_z, abs=1e-12)

    def test_repeated_is_the_longer_problem(self):
        longer = OLD_MAN
        for t, token in enumerate(OLD_MAN.tokens):
            longer = longer.add_token(f"{token}2")
            for s, score in enumerate(OLD_MAN.emissions[t]):
                longer = longer.with_score("emissions", (t + 5, s), score)
        run = runs(OLD_MAN, 10)["log", "float64"]
        assert run.values[-1] == pytest.approx(longer.chain().log_partition.item(), abs=1e-12)

    def test_matrices_of_single_steps_meet_at_a_seam_of_zeros(self):
        problem = EXAMPLES["pair-potentials"].problem
        tables = repeated(problem, 20)
        assert tables.transitions[9].abs().max() == 0
        assert torch.equal(tables.transitions[10], tables.transitions[0])


class TestExact:
    @pytest.mark.parametrize("name", ["old-man", "bio", "three-one-three", "rib-rob"])
    def test_against_enumeration(self, name):
        problem = EXAMPLES[name].problem
        best, *_ = paths = enumerate_paths(problem)
        by_hand = best.score + math.log(math.fsum(math.exp(p.score - best.score) for p in paths))
        assert float(exact_log_partition(problem)) == pytest.approx(by_hand, rel=1e-14)

    def test_no_path(self):
        assert exact_log_partition(EXAMPLES["no-path"].problem) == -math.inf

    def test_float64_log_space_has_no_more_than_rounding_errors(self):
        problem = EXAMPLES["fifty"].problem
        error = float(exact_log_partition(problem)) - problem.chain().log_partition.item()
        assert abs(error) < 1e-12


class TestVerdicts:
    def test_probability_space_overflows_in_every_format(self, long):
        kinds = [long["probability", dtype].useless.kind for dtype in DTYPES]
        assert kinds == ["overflow"] * 4

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_it_does_so_where_alpha_passes_the_largest_number(self, long, dtype):
        """Before the break log α fits the format, and at it it does not."""
        at = long["probability", dtype].broke
        log_alpha = long["log", "float64"].columns
        assert log_alpha[at.token][at.tag] > limits(dtype).overflow - 0.01
        assert max(max(column) for column in log_alpha[: at.token]) < limits(dtype).overflow

    @pytest.mark.parametrize("method", ["scaled", "log"])
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_others_do_not_break(self, long, method, dtype):
        assert long[method, dtype].broke is None
        assert long[method, dtype].errors[-1] < math.inf

    def test_errors_grow_with_the_format_s_epsilon(self, long):
        errors = [long["log", dtype].errors[-1] for dtype in DTYPES]
        assert errors[3] == 0
        assert errors[2] < 0.01 < errors[0] < errors[1]

    def test_a_verdict_for_every_length(self, long):
        """Until where bfloat16 is near, what it first loses, and that float32 is right at 200."""
        run = long["log", "bfloat16"]
        first = run.kinds.index("inexact")
        assert 1 < first < 20
        assert set(run.kinds[:first]) <= {"right", "near"}
        assert set(long["log", "float32"].kinds[:200]) == {"right"}
        broken = long["probability", "float32"]
        assert set(broken.kinds[: broken.useless.token]) == {"right"}
        assert set(broken.kinds[broken.useless.token :]) == {"overflow"}

    def test_rounding_is_told_of_the_formats_that_it_harms(self):
        """float32 is off by more than half a step as well, but by less than 0.001 nats."""
        found = runs(OLD_MAN, 40)
        exact = found["log", "float64"].values
        (told,) = [
            words for words in verdicts.chain_words([*found.values()])
            if words.startswith("Scaled: rounding adds up to more than 0.001 nats, and more")
        ]  # fmt: skip
        for dtype in DTYPES:
            off = found["scaled", dtype].errors
            harmed = [
                t for t, x in enumerate(off) if x > RIGHT and x > spacing(exact[t], dtype) / 2
            ]
            said = f"token {harmed[0] + 1} in {dtype}" if harmed else dtype
            assert (said in told) == bool(harmed)
        half = spacing(exact[-1], "float32") / 2
        assert half < found["scaled", "float32"].errors[-1] < RIGHT

    @pytest.mark.parametrize("forbidden", [False, True])
    def test_what_makes_nan_of_inf_is_said(self, forbidden):
        problem = OLD_MAN.with_score("transitions", (3, 3), -INF) if forbidden else OLD_MAN
        found = grow(repeated(problem, 60))
        values = [run.values[-1] for run in found if run.method == "probability"]
        assert any(map(math.isnan, values)) == forbidden
        assert ("inf · 0" in " ".join(verdicts.chain_words(found))) == forbidden
        assert ("then nan" in verdicts.chain_verdicts(found)) == forbidden

    def test_the_beginning_is_the_run_of_the_shorter_chain(self, long):
        shorter = runs(OLD_MAN, 40)
        for which, run in shorter.items():
            beginning = long[which].beginning(40)
            last = len(run.values) - 1  # there the chain ends, in both
            assert beginning.kinds == run.kinds
            assert beginning.errors == run.errors
            assert (beginning.broke, beginning.useless) == (run.broke, run.useless)
            assert len(beginning.columns) == last + 1

    def test_probability_space_underflows_on_small_potentials(self):
        found = runs(EXAMPLES["bio"].problem, 300)
        kinds = [found["probability", d].useless for d in DTYPES]
        assert [u and u.kind for u in kinds] == ["underflow", "underflow", "underflow", None]
        for dtype, useless in zip(DTYPES[:3], kinds, strict=False):
            assert found["probability", dtype].values[useless.token] == -math.inf
            assert found["probability", dtype].values[useless.token - 1] > -math.inf

    def test_no_path_is_no_failure_but_for_scaling_which_divides_by_nothing(self):
        found = runs(EXAMPLES["rib-rob"].problem, 6)
        assert {found["log", d].values[-1] for d in DTYPES} == {-math.inf}
        assert all(found[m, d].broke is None for m in ("probability", "log") for d in DTYPES)
        assert [found["scaled", d].broke.kind for d in DTYPES] == ["nan"] * 4


class TestTwoTracks:
    @pytest.mark.parametrize(
        ("lag", "wrong"), [(120.0, ["bfloat16", "float32"]), (24.0, ["float16"]), (60.0, [])]
    )
    def test_scaling_forgets_the_path_that_wins(self, lag, wrong):
        """It returns the other one's score, in good order; where A is lost too it is nan."""
        found = runs(two_tracks(lag), 4)
        for dtype in DTYPES:
            value = found["scaled", dtype].values[-1]
            assert (value == pytest.approx(-4 * lag / 3, abs=1)) == (dtype in wrong)
            assert found["log", dtype].values[-1] == pytest.approx(-lag, rel=1e-4)

    def test_the_place_is_named(self):
        broke = runs(two_tracks(120), 4)["scaled", "float32"].broke
        assert (broke.token, broke.tag, broke.kind) == (1, 1, "lost")

    def test_float64_loses_it_only_later(self):
        assert runs(two_tracks(120), 4)["scaled", "float64"].values[-1] == -120
        assert runs(two_tracks(900), 4)["scaled", "float64"].values[-1] == pytest.approx(-1200)

    def test_log_z_by_enumeration(self):
        assert enumerate_paths(two_tracks(120))[0].score == -120


def test_each_column_of_the_scaled_recursion_sums_to_one(long):
    for column in long["scaled", "float64"].columns:
        assert math.fsum(column) == pytest.approx(1)


def test_the_log_of_the_product_space_is_the_log_space():
    tables = repeated(OLD_MAN, 8)
    log_alpha = runs(OLD_MAN, 8)["log", "float64"].columns
    assert probability(tables).alphas.log().tolist() == [pytest.approx(c) for c in log_alpha]


def test_the_picture_s_marks_are_the_largest_alphas(long):
    columns = long["log", "float64"].columns
    assert peaks(repeated(OLD_MAN, 300)) == pytest.approx(list(map(max, columns)))


def test_log_space_is_not_said_to_keep_what_float16_cannot_hold():
    large = OLD_MAN.with_score("emissions", (0, 0), 9e5)
    (said,) = verdicts.chain_spacing(grow(repeated(large, 5)))
    assert "keeps every score in range" not in said
    assert "in float16" not in said
    assert "in bfloat16 and" in said
    (usual,) = verdicts.chain_spacing(grow(repeated(OLD_MAN, 5)))
    assert "keeps every score in range" in usual
    assert "in float16" in usual


def test_scores_of_any_size_have_an_exact_log_z():
    """1 path in 4 holds nearly all: 1e6 at each of two tokens, on the step and at the end."""
    large = Problem.of(
        ["A", "B"], ["x", "y"], [[1e6, -1e6], [-INF, 1e6]], [[1e6, 0.0], [0.0, -1e6]],
        [0.0, 1e6], [0.0, 5.0],
    )  # fmt: skip
    assert float(exact_log_partition(large)) == large.chain().log_partition.item() == 2e6 + 5
    assert growing.exact(large) == "2000005.000000000000000000"
    assert growing.exact(large.blank("ABCDE", "x" * 17)) is None
