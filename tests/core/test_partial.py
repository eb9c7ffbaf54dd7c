"""Expected counts and sets of allowed tags: enumeration, and derivatives of the public loss."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck, gradgradcheck

import crf
from tests.core.checks import close
from tests.core.oracle import log_sum
from tests.core.strategies import Case, cases, each_backend

INF = math.inf


@st.composite
def with_sets(draw: st.DrawFn, **options) -> tuple[Case, torch.Tensor]:
    """A case, and a random set of tags for each cell; some are empty."""
    case = draw(cases(**options))
    source = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    share = draw(st.sampled_from([0.2, 0.6, 1.0]))
    return case, torch.rand(case.shape, generator=source) < share


def among(row, line) -> list[float]:
    """The scores of the paths whose tags are all in the sets of a row."""
    sets = [line[position] for position in row.positions]
    return [
        score
        for path, score in row.paths.items()
        if all(tags[tag] for tags, tag in zip(sets, path, strict=True))
    ]


def small() -> tuple[crf.ChainCRF, torch.Tensor, torch.Tensor, torch.Tensor]:
    source = torch.Generator().manual_seed(3)
    model = crf.ChainCRF(3, generator=source).double()
    emissions = torch.randn(2, 4, 3, generator=source, dtype=torch.float64)
    allowed = torch.rand(2, 4, 3, generator=source) < 0.6
    allowed[:, :, 1] = True
    return model, emissions, allowed, torch.tensor([[True] * 4, [True, False, True, True]])


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
        model, emissions, _, mask = small()
        parameters = [x.detach().requires_grad_() for x in model.parameters()]

        def counts(emissions, *parameters):
            its = crf.LinearChain(emissions, *parameters, mask).expected_counts
            return its.emissions, its.transitions, its.start, its.end

        assert gradcheck(counts, (emissions.requires_grad_(), *parameters), fast_mode=True)


class TestSetsOfTags:
    @given(with_sets())
    def test_enumeration(self, drawn):
        case, allowed = drawn
        chain = case.chain()
        wanted = []
        for row, line in zip(case.rows, allowed.tolist(), strict=True):
            part = log_sum(among(row, line))
            wanted.append(part - row.log_partition if part > -INF else -INF)
        size = max((abs(row.log_partition) for row in case.rows if row.feasible), default=0.0)
        rounding = 1e-6 * (case.emissions.dtype == torch.float32) + 1e-15 * size
        close(chain.partial_log_prob(allowed), wanted, atol=1e-10 + rounding)
        close(
            chain.restrict(allowed).log_partition,
            [log_sum(among(*pair)) for pair in zip(case.rows, allowed.tolist(), strict=True)],
        )

    @each_backend
    def test_gradients_once_and_twice(self, backend: str):
        model, emissions, allowed, mask = small()

        def loss(emissions, *parameters):
            chain = crf.LinearChain(emissions, *parameters, mask, backend=backend)
            return chain.partial_log_prob(allowed)

        given = (
            emissions.requires_grad_(),
            *(x.detach().requires_grad_() for x in model.parameters()),
        )
        assert gradcheck(loss, given, fast_mode=True)
        assert gradgradcheck(loss, given, fast_mode=True)

    def test_sets_of_one_tag_give_the_loss_and_of_all_tags_nothing(self):
        model, emissions, _, mask = small()
        tags = torch.tensor([[0, 1, 2, 0], [2, 0, 1, 1]])
        one = torch.nn.functional.one_hot(tags, 3).bool()
        for reduction in ("none", "sum", "mean", "token_mean"):
            close(
                model.partial_nll(emissions, one, mask, reduction),
                model(emissions, tags, mask, reduction),
            )
        close(model.partial_nll(emissions, torch.ones_like(one), mask), 0.0)

    def test_sets_without_a_path_are_refused(self):
        model, emissions, allowed, mask = small()
        allowed[1, 2] = False
        with pytest.raises(ValueError, match=r"allowed: .* row 1"):
            model.partial_nll(emissions, allowed, mask)
        assert model.partial_nll(emissions, allowed, mask, "none", validate=False)[1] == INF
        for wrong, kind, message in (
            (allowed.long(), TypeError, r"allowed: expected a bool tensor.*int64"),
            (allowed[:, :, 0], ValueError, r"allowed: expected shape \[2, 4, 3\].*\[2, 4\]"),
        ):
            with pytest.raises(kind, match=message):
                model.partial_nll(emissions, wrong, mask)
