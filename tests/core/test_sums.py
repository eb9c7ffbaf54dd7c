"""Sums over all paths: log Z, α, β, marginals, entropy; by enumeration and by an identity."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close, oracle, same
from tests.core.strategies import Case, cases


class TestLogPartition:
    @given(cases())
    def test_enumeration(self, case: Case):
        log_z = case.chain().log_partition
        assert log_z.dtype == case.emissions.dtype
        close(log_z, oracle(case, "log_partition"))

    @given(cases(dtypes=(torch.float64,)))
    def test_alphas_and_betas_give_it_at_every_token(self, case: Case):
        chain = case.chain()
        sums = (chain.log_alphas + chain.log_betas).logsumexp(2)
        for b, row in enumerate(case.rows):
            for position in row.positions:
                close(sums[b, position], chain.log_partition[b], atol=1e-9)

    @given(L=st.integers(0, 50), S=st.integers(1, 7))
    def test_all_zero_scores_count_the_paths(self, L: int, S: int):
        zero = torch.zeros(1, L, S, dtype=torch.float64)
        close(crf.LinearChain(zero, torch.zeros(S, S).double()).log_partition, [L * math.log(S)])

    @given(cases(dtypes=(torch.float64,), forbidden=(0.0,), spreads=(3.0,)), st.integers(-9, 9))
    def test_a_constant_added_to_a_token_comes_out(self, case: Case, constant: int):
        shifted = replace(case, emissions=case.emissions + constant)
        lengths = torch.tensor([float(row.m) for row in case.rows])
        close(shifted.chain().log_partition, case.chain().log_partition + constant * lengths)

    @given(cases(dtypes=(torch.float64,), poisons=(0.0,)))
    def test_reversed_in_time_with_transposed_transitions_it_is_the_same(self, case: Case):
        transitions = case.transitions.transpose(-1, -2)
        if case.mask is not None and not case.mask.all():
            return  # a hole's matrix would move to the other side of it
        if transitions.dim() == 4:
            transitions = transitions.flip(1)
        mirrored = Case(
            case.emissions.flip(1), transitions, case.end, case.start, None, backend=case.backend
        )
        close(mirrored.chain().log_partition, case.chain().log_partition)


class TestLogAlphas:
    @given(cases())
    def test_enumeration(self, case: Case):
        close(case.chain().log_alphas, oracle(case, "log_alphas"))

    def test_start_is_in_and_end_is_not(self):
        start, end = torch.tensor([1.0, 2.0]), torch.tensor([5.0, 7.0])
        chain = crf.LinearChain(torch.zeros(1, 1, 2), torch.zeros(2, 2), start, end)
        close(chain.log_alphas, [[[1.0, 2.0]]])
        close(chain.log_betas, [[[5.0, 7.0]]])


class TestLogBetas:
    @given(cases())
    def test_enumeration(self, case: Case):
        close(case.chain().log_betas, oracle(case, "log_betas"))


class TestMarginals:
    @given(cases())
    def test_enumeration(self, case: Case):
        close(case.chain().marginals, oracle(case, "marginals"))

    @given(cases())
    def test_they_sum_to_one_at_every_token(self, case: Case):
        chain = case.chain()
        total = chain.marginals.sum(2)
        inside = torch.ones_like(total, dtype=torch.bool) if case.mask is None else case.mask
        wanted = (inside & chain.feasible[:, None]).double()
        close(total, wanted, atol=1e-12 if total.dtype == torch.float64 else 5e-7)


class TestPairMarginals:
    @given(cases())
    def test_enumeration(self, case: Case):
        close(case.chain().pair_marginals, oracle(case, "pair_marginals"))

    @given(cases(dtypes=(torch.float64,), spreads=(1.0, 5.0)))
    def test_they_sum_to_the_marginals_of_both_tokens(self, case: Case):
        chain = case.chain()
        for b, row in enumerate(case.rows):
            for before, after in zip(row.positions, row.positions[1:], strict=False):
                pair = chain.pair_marginals[b, after - 1]
                close(pair.sum(1), chain.marginals[b, before])
                close(pair.sum(0), chain.marginals[b, after])


class TestEntropy:
    @given(cases())
    def test_enumeration(self, case: Case):
        close(case.chain().entropy, oracle(case, "entropy"))

    @given(cases(dtypes=(torch.float64,), spreads=(1.0, 5.0), poisons=(0.0,)))
    def test_it_is_minus_the_expected_log_probability(self, case: Case):
        chain = case.chain()
        for b, row in enumerate(case.rows):
            total = 0.0
            for path, p in row.probabilities.items():
                tags = torch.tensor(
                    [
                        other.spread(path if other is row else [0] * other.m, 0)
                        for other in case.rows
                    ],
                    dtype=torch.long,
                )
                total -= p * chain.log_prob(tags.reshape(case.shape[:2]))[b].item()
            close(chain.entropy[b], total)

    def test_of_a_uniform_chain_it_is_the_log_of_the_number_of_paths(self):
        chain = crf.LinearChain(torch.zeros(1, 9, 4).double(), torch.zeros(4, 4).double())
        close(chain.entropy, [9 * math.log(4)])

    def test_of_a_chain_that_is_certain_it_is_zero(self):
        emissions = torch.full((1, 5, 3), -math.inf, dtype=torch.float64)
        emissions[:, :, 1] = 2.5
        close(crf.LinearChain(emissions, torch.zeros(3, 3).double()).entropy, [0.0])


class TestFeasible:
    @given(cases(forbidden=(0.0, 0.3, 0.6)))
    def test_enumeration(self, case: Case):
        feasible = case.chain().feasible
        assert feasible.dtype == torch.bool
        same(feasible, oracle(case, "feasible"))

    def test_a_chain_that_cannot_start_and_one_that_cannot_end(self):
        never, zero = torch.full((2,), -math.inf), torch.zeros(1, 3, 2)
        assert not crf.LinearChain(zero, torch.zeros(2, 2), start=never).feasible.any()
        assert not crf.LinearChain(zero, torch.zeros(2, 2), end=never).feasible.any()
        assert not crf.LinearChain(zero, torch.full((2, 2), -math.inf)).feasible.any()
        assert crf.LinearChain(zero[:, :1], torch.full((2, 2), -math.inf)).feasible.all()


class TestInfeasibleRows:
    """A chain with no allowed path, next to a good one, which must not notice it."""

    emissions = torch.zeros(2, 4, 3, dtype=torch.float64)
    emissions[0, 2] = -math.inf
    transitions = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).sin()

    def chain(self) -> crf.LinearChain:
        return crf.LinearChain(self.emissions, self.transitions)

    def test_every_query(self):
        chain = self.chain()
        same(chain.feasible, [False, True])
        assert chain.log_partition[0] == -math.inf
        assert chain.entropy[0] == 0
        assert not chain.marginals[0].any()
        assert not chain.pair_marginals[0].any()
        tags = torch.zeros(2, 4, dtype=torch.long)
        assert chain.log_prob(tags)[0] == -math.inf
        assert chain.viterbi().scores[0] == -math.inf
        same(chain.viterbi().tags[0], [-1] * 4)
        assert not chain.topk(3).valid[0].any()
        for values in (
            chain.log_alphas,
            chain.log_betas,
            chain.kl(chain),
            chain.cross_entropy(chain),
        ):
            assert not values.isnan().any()

    def test_the_other_row_is_as_if_alone(self):
        chain = self.chain()
        alone = crf.LinearChain(self.emissions[1:], self.transitions)
        close(chain.log_partition[1:], alone.log_partition)
        close(chain.marginals[1:], alone.marginals)
        same(chain.viterbi().tags[1:], alone.viterbi().tags)


class TestShapes:
    @pytest.mark.parametrize(
        ("B", "L", "S"), [(2, 0, 3), (0, 4, 3), (0, 0, 2), (1, 1, 1), (3, 5, 2)]
    )
    @pytest.mark.parametrize("per_step", [False, True])
    def test_every_output(self, B: int, L: int, S: int, per_step: bool):
        step = (B, max(L - 1, 0), S, S) if per_step else (S, S)
        chain = crf.LinearChain(torch.zeros(B, L, S), torch.zeros(step))
        tags = torch.zeros(B, L, dtype=torch.long)
        best, ranked = chain.viterbi(), chain.topk(3)
        for value, shape in [
            (chain.log_partition, (B,)),
            (chain.entropy, (B,)),
            (chain.feasible, (B,)),
            (chain.log_alphas, (B, L, S)),
            (chain.log_betas, (B, L, S)),
            (chain.marginals, (B, L, S)),
            (chain.pair_marginals, (B, max(L - 1, 0), S, S)),
            (chain.score(tags), (B,)),
            (chain.log_prob(tags), (B,)),
            (best.tags, (B, L)),
            (best.scores, (B,)),
            (best.log_deltas, (B, L, S)),
            (best.backpointers, (B, L, S)),
            (ranked.tags, (B, 3, L)),
            (ranked.scores, (B, 3)),
            (ranked.valid, (B, 3)),
            (chain.sample(2), (2, B, L)),
            (chain.greedy(), (B, L)),
            (chain.greedy_left_to_right(), (B, L)),
            (chain.posterior_decode(), (B, L)),
            (chain.clamp(tags).log_partition, (B,)),
            (chain.kl(chain), (B,)),
            (chain.cross_entropy(chain), (B,)),
        ]:
            assert tuple(value.shape) == shape
        for value in (best.tags, best.backpointers, ranked.tags, chain.greedy(), chain.sample(1)):
            assert value.dtype == torch.int64

    def test_rows_without_tokens(self):
        chain = crf.LinearChain(torch.zeros(2, 0, 3), torch.zeros(3, 3))
        same(chain.feasible, [True, True])
        close(chain.log_partition, [0.0, 0.0])
        close(chain.score(torch.zeros(2, 0, dtype=torch.long)), [0.0, 0.0])
        same(chain.topk(2).valid, [[True, False], [True, False]])
