"""Cross-entropy and Kullback-Leibler divergence."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import crf
from tests.core.checks import close
from tests.core.strategies import Case, cases


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


class TestDivergence:
    @given(pairs())
    def test_enumeration_and_cross_entropy_less_entropy(self, drawn):
        p, q = (case.chain() for case in drawn)
        kl, cross_entropy = p.kl(q), p.cross_entropy(q)
        assert not (kl.isnan() | cross_entropy.isnan()).any()
        for b, (row, other) in enumerate(zip(*(case.rows for case in drawn), strict=True)):
            if row.feasible and other.feasible:
                close(kl[b], row.cross_entropy(other) - row.entropy)
                close(cross_entropy[b], row.cross_entropy(other))
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
