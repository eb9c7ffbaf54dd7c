"""Exact sampling: the right frequencies, reproducible, nothing forbidden."""

import math

import pytest
import torch
from hypothesis import given

import crf
from tests.core.checks import same
from tests.core.strategies import Case, cases, each_backend


def chi_square_bound(freedom: int) -> float:
    """About five standard deviations above the mean (Wilson-Hilferty)."""
    spread = math.sqrt(2 / (9 * freedom))
    return freedom * (1 - 2 / (9 * freedom) + 5 * spread) ** 3


def frequencies_fit(case: Case, n: int, generator: torch.Generator) -> None:
    draws = case.chain().sample(n, generator)
    assert tuple(draws.shape) == (n, *case.shape[:2])
    for b, row in enumerate(case.rows):
        counts = dict.fromkeys(row.probabilities, 0)
        for line in draws[:, b].tolist():
            counts[row.gather(line)] += 1  # a KeyError is a forbidden path
        expected = {path: n * p for path, p in row.probabilities.items()}
        rare = [path for path in counts if expected[path] < 5]
        often = [path for path in counts if expected[path] >= 5]
        cells = [(counts[path], expected[path]) for path in often]
        if rare:
            cells.append((sum(counts[p] for p in rare), sum(expected[p] for p in rare) + 1e-9))
        statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in cells if wanted >= 5)
        assert statistic < chi_square_bound(max(len(cells) - 1, 1))


def fixed_case(
    *, per_step: bool, dtype: torch.dtype = torch.float64, backend: str = "auto"
) -> Case:
    """Three rows (full, with a hole, left-padded) with strong start, end and transitions."""
    source = torch.Generator().manual_seed(5)

    def numbers(*shape: int):
        return (torch.randn(shape, generator=source, dtype=torch.float64) * 1.5).to(dtype)

    B, L, S = 3, 4, 3
    mask = torch.tensor([[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 1]]).bool()
    transitions = numbers(B, L - 1, S, S) if per_step else numbers(S, S)
    transitions[..., 0, 1] = -math.inf
    return Case(numbers(B, L, S), transitions, numbers(S), numbers(S), mask, backend=backend)


class TestSample:
    @pytest.mark.parametrize("per_step", [False, True])
    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    @each_backend
    def test_frequencies_by_chi_square(self, backend, per_step, dtype, generator):
        case = fixed_case(per_step=per_step, dtype=dtype, backend=backend)
        frequencies_fit(case, 6000, generator)

    @given(cases(forbidden=(0.3,)))
    def test_forbidden_paths_are_never_drawn_and_masked_cells_hold_minus_one(self, case: Case):
        if not all(row.feasible for row in case.rows):
            return
        draws = case.chain().sample(20, torch.Generator().manual_seed(1))
        for b, row in enumerate(case.rows):
            for line in draws[:, b].tolist():
                assert row.score(row.gather(line)) > -math.inf
                assert row.spread(row.gather(line)) == line

    @each_backend
    def test_the_same_seed_draws_the_same_and_no_other_generator_is_used(self, backend: str):
        chain = fixed_case(per_step=False, backend=backend).chain()
        before = torch.random.get_rng_state()
        draws = [chain.sample(30, torch.Generator().manual_seed(seed)) for seed in (4, 4, 5)]
        same(draws[0], draws[1])
        assert not torch.equal(draws[0], draws[2])
        assert torch.equal(torch.random.get_rng_state(), before)  # the global one is left alone

    @each_backend
    def test_rows_and_draws_are_independent(self, backend: str, generator):
        chain = crf.LinearChain(torch.zeros(2, 1, 2), torch.zeros(2, 2), backend=backend)
        draws = chain.sample(4000, generator)
        agree = (draws[:, 0] == draws[:, 1]).double().mean().item()
        follow = (draws[1:] == draws[:-1]).double().mean().item()
        assert agree == pytest.approx(0.5, abs=0.05)
        assert follow == pytest.approx(0.5, abs=0.05)
