"""Weights, spans, token probabilities, masks of numbers, indexing, and pytorch-crf's interface."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from torch.autograd import gradcheck

import crf
from crf.compat import CRF
from tests.core.checks import close, same
from tests.core.oracle import log_sum
from tests.core.strategies import Case, cases, labelled

INF = math.inf


def small(dtype: torch.dtype = torch.float64):
    source = torch.Generator().manual_seed(3)
    model = crf.ChainCRF(3, generator=source).to(dtype)
    emissions = torch.randn(2, 4, 3, generator=source, dtype=dtype)
    tags = torch.tensor([[0, 2, 1, 1], [2, -100, 0, 1]])
    return model, emissions, tags, torch.tensor([[True] * 4, [True, False, True, True]])


class TestTokens:
    @given(labelled(allowed=True, dtypes=(torch.float64,)))
    def test_they_are_the_conditionals_of_enumeration(self, drawn):
        case, tags = drawn
        found = case.chain().token_log_probs(tags)
        for b, (row, line) in enumerate(zip(case.rows, tags.tolist(), strict=True)):
            path = row.gather(line)
            mine = [found[b, position].item() for position in row.positions]
            if not row.feasible or row.score(path) == -INF:
                continue
            for t, value in enumerate(mine):
                same_start = [s for p, s in row.paths.items() if p[:t] == path[:t]]
                same_tag = [s for p, s in row.paths.items() if p[: t + 1] == path[: t + 1]]
                wanted = log_sum(same_tag) - log_sum(same_start)
                assert value == pytest.approx(wanted, abs=1e-8, rel=1e-12)

    @given(labelled(allowed=True, spreads=(0.0, 5.0), dtypes=(torch.float64,)))
    def test_they_add_up(self, drawn):
        case, tags = drawn
        chain = case.chain()
        close(chain.token_log_probs(tags).sum(1), chain.log_prob(tags))


class TestWeights:
    def test_ones_change_nothing(self):
        model, emissions, tags, mask = small()
        for weight in (torch.ones(2, 1), torch.ones(2, 4), torch.ones(3)):
            for reduction in ("none", "sum", "mean", "token_mean"):
                found = model(emissions, tags, mask, reduction, weight=weight)
                close(found, model(emissions, tags, mask, reduction))

    def test_per_sequence_they_multiply_the_losses(self):
        model, emissions, tags, mask = small()
        weight = torch.tensor([[0.5], [3.0]])
        each = model(emissions, tags, mask, "none")
        close(model(emissions, tags, mask, weight=weight), (each * weight[:, 0]).mean())

    def test_per_token_and_per_class(self):
        model, emissions, tags, mask = small()
        of_tag = torch.tensor([1.0, 0.0, 5.0])
        tokens = model.chain(emissions, mask).token_log_probs(tags)
        weight = of_tag[tags.clamp(min=0)]
        wanted = -(tokens * weight).sum(1)
        close(model(emissions, tags, mask, "none", weight=of_tag), wanted)
        close(model(emissions, tags, mask, "none", weight=weight), wanted)

    def test_gradients(self):
        model, emissions, tags, mask = small()
        weight = torch.tensor([[1.0, 0.0, 2.0, 1.0], [0.5, 9.0, 1.0, 3.0]])
        loss = lambda x: model(x, tags, mask, "none", weight=weight)  # noqa: E731
        assert gradcheck(loss, emissions.requires_grad_())

    def test_another_shape_is_refused(self):
        model, emissions, tags, mask = small()
        with pytest.raises(ValueError, match=r"weight: .*\[2, 1\].*\[2, 4\].*\[3\].*got \[5\]"):
            model(emissions, tags, mask, weight=torch.ones(5))


class TestSpans:
    @given(labelled(allowed=True, dtypes=(torch.float64,)))
    def test_enumeration(self, drawn):
        case, tags = drawn
        found = case.chain().span_log_prob(1, 3, tags)
        for b, (row, line) in enumerate(zip(case.rows, tags.tolist(), strict=True)):
            fixed = [(k, line[p]) for k, p in enumerate(row.positions) if 1 <= p < 3]
            agree = [s for p, s in row.paths.items() if all(p[k] == tag for k, tag in fixed)]
            part = log_sum(agree)
            wanted = part - row.log_partition if part > -INF else -INF
            assert found[b].item() == pytest.approx(wanted, abs=1e-8, rel=1e-12)

    def test_a_span_of_its_own_for_each_chain(self):
        model, emissions, tags, _ = small()
        chain, tags = model.chain(emissions), tags.clamp(min=0)
        both = chain.span_log_prob(torch.tensor([0, 2]), torch.tensor([1, 4]), tags)
        close(both[0], chain.span_log_prob(0, 1, tags)[0])
        close(both[1], chain.span_log_prob(2, 4, tags)[1])
        close(both[0].exp(), chain.marginals[0, 0, tags[0, 0]])


class TestMasks:
    @pytest.mark.parametrize("dtype", [torch.uint8, torch.int64], ids=str)
    def test_of_numbers(self, dtype: torch.dtype):
        model, emissions, tags, mask = small()
        numbers = mask.to(dtype)
        close(model(emissions, tags, numbers), model(emissions, tags, mask))
        assert model.decode(emissions, numbers) == model.decode(emissions, mask)
        same(model.chain(emissions, numbers).mask, mask)

    def test_ignored_tags_are_not_in_the_chain(self):
        model, emissions, tags, mask = small()
        close(model(emissions, tags, ignore_index=-100), model(emissions, tags, mask))
        with pytest.raises(ValueError, match="-100"):
            model(emissions, tags)

    def test_time_major_data_is_refused_where_it_shows(self):
        model, emissions, tags, mask = small()
        with pytest.raises(ValueError, match=r"transpose\(0, 1\)"):
            model(emissions.transpose(0, 1), tags, mask)


class TestChains:
    @given(cases(dtypes=(torch.float64,)))
    def test_some_of_them(self, case: Case):
        chain = case.chain()
        assert len(chain) == case.shape[0]
        for b in range(len(chain)):
            close(chain[b].log_partition, chain.log_partition[b : b + 1])
        close(chain[1:].log_partition, chain.log_partition[1:])
        assert [x.dtype for x in chain.to(dtype=torch.float32)._raw[:4]] == [torch.float32] * 4
        with pytest.raises(IndexError, match="expected an index below"):
            chain[len(chain)]

    def test_transitions_of_each_chain(self):
        _, emissions, _, mask = small()
        tables = torch.randn(2, 3, 3, dtype=torch.float64)
        both = crf.LinearChain(emissions, tables, mask=mask).log_partition
        for b in range(2):
            one = crf.LinearChain(emissions[b : b + 1], tables[b], mask=mask[b : b + 1])
            close(both[b : b + 1], one.log_partition)


class TestCompat:
    def test_signs_defaults_and_the_order_of_arguments(self):
        model, emissions, tags, _ = small(torch.float32)
        mask = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]], dtype=torch.uint8)
        tags = tags.clamp(min=0)
        theirs = CRF(3, batch_first=True)
        theirs.load_state_dict(model.state_dict())
        close(theirs(emissions, tags, mask), -model(emissions, tags, mask, "sum"))
        close(theirs(emissions, tags, mask, "mean"), -model(emissions, tags, mask, "mean"))
        first = CRF(3)
        first.load_state_dict(model.state_dict())
        turned = emissions.transpose(0, 1), tags.T, mask.T
        close(first(*turned), theirs(emissions, tags, mask))
        assert first.decode(turned[0], turned[2]) == model.decode(emissions, mask)
        assert repr(first) == "CRF(num_tags=3)"


class TestPytorchCrf:
    """What pytorch-crf 0.7 does, as its own tests have it; and beside it, where installed."""

    @staticmethod
    def example(batch_first: bool):
        source = torch.Generator().manual_seed(4)
        model = CRF(5, batch_first)
        emissions = torch.randn(2, 4, 5, generator=source)
        tags = torch.randint(5, (2, 4), generator=source)
        mask = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]], dtype=torch.uint8)
        if not batch_first:
            emissions, tags, mask = emissions.transpose(0, 1), tags.T, mask.T
        return model, emissions, tags, mask

    @pytest.mark.parametrize("batch_first", [False, True])
    def test_likelihoods(self, batch_first: bool):
        model, emissions, tags, mask = self.example(batch_first)
        each = model(emissions, tags, mask, reduction="none")
        assert each.shape == (2,)
        assert (each < 0).all()
        close(model(emissions, tags, mask), each.sum(), rtol=1e-6)
        close(model(emissions, tags, mask, reduction="mean"), each.mean(), rtol=1e-6)
        per_token = model(emissions, tags, mask, reduction="token_mean")
        close(per_token, each.sum() / 6, rtol=1e-6)
        whole = torch.ones_like(mask)
        close(model(emissions, tags), model(emissions, tags, mask=whole))
        row = slice(0, 1)
        one = (x[row] if batch_first else x[:, row] for x in (emissions, tags, mask))
        close(model(*one), each[0], rtol=1e-6)

    @pytest.mark.parametrize("batch_first", [False, True])
    def test_best_paths(self, batch_first: bool):
        model, emissions, _, mask = self.example(batch_first)
        paths = model.decode(emissions, mask=mask)
        assert [len(path) for path in paths] == [4, 2]
        assert all(type(tag) is int for path in paths for tag in path)
        assert model.decode(emissions) == model.decode(emissions, torch.ones_like(mask))

    def test_parameters(self):
        model = CRF(5)
        sizes = {name: tuple(x.shape) for name, x in model.named_parameters()}
        assert sizes == {
            "transitions": (5, 5), "start_transitions": (5,), "end_transitions": (5,),
        }  # fmt: skip
        assert all(-0.1 <= x.min() and x.max() <= 0.1 for x in model.parameters())
        assert not model.batch_first

    def test_refusals(self):
        model, emissions, tags, mask = self.example(True)
        for wrong in (
            lambda: CRF(0),
            lambda: model(emissions[0], tags, mask),
            lambda: model(emissions[:, :, :3], tags, mask),
            lambda: model(emissions, tags[:, :2], mask),
            lambda: model(emissions, tags, mask[:, :2]),
            lambda: model(emissions, tags, mask, reduction="foo"),
            lambda: model.decode(emissions, mask[:, :2]),
        ):
            with pytest.raises(ValueError, match="expected"):
                wrong()

    @pytest.mark.parametrize("batch_first", [False, True])
    def test_next_to_it(self, batch_first: bool):
        theirs = pytest.importorskip("torchcrf", reason="pytorch-crf is not installed")
        model, emissions, tags, mask = self.example(batch_first)
        other = theirs.CRF(5, batch_first)
        other.load_state_dict(model.state_dict())
        model.load_state_dict(other.state_dict())
        assert repr(model) == repr(other)
        for reduction in ("none", "sum", "mean", "token_mean"):
            found = model(emissions, tags, mask, reduction)
            close(found, other(emissions, tags, mask.bool(), reduction), rtol=1e-5)
        assert model.decode(emissions, mask) == other.decode(emissions, mask.bool())
