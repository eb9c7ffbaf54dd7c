"""Sums over all paths: log Z, α, β, marginals, entropy; by enumeration and by an identity."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close, oracle, same
from tests.core.strategies import Case, cases

SUMS = ["log_partition", "log_alphas", "log_betas", "marginals", "pair_marginals", "entropy"]


@pytest.mark.parametrize("name", SUMS)
@given(case=cases())
def test_enumeration(name: str, case: Case):
    chain = case.chain()
    value = getattr(chain, name)
    assert value.dtype == case.emissions.dtype
    close(value, oracle(case, name))
    same(chain.feasible, oracle(case, "feasible"))


class TestIdentities:
    @given(cases(dtypes=(torch.float64,)))
    def test_alphas_and_betas_give_log_z_at_every_token(self, case: Case):
        chain = case.chain()
        sums = (chain.log_alphas + chain.log_betas).logsumexp(2)
        for b, row in enumerate(case.rows):
            for position in row.positions:
                close(sums[b, position], chain.log_partition[b], atol=1e-9)

    @given(L=st.integers(0, 50), S=st.integers(1, 7))
    def test_all_zero_scores_count_the_paths(self, L: int, S: int):
        zero = torch.zeros(1, L, S, dtype=torch.float64)
        chain = crf.LinearChain(zero, torch.zeros(S, S).double())
        close(chain.log_partition, [L * math.log(S)])
        close(chain.entropy, [L * math.log(S)])

    @given(cases(dtypes=(torch.float64,), spreads=(1.0, 5.0)))
    def test_marginals_sum_to_one_and_pairs_to_the_marginals_of_both_tokens(self, case: Case):
        chain = case.chain()
        close(chain.marginals.sum(2), (chain.mask & chain.feasible[:, None]).double())
        for b, row in enumerate(case.rows):
            for before, after in zip(row.positions, row.positions[1:], strict=False):
                pair = chain.pair_marginals[b, after - 1]
                close(pair.sum(1), chain.marginals[b, before])
                close(pair.sum(0), chain.marginals[b, after])


def test_a_chain_without_a_path_and_one_next_to_it_which_must_not_notice():
    emissions = torch.zeros(2, 4, 3, dtype=torch.float64)
    emissions[0, 2] = -math.inf
    transitions = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).sin()
    chain = crf.LinearChain(emissions, transitions)
    alone = crf.LinearChain(emissions[1:], transitions)
    same(chain.feasible, [False, True])
    best = chain.viterbi()
    log_prob = chain.log_prob(torch.zeros(2, 4, dtype=torch.long))
    for minus_infinity in (chain.log_partition, log_prob, best.scores):
        assert minus_infinity[0] == -math.inf
    for zero in (chain.entropy, chain.marginals, chain.pair_marginals, chain.topk(3).valid):
        assert not zero[0].any()
    same(best.tags[0], [-1] * 4)
    for values in (chain.log_alphas, chain.log_betas, chain.kl(chain), chain.cross_entropy(chain)):
        assert not values.isnan().any()
    close(chain.log_partition[1:], alone.log_partition)
    close(chain.marginals[1:], alone.marginals)
    same(best.tags[1:], alone.viterbi().tags)


@pytest.mark.parametrize(("B", "L", "S"), [(2, 0, 3), (0, 4, 3), (0, 0, 2), (1, 1, 1), (3, 5, 2)])
@pytest.mark.parametrize("per_step", [False, True])
def test_the_shape_of_every_output(B: int, L: int, S: int, per_step: bool):
    steps = max(L - 1, 0)
    chain = crf.LinearChain(
        torch.zeros(B, L, S), torch.zeros((B, steps, S, S) if per_step else (S, S))
    )
    tags = torch.zeros(B, L, dtype=torch.long)
    best, ranked = chain.viterbi(), chain.topk(3)
    shapes = {
        (B,): [chain.log_partition, chain.entropy, chain.feasible, chain.score(tags),
               chain.log_prob(tags), best.scores, chain.clamp(tags).log_partition,
               chain.kl(chain), chain.cross_entropy(chain)],
        (B, L): [best.tags, chain.greedy(), chain.greedy_left_to_right(),
                 chain.posterior_decode()],
        (B, L, S): [chain.log_alphas, chain.log_betas, chain.marginals, best.log_deltas,
                    best.backpointers],
        (B, steps, S, S): [chain.pair_marginals],
        (B, 3): [ranked.scores, ranked.valid],
        (B, 3, L): [ranked.tags],
        (2, B, L): [chain.sample(2)],
    }  # fmt: skip
    for shape, values in shapes.items():
        assert [tuple(value.shape) for value in values] == [shape] * len(values)
    for value in (best.tags, best.backpointers, ranked.tags, chain.greedy(), chain.sample(1)):
        assert value.dtype == torch.int64
    if not L:  # each row has the empty path
        assert chain.feasible.all()
        assert not chain.log_partition.any()
        same(ranked.valid, [[True, False, False]] * B)


class TestChains:
    @given(cases(dtypes=(torch.float64,)))
    def test_some_of_them(self, case: Case):
        chain = case.chain()
        assert len(chain) == case.shape[0]
        for b in range(len(chain)):
            for index in (b, np.int64(b), torch.tensor(b), b - len(chain)):
                close(chain[index].log_partition, chain.log_partition[b : b + 1])
        close(chain[1:].log_partition, chain.log_partition[1:])
        assert chain.to(dtype=torch.float32).dtype == torch.float32
        with pytest.raises(IndexError, match="expected an index below"):
            chain[len(chain)]

    def test_transitions_of_each_chain_or_each_step(self):
        source = torch.Generator().manual_seed(9)
        emissions = torch.randn(3, 4, 2, generator=source)
        tables = torch.randn(3, 2, 2, generator=source)
        of_steps, of_chains = tables.expand(3, 3, 2, 2), tables[:, None].expand(3, 3, 2, 2)
        for short, full in ((tables[None], of_steps), (tables[:, None], of_chains)):
            close(*(crf.LinearChain(emissions, x).log_partition for x in (short, full)))
        close(
            crf.LinearChain(emissions[:, :2], tables).log_partition,
            torch.cat(
                [crf.LinearChain(emissions[b, :2][None], tables[b]).log_partition for b in range(3)]
            ),
        )
        with pytest.raises(ValueError, match=r"transitions: .*\[3, 2, 2\].*\[1, 3, S, S\]"):
            crf.LinearChain(emissions, tables)
