"""Sets of allowed tags, clamped tags, spans and prefixes, and expected counts, by enumeration."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck, gradgradcheck

import crf
from tests.core.batches import small
from tests.core.checks import close, same
from tests.core.oracle import INF, Row
from tests.core.strategies import Case, cases, each_backend, labelled


@st.composite
def with_sets(draw: st.DrawFn, **options) -> tuple[Case, torch.Tensor]:
    """A case, and a random set of tags for each cell; some are empty."""
    case = draw(cases(**options))
    source = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    share = draw(st.sampled_from([0.2, 0.6, 1.0]))
    return case, torch.rand(case.shape, generator=source) < share


@st.composite
def partly_labelled(draw: st.DrawFn) -> tuple[Case, torch.Tensor]:
    """A case and tags of which some are −1, that is free."""
    case, tags = draw(labelled(allowed=draw(st.booleans())))
    L = case.shape[1]
    free = draw(st.lists(st.booleans(), min_size=L, max_size=L))
    return case, tags.masked_fill(torch.tensor(free, dtype=torch.bool), -1)


def restricted(case: Case, sets) -> list[Row]:
    """The rows of a case under sets of tags, [B][L]."""
    return [row.restricted(line) for row, line in zip(case.rows, sets, strict=True)]


def sets_of(case: Case, tags: torch.Tensor) -> list[list]:
    """The sets that fix tags: one tag where it is 0 or more, else all."""
    every = range(case.shape[2])
    return [[every if tag < 0 else {tag} for tag in line] for line in tags.tolist()]


def log_share(part: Row, whole: Row) -> float:
    """The log of the probability that the part's paths have."""
    return part.log_partition - whole.log_partition if part.feasible else -INF


MASK = torch.tensor([[True] * 4, [True, False, True, True]])
ALLOWED = torch.tensor([[[1, 1, 0], [0, 1, 0], [1, 1, 1], [0, 1, 1]]] * 2).bool()


class TestExpectedCounts:
    @given(cases())
    def test_enumeration(self, case: Case):
        counts = case.chain().expected_counts
        atol = 1e-6 if case.emissions.dtype == torch.float32 else 1e-10
        tables = (counts.emissions, counts.transitions, counts.start, counts.end)
        for b, row in enumerate(case.rows):
            for table, wanted in zip(tables, row.expected_counts(), strict=True):
                close(table[b], wanted, atol=atol)

    def test_they_have_gradients(self):
        model, emissions, _ = small()
        parameters = [x.detach().requires_grad_() for x in model.parameters()]

        def counts(emissions, *parameters):
            its = crf.LinearChain(emissions, *parameters, MASK).expected_counts
            return its.emissions, its.transitions, its.start, its.end

        assert gradcheck(counts, (emissions.requires_grad_(), *parameters), fast_mode=True)


class TestSetsOfTags:
    @given(with_sets())
    def test_enumeration(self, drawn):
        case, allowed = drawn
        chain = case.chain()
        tags = range(case.shape[2])
        sets = [[{s for s in tags if cell[s]} for cell in line] for line in allowed.tolist()]
        rows = restricted(case, sets)
        size = max((abs(row.log_partition) for row in case.rows if row.feasible), default=0.0)
        rounding = 1e-6 * (case.emissions.dtype == torch.float32) + 1e-15 * size
        wanted = [log_share(*pair) for pair in zip(rows, case.rows, strict=True)]
        close(chain.partial_log_prob(allowed), wanted, atol=1e-10 + rounding)
        close(chain.restrict(allowed).log_partition, [row.log_partition for row in rows])

    @each_backend
    def test_gradients_once_and_twice(self, backend: str):
        model, emissions, _ = small()

        def loss(emissions, *parameters):
            chain = crf.LinearChain(emissions, *parameters, MASK, backend=backend)
            return chain.partial_log_prob(ALLOWED)

        parameters = (x.detach().requires_grad_() for x in model.parameters())
        given = (emissions.requires_grad_(), *parameters)
        assert gradcheck(loss, given, fast_mode=True)
        assert gradgradcheck(loss, given, fast_mode=True)

    def test_sets_of_one_tag_give_the_loss_and_of_all_tags_nothing(self):
        model, emissions, tags = small()
        one = torch.nn.functional.one_hot(tags, 3).bool()
        for reduction in ("none", "sum", "mean", "token_mean"):
            close(
                model.partial_nll(emissions, one, MASK, reduction),
                model(emissions, tags, MASK, reduction),
            )
        close(model.partial_nll(emissions, torch.ones_like(one), MASK), 0.0)

    @pytest.mark.parametrize("unknown", [-1, -100, 7])
    def test_tags_some_of_which_are_unknown(self, unknown):
        model, emissions, tags = small()
        known = torch.tensor([[True, False, True, True], [False, False, True, False]])
        partly = torch.where(known, tags, unknown)
        sets = ~known[:, :, None] | torch.nn.functional.one_hot(tags, 3).bool()
        expected = model.partial_nll(emissions, sets, MASK, "none")
        given = model.partial_nll(emissions, partly, MASK, "none", unknown=unknown)
        named = model.partial_nll(emissions, None, MASK, "none", tags=partly, unknown=unknown)
        assert torch.equal(given, expected)
        assert torch.equal(named, expected)
        with pytest.raises(ValueError, match=r"tags: expected tags from 0 to 2, got -5"):
            model.partial_nll(emissions, partly.fill_(-5), unknown=unknown)
        with pytest.raises(TypeError, match=r"tags \[B, L\] or sets of tags, got nothing"):
            model.partial_nll(emissions)

    def test_sets_without_a_path_are_refused(self):
        model, emissions, _ = small()
        allowed = ALLOWED.clone()
        allowed[1, 2] = False
        with pytest.raises(ValueError, match=r"allowed: .* row 1"):
            model.partial_nll(emissions, allowed, MASK)
        assert model.partial_nll(emissions, allowed, MASK, "none", validate=False)[1] == INF
        for wrong, kind, message in (
            (allowed.long(), TypeError, r"allowed: expected a bool tensor.*int64"),
            (allowed[:, :, 0], ValueError, r"allowed: expected shape \[2, 4, 3\].*\[2, 4\]"),
        ):
            with pytest.raises(kind, match=message):
                model.partial_nll(emissions, wrong, MASK)


@given(partly_labelled())
def test_a_clamped_chain_has_the_paths_that_agree(drawn):
    case, tags = drawn
    clamped = case.chain().clamp(tags)
    rows = restricted(case, sets_of(case, tags))
    close(clamped.log_partition, [row.log_partition for row in rows])
    close(clamped.marginals, [row.marginals for row in rows])
    best = [row.spread(row.best) if row.feasible else [-1] * row.cells for row in rows]
    same(clamped.viterbi().tags, best)


class TestSpansAndTokens:
    @given(labelled(allowed=True, dtypes=(torch.float64,)))
    def test_enumeration(self, drawn):
        """A span's tags with whatever is around it; each tag given the ones before it."""
        case, tags = drawn
        chain, steps = case.chain(), torch.arange(case.shape[1])
        rows = restricted(case, sets_of(case, tags.masked_fill((steps < 1) | (steps > 2), -1)))
        wanted = [log_share(*pair) for pair in zip(rows, case.rows, strict=True)]
        close(chain.span_log_prob(1, 3, tags), wanted, atol=1e-8)
        found = chain.token_log_probs(tags)
        if max((row.log_partition for row in case.rows), default=0.0) < 1000:
            close(found.sum(1), chain.log_prob(tags), atol=1e-8)
        upto = [restricted(case, sets_of(case, tags.masked_fill(steps > t, -1))) for t in steps]
        for t, (before, now) in enumerate(zip([case.rows, *upto], upto, strict=False)):
            for b, row in enumerate(case.rows):
                if t not in row.positions:
                    assert found[b, t] == 0
                elif upto[-1][b].feasible:
                    close(found[b, t], log_share(now[b], before[b]), atol=1e-8)

    def test_a_span_of_its_own_for_each_chain(self):
        source = torch.Generator().manual_seed(3)
        emissions = torch.randn(2, 4, 3, generator=source, dtype=torch.float64)
        chain = crf.LinearChain(emissions, torch.randn(3, 3, generator=source).double())
        tags = torch.tensor([[0, 2, 1, 1], [2, 0, 0, 1]])
        both = chain.span_log_prob(torch.tensor([0, 2]), torch.tensor([1, 4]), tags)
        close(both[0].exp(), chain.marginals[0, 0, 0])
        close(both[1], chain.span_log_prob(2, 4, tags)[1])
