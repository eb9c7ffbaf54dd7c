"""Worked lines of the lesson on stability, against Python floats and the runs themselves."""

import math

import pytest
import torch

from pages.shared.course.examples import EXAMPLES
from pages.stability.chains import METHODS, grow, repeated
from pages.stability.number_formats import DTYPES, torch_dtype
from pages.stability.sums import log_sums, with_offset
from pages.stability.verdicts import exp_rows, inside_line, inside_rows, line
from pages.stability.worked import added, inside, lengthened
from tests.lessons.stability.reading import read

INF = math.inf


class TestWithOffset:
    def test_any_c_gives_the_same(self):
        scores = (1.5, -2.0, 0.25)
        right = math.log(sum(map(math.exp, scores)))
        for c in (-300.0, -1.0, 0.0, 1.5, 400.0):
            found = with_offset(scores, c, "float64")
            assert found.value == pytest.approx(right, abs=1e-12)
            assert found.exps == pytest.approx([math.exp(q - c) for q in scores])
            assert found.total == pytest.approx(math.fsum(found.exps))
            assert found.error < 1e-12

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_it_is_the_naive_sum_at_zero_and_the_shifted_at_the_largest(self, dtype):
        for scores in ((95.0, 90.0), (3.0, 1.0, -INF), (-50.0, -51.0)):
            q = torch.tensor(scores).to(torch_dtype(dtype))
            assert with_offset(scores, 0.0, dtype).value == q.exp().sum().log().item()
            at_top = with_offset(scores, max(scores), dtype)
            assert at_top.value == (q.max() + (q - q.max()).exp().sum().log()).item()
            assert max(at_top.exps) == 1

    def test_too_far_below_overflows_and_too_far_above_underflows(self):
        assert with_offset((0.0,), -89.0, "float32").value == INF
        assert with_offset((0.0,), 104.5, "float32").value == -INF
        assert with_offset((0.0,), -88.0, "float32").value == pytest.approx(0, abs=1e-4)


def test_the_line_with_its_numbers():
    first, second, third, _, last = line(with_offset((7.0, 5.0), 4.0, "float32"))
    assert first == "log Σ exp(q) = 4 + log(exp(7 − 4) + exp(5 − 4))"
    assert second == f"= 4 + log({math.exp(3):.4g} + {math.exp(1):.4g})"
    assert read(third.split("log ")[1]) == pytest.approx(math.exp(3) + math.exp(1), rel=1e-4)
    assert read(last[2:]) == pytest.approx(math.log(math.exp(7) + math.exp(5)), rel=1e-6)
    first, second, *_ = line(with_offset((2.0, -INF), 2.0, "float32"))
    assert first == "log Σ exp(q) = 2 + log(exp(2 − 2) + exp(−∞ − 2))"
    assert second == "= 2 + log(1 + 0)"
    assert exp_rows(log_sums((2.0, -INF)))[1] == ["exp(−∞)", "0", "0", "0", "0"]


class TestAdded:
    def test_in_float64(self):
        for a, b in ((0.0, -12.0), (3.0, 3.0), (-5.0, 2.0)):
            found, right = added(a, b, "float64"), math.log(math.exp(a) + math.exp(b))
            for value in found[1:]:
                assert value == pytest.approx(right, rel=1e-9)

    def test_what_each_loses(self):
        found = added(0.0, -12.0, "float16")
        assert found.written == found.with_log == 0
        assert found.with_log1p == pytest.approx(math.exp(-12), rel=0.02)
        assert added(800.0, 0.0, "float64").written == INF
        assert added(800.0, 0.0, "float64").with_log == 800

    def test_nothing_and_nothing(self):
        assert added(-INF, -INF, "float32")[1:] == (-INF,) * 4


@pytest.mark.parametrize("name", ["old-man", "bio", "pair-potentials", "one-token", "rib-rob"])
def test_inside_is_what_the_run_computed(name):
    problem = EXAMPLES[name].problem
    tables = repeated(problem, 2 * len(problem.tokens) + 1)
    for run in grow(tables):
        for t, column in enumerate(run.columns):
            for s, value in enumerate(column):
                found = inside(tables, run, t, s)
                assert found.value == pytest.approx(value, nan_ok=True), (run.method, run.dtype, t)
                assert len(found.before) == (len(column) if t else 0)


def test_inside_names_what_met():
    problem = EXAMPLES["old-man"].problem
    tables = repeated(problem, 3)
    runs = {run.method: run for run in grow(tables) if run.dtype == "float64"}
    for method in METHODS:
        found = inside(tables, runs[method], 2, 1)
        scores = [problem.transitions[i][1] for i in range(4)]
        if method == "log":
            assert found.steps == tuple(scores)
            assert found.emission == problem.emissions[2][1]
            assert found.terms == pytest.approx(
                [a + b for a, b in zip(found.before, scores, strict=True)]
            )
            assert found.raw == pytest.approx(found.total + found.emission)
        else:
            assert found.steps == pytest.approx(tuple(map(math.exp, scores)))
            assert found.emission == pytest.approx(math.exp(problem.emissions[2][1]))
            assert found.total == pytest.approx(math.fsum(found.terms))
            assert found.value == pytest.approx(found.raw / found.divisor)
        assert (found.divisor == 1) == (method != "scaled")
        _, rows = inside_rows(found, problem.tags, method)
        met = zip(problem.tags, found.before, found.steps, found.terms, strict=True)
        for (tag, *texts), (name, *numbers) in zip(rows, met, strict=True):
            assert tag == name
            assert [read(text) for text in texts] == pytest.approx(numbers, rel=1e-3)
        *_, last = inside_line(found, method).replace("\xa0", " ").removesuffix(" = α̂").split(": ")
        assert read(last.removeprefix("log α̂ = ")) == pytest.approx(found.value, rel=1e-3)


@pytest.mark.parametrize("name", ["old-man", "pair-potentials", "one-token", "bio"])
def test_lengthened_is_what_repeated_computes(name):
    problem = EXAMPLES[name].problem
    for tokens in (1, len(problem.tokens), 2 * len(problem.tokens) + 1):
        longer = lengthened(problem, tokens)
        log_z = longer.chain().log_partition.item()
        run = next(
            r for r in grow(repeated(problem, tokens)) if (r.method, r.dtype) == ("log", "float64")
        )
        assert run.values[-1] == pytest.approx(log_z, abs=1e-9)
        assert torch.tensor(longer.emissions).shape == (tokens, len(problem.tags))
