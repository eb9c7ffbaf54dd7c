"""Clamping, cross-entropy and Kullback-Leibler divergence."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close, same
from tests.core.strategies import Case, cases, labelled


@st.composite
def partly_labelled(draw: st.DrawFn) -> tuple[Case, torch.Tensor]:
    """A case and tags of which some are −1, that is free."""
    case, tags = draw(labelled(allowed=draw(st.booleans())))
    L = case.shape[1]
    free = draw(st.lists(st.booleans(), min_size=L, max_size=L))
    tags = tags.clone()
    tags[:, torch.tensor(free, dtype=torch.bool)] = -1
    return case, tags


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two distributions over the same sequences: one mask, other numbers."""
    case = draw(cases(spreads=(0.0, 1.0, 5.0), dtypes=(torch.float64,)))
    shift = torch.Generator().manual_seed(draw(st.integers(0, 1000)))

    def moved(scores):
        if scores is None:
            return None
        noise = torch.randint(-64, 65, scores.shape, generator=shift).to(scores.dtype) / 64
        holes = torch.rand(scores.shape, generator=shift) < draw(st.sampled_from([0.0, 0.2]))
        return (scores + noise).masked_fill(holes, -math.inf)

    other = [moved(x) for x in (case.emissions, case.transitions, case.start, case.end)]
    return case, Case(*other, case.mask, backend=case.backend)


class TestClamp:
    @given(partly_labelled())
    def test_log_partition_sums_the_paths_that_agree_and_marginals_are_conditional(self, drawn):
        case, tags = drawn
        clamped = case.chain().clamp(tags)
        lines = tags.tolist()
        wanted = [row.clamped_log_partition(x) for row, x in zip(case.rows, lines, strict=True)]
        close(clamped.log_partition, wanted)
        for b, (row, line) in enumerate(zip(case.rows, lines, strict=True)):
            fixed = row.gather(line)
            agreeing = {
                path: p
                for path, p in row.probabilities.items()
                if all(w < 0 or w == tag for w, tag in zip(fixed, path, strict=True))
            }
            z = math.fsum(agreeing.values())
            if z < 1e-200:  # the agreeing paths' own ratios are beyond what exp can hold
                continue

            def marginal(k, tag, agreeing=agreeing, z=z):
                return math.fsum(p for path, p in agreeing.items() if path[k] == tag) / z

            close(clamped.marginals[b], row.table(marginal))

    @given(labelled(allowed=True, spreads=(1.0, 5.0), dtypes=(torch.float64,)))
    def test_the_chain_rule(self, drawn):
        """p(y) is the product of p(y_t | y_1 … y_(t-1)), each read from a clamped chain."""
        case, tags = drawn
        chain = case.chain()
        total = torch.ones(case.shape[0], dtype=torch.float64)
        for t in range(case.shape[1]):
            earlier = tags.clone()
            earlier[:, t:] = -1
            marginals = chain.clamp(earlier).marginals
            for b, row in enumerate(case.rows):
                if t in row.positions:
                    total[b] *= marginals[b, t, tags[b, t]]
        close(total, chain.log_prob(tags).exp())

    def test_the_best_completion_and_samples_keep_what_is_fixed(self):
        torch.manual_seed(1)
        chain = crf.LinearChain(torch.randn(1, 5, 3).double(), torch.randn(3, 3).double())
        clamped = chain.clamp(torch.tensor([[-1, 2, -1, 0, -1]]))
        best = clamped.viterbi()
        close(best.scores, chain.score(best.tags))
        for lines in (best.tags, clamped.sample(50, torch.Generator().manual_seed(0))[:, 0]):
            same(lines[:, [1, 3]], [[2, 0]] * len(lines))


class TestDivergence:
    @given(pairs())
    def test_enumeration_and_cross_entropy_less_entropy(self, drawn):
        p, q = (case.chain() for case in drawn)
        kl, cross_entropy = p.kl(q), p.cross_entropy(q)
        assert not (kl.isnan() | cross_entropy.isnan()).any()
        for b, (row, other) in enumerate(zip(*(case.rows for case in drawn), strict=True)):
            if row.feasible and other.feasible:
                close(kl[b], row.kl(other))
                close(cross_entropy[b], row.cross_entropy(other))
                close(kl[b], cross_entropy[b] - p.entropy[b])
                assert kl[b] >= -1e-10

    @given(cases())
    def test_of_a_chain_with_itself(self, case: Case):
        chain = case.chain()
        close(chain.kl(case.chain()), [0.0] * case.shape[0])
        close(chain.cross_entropy(chain), chain.entropy.double())

    def test_what_the_other_forbids_costs_infinitely_much(self):
        free = crf.LinearChain(torch.zeros(1, 2, 2), torch.zeros(2, 2))
        strict = crf.LinearChain(torch.zeros(1, 2, 2), torch.tensor([[0.0, -math.inf], [0.0, 0.0]]))
        assert free.kl(strict) == math.inf
        assert free.cross_entropy(strict) == math.inf
        assert strict.kl(free).item() == pytest.approx(math.log(4 / 3))
