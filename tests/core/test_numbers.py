"""Numbers: wide spreads, long chains, float32, half precision, and what padding must not do."""

import math
from dataclasses import replace
from functools import cache

import pytest
import torch
from hypothesis import given
from torch import Tensor

import crf
from tests.core.batches import module
from tests.core.checks import close, same
from tests.core.strategies import Case, cases, each_backend

HALVES = (torch.float16, torch.bfloat16)


def random_case(L: int, S: int, spread: float, dtype: torch.dtype, backend="auto") -> Case:
    source = torch.Generator().manual_seed(0)

    def numbers(*shape: int):
        return (spread * (2 * torch.rand(shape, generator=source).double() - 1)).to(dtype)

    return Case(numbers(1, L, S), numbers(S, S), numbers(S), numbers(S), None, backend=backend)


def assert_exact(case: Case, atol: float) -> None:
    """log Z to the last digits of its dtype; marginals and entropy to `atol`."""
    log_z, marginals, entropy = case.rows[0].exact()
    chain = case.chain()
    ulp = 2.3e-16 if case.emissions.dtype == torch.float64 else 1.2e-7
    assert chain.log_partition.dtype == case.emissions.dtype
    assert chain.log_partition.item() == pytest.approx(log_z, rel=4 * ulp, abs=atol)
    close(chain.marginals, [marginals], atol=atol)
    assert chain.entropy.item() == pytest.approx(entropy, rel=100 * ulp, abs=atol)


def test_the_exact_reference_agrees_with_enumeration():
    row = random_case(5, 3, 4.0, torch.float64).rows[0]
    log_z, marginals, entropy = row.exact()
    assert log_z == pytest.approx(row.log_partition, abs=1e-12)
    assert entropy == pytest.approx(row.entropy, abs=1e-12)
    close(torch.tensor(marginals, dtype=torch.float64), row.marginals, atol=1e-12)


@each_backend
class TestSpread:
    @pytest.mark.parametrize("spread", [1.0, 300.0, 1e4])
    @pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-10), (torch.float32, 2e-7)])
    def test_against_the_exact_reference(self, backend, spread, dtype, atol):
        assert_exact(random_case(30, 4, spread, dtype, backend), atol)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    def test_a_best_path_far_below_the_running_maximum_is_not_lost(self, backend: str, dtype):
        """Tag 1 is 200 nats behind for 20 tokens (4,000 in all) and then the only one allowed."""
        emissions = torch.zeros(1, 22, 2, dtype=dtype)
        emissions[0, :20, 1] = -200.0
        emissions[0, 20:, 0] = -math.inf
        stay = torch.tensor([[0.0, -math.inf], [-math.inf, 0.0]], dtype=dtype)
        chain = crf.LinearChain(emissions, stay, backend=backend)
        close(chain.log_partition, [-4000.0])
        same(chain.viterbi().tags, [[1] * 22])
        same(chain.posterior_decode(), [[1] * 22])
        same(chain.topk(2).valid, [[True, False]])
        close(chain.marginals[0, :, 1], [1.0] * 22)
        same(chain.sample(3, torch.Generator().manual_seed(0)), [[[1] * 22]] * 3)

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    def test_a_common_shift_of_the_scores_leaves_the_marginals(self, backend: str, dtype):
        case = random_case(12, 3, 2.0, dtype)
        scores = (case.emissions * 64).round() / 64  # so that the shift itself rounds nothing away
        plain = crf.LinearChain(scores, case.transitions, backend=backend)
        shifted = crf.LinearChain(scores + 8192.0, case.transitions, backend=backend)
        close(shifted.marginals, plain.marginals)
        close(shifted.entropy, plain.entropy, atol=2e-7 if dtype == torch.float32 else 1e-10)


def long_case(dtype: torch.dtype, length: int) -> Case:
    """Rows with scores of size 1, 100 and 10,000; the same numbers in any dtype."""
    source = torch.Generator().manual_seed(8)
    unit = torch.rand(3, length, 2, generator=source) * 2 - 1
    emissions = unit * torch.tensor([1.0, 100.0, 1e4])[:, None, None]
    transitions = torch.tensor([[0.5, -1e4], [30.0, -1.25]])  # once in tag 1, the way on is dear
    ends = torch.tensor([0.25, -3.0])
    return Case(*(x.to(dtype) for x in (emissions, transitions, ends, ends.flip(0))), None)


@cache
def long_truth(length: int) -> list[tuple]:
    return [row.exact(digits=30) for row in long_case(torch.float64, length).rows]


class TestLongChains:
    """log Z is near 10⁶, of the longest near 10⁸; nothing that is smaller may pay for that."""

    @pytest.mark.parametrize("length", [300, pytest.param(20_000, marks=pytest.mark.thorough)])
    @pytest.mark.parametrize(("dtype", "atol"), [(torch.float64, 1e-10), (torch.float32, 2e-7)])
    @each_backend
    def test_against_the_exact_reference(self, backend: str, dtype, atol: float, length: int):
        case = replace(long_case(dtype, length), backend=backend)
        relative = 1e-14 if dtype == torch.float64 else 1.2e-7
        emissions = case.emissions.clone().requires_grad_()
        log_z = replace(case, emissions=emissions).chain().log_partition
        log_z.sum().backward()
        chain = case.chain()
        best = chain.viterbi()
        log_prob = chain.log_prob(best.tags)
        truth = zip(case.rows, long_truth(length), strict=True)
        for b, (row, (exact, marginals, entropy)) in enumerate(truth):
            close(log_z[b], exact, rtol=relative)
            close(emissions.grad[b], marginals, atol=atol)
            close(chain.marginals[b], marginals, atol=atol)
            if length < 1000:  # not log Z − E[score], a difference of two large numbers
                close(chain.entropy[b], entropy, rtol=10 * relative, atol=atol)
            score = row.score(best.tags[b].tolist())
            close(best.scores[b], score, rtol=relative)
            # likewise
            close(log_prob[b], score - exact, atol=1e-6, rtol=2e-7)


@pytest.mark.parametrize("score", [1e300, -1e300])
@each_backend
def test_no_score_that_is_taken_gives_nan(backend: str, score: float):
    scores = torch.full((1, 4, 2), score, dtype=torch.float64)
    chain = crf.LinearChain(scores, torch.zeros(2, 2).double(), backend=backend)
    log_p = chain.log_prob(torch.zeros(1, 4, dtype=torch.long))
    for numbers in (chain.log_partition, log_p, chain.marginals, chain.topk(3).scores):
        assert not numbers.isnan().any()


class TestHalfPrecision:
    @given(cases(dtypes=HALVES, spreads=(1.0, 100.0), max_paths=64))
    def test_it_is_computed_and_returned_in_float32(self, case: Case):
        chain, tags = case.chain(), case.tags()
        scores = case.emissions, case.transitions, case.start, case.end
        wide = [None if x is None else x.float() for x in scores]
        reference = Case(*wide, case.mask, backend=case.backend).chain()
        for name in ("log_partition", "marginals", "pair_marginals", "entropy", "log_alphas"):
            value = getattr(chain, name)
            assert value.dtype == torch.float32
            close(value, getattr(reference, name).double())
        assert chain.score(tags).dtype == chain.viterbi().scores.dtype == torch.float32
        same(chain.viterbi().tags, reference.viterbi().tags)

    @pytest.mark.parametrize("half", HALVES)
    def test_gradients_come_back_in_the_dtype_of_their_scores(self, half: torch.dtype):
        emissions = torch.zeros(1, 3, 2, dtype=half, requires_grad=True)
        transitions = torch.zeros(2, 2, requires_grad=True)
        crf.LinearChain(emissions, transitions).log_partition.sum().backward()
        assert emissions.grad.dtype == half
        assert transitions.grad.dtype == torch.float32
        close(emissions.grad.float(), [[[0.5, 0.5]] * 3])
        close(transitions.grad, [[0.5, 0.5]] * 2)

    def test_what_would_overflow_in_float16_does_not(self):
        chain = crf.LinearChain(torch.full((1, 40, 2), 60_000.0).half(), torch.zeros(2, 2).half())
        close(chain.log_partition, [40 * (60_000 + math.log(2))])

    @pytest.mark.parametrize("half", HALVES)
    def test_autocast(self, half: torch.dtype):
        torch.manual_seed(0)
        layer, model = torch.nn.Linear(5, 3), crf.ChainCRF(3)
        x, tags = torch.randn(2, 6, 5), torch.randint(3, (2, 6))
        with torch.autocast("cpu", dtype=half):
            emissions = layer(x)
            assert emissions.dtype == half
            loss = model(emissions, tags)
            decoded = model.decode(emissions)
        assert loss.dtype == torch.float32
        close(loss, model(emissions.detach().float(), tags).double())
        assert decoded == model.decode(emissions.detach().float())
        loss.backward()
        assert layer.weight.grad.dtype == torch.float32
        assert layer.weight.grad.isfinite().all()
        assert layer.weight.grad.abs().max() > 0


class TestAllPairsOfPrecisions:
    """Results have the common precision, at least float32, in whatever way they are computed."""

    ANSWERS = (
        "log_partition",
        "log_alphas",
        "log_betas",
        "marginals",
        "pair_marginals",
        "entropy",
    )
    PRECISIONS = (*HALVES, torch.float32, torch.float64)

    @staticmethod
    def scores(kind: torch.dtype, of_tables: torch.dtype, *, far: bool) -> list[Tensor]:
        """Emissions and tables; far: row 1 has a range that scaled space cannot hold."""
        source = torch.Generator().manual_seed(1)
        shapes = (3, 6, 4), (4, 4), (4,), (4,)
        found = [torch.randn(shape, generator=source, dtype=torch.float64) for shape in shapes]
        if far:
            found[0][1, 2, 1], found[1][:, 1] = -200.0, -60.0
        return [found[0].to(kind), *(x.to(of_tables) for x in found[1:])]

    @each_backend
    @pytest.mark.parametrize("far", [False, True])
    @pytest.mark.parametrize("of_tables", PRECISIONS)
    @pytest.mark.parametrize("kind", PRECISIONS)
    def test_results_and_gradients(self, kind, of_tables, far: bool, backend: str):
        scores = self.scores(kind, of_tables, far=far)
        dtype = torch.promote_types(torch.promote_types(kind, of_tables), torch.float32)
        tags = torch.arange(18).reshape(3, 6) % 4
        exact = [x.double().requires_grad_() for x in scores]
        reference = crf.LinearChain(*exact, backend="plain")
        chain = crf.LinearChain(*scores, backend=backend)
        found = {name: getattr(chain, name) for name in self.ANSWERS}
        found |= {"log_prob": chain.log_prob(tags), "scores": chain.viterbi().scores}
        found |= {"counts": chain.expected_counts.transitions, "topk": chain.topk(3).scores}
        wanted = {name: getattr(reference, name) for name in self.ANSWERS}
        wanted |= {"log_prob": reference.log_prob(tags), "scores": reference.viterbi().scores}
        wanted |= {"counts": reference.expected_counts.transitions}
        wanted |= {"topk": reference.topk(3).scores}
        for name, value in found.items():
            assert value.dtype == dtype, name
            close(value, wanted[name], rtol=3e-7 if dtype == torch.float32 else 1e-13)
        model = module(*scores[1:], backend=backend)
        leaves = [scores[0].requires_grad_(), *model.parameters()]
        gradients = torch.autograd.grad(-reference.log_prob(tags).mean(), exact)
        for reduction in ("none", "mean"):  # over a chain, and without
            loss = model(leaves[0], tags, None, reduction)
            assert loss.dtype == dtype
            rounded_once = zip(torch.autograd.grad(loss.mean(), leaves), gradients, strict=True)
            for value, right in rounded_once:
                eps = torch.finfo(value.dtype).eps
                torch.testing.assert_close(
                    value.double(), right, rtol=eps, atol=max(3e-7 * (eps > 1e-9), 1e-10)
                )


def test_not_contiguous_expanded_and_shared_inputs():
    source = torch.Generator().manual_seed(3)
    emissions = torch.randn(4, 3, 6, generator=source, dtype=torch.float64).permute(2, 0, 1)
    shared = torch.randn(3, 3, generator=source, dtype=torch.float64)
    wanted = crf.LinearChain(emissions.contiguous(), shared)
    close(crf.LinearChain(emissions, shared).log_partition, wanted.log_partition)
    expanded = shared.expand(6, 3, 3, 3)
    close(crf.LinearChain(emissions, expanded).log_partition, wanted.log_partition)
    close(crf.LinearChain(emissions, shared.T.contiguous().T).marginals, wanted.marginals)
    one = shared[0]
    close(
        crf.LinearChain(emissions, shared, one, one).log_partition,
        crf.LinearChain(emissions, shared, one.clone(), one.clone()).log_partition,
    )
