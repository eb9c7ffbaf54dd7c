"""Spans, token probabilities, indexing, transitions of each chain, and pytorch-crf's interface."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given

import crf
from crf.compat import CRF
from tests.core.checks import close
from tests.core.oracle import log_sum
from tests.core.strategies import Case, cases, labelled

INF = math.inf


@given(labelled(allowed=True, dtypes=(torch.float64,)))
def test_token_probabilities_are_the_conditionals_of_enumeration_and_add_up(drawn):
    case, tags = drawn
    chain = case.chain()
    found = chain.token_log_probs(tags)
    if max((row.log_partition for row in case.rows), default=0.0) < 1000:
        close(found.sum(1), chain.log_prob(tags), atol=1e-8)
    for b, (row, line) in enumerate(zip(case.rows, tags.tolist(), strict=True)):
        path = row.gather(line)
        if not row.feasible or row.score(path) == -INF:
            continue
        for t, position in enumerate(row.positions):
            same_start = [s for p, s in row.paths.items() if p[:t] == path[:t]]
            same_tag = [s for p, s in row.paths.items() if p[: t + 1] == path[: t + 1]]
            wanted = log_sum(same_tag) - log_sum(same_start)
            assert found[b, position].item() == pytest.approx(wanted, abs=1e-8, rel=1e-12)


class TestSpans:
    @given(labelled(allowed=True, dtypes=(torch.float64,)))
    def test_enumeration(self, drawn):
        case, tags = drawn
        found = case.chain().span_log_prob(1, 3, tags)
        for b, (row, line) in enumerate(zip(case.rows, tags.tolist(), strict=True)):
            fixed = [(k, line[p]) for k, p in enumerate(row.positions) if 1 <= p < 3]
            part = log_sum(s for p, s in row.paths.items() if all(p[k] == tag for k, tag in fixed))
            wanted = part - row.log_partition if part > -INF else -INF
            assert found[b].item() == pytest.approx(wanted, abs=1e-8, rel=1e-12)

    def test_a_span_of_its_own_for_each_chain(self):
        source = torch.Generator().manual_seed(3)
        emissions = torch.randn(2, 4, 3, generator=source, dtype=torch.float64)
        chain = crf.LinearChain(emissions, torch.randn(3, 3, generator=source).double())
        tags = torch.tensor([[0, 2, 1, 1], [2, 0, 0, 1]])
        both = chain.span_log_prob(torch.tensor([0, 2]), torch.tensor([1, 4]), tags)
        close(both[0].exp(), chain.marginals[0, 0, 0])
        close(both[1], chain.span_log_prob(2, 4, tags)[1])


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

    def test_transitions_of_each_chain_or_each_step(self):
        source = torch.Generator().manual_seed(9)
        emissions = torch.randn(3, 4, 2, generator=source)
        tables = torch.randn(3, 2, 2, generator=source)
        of_steps, of_chains = tables.expand(3, 3, 2, 2), tables[:, None].expand(3, 3, 2, 2)
        for short, full in ((tables[None], of_steps), (tables[:, None], of_chains)):
            close(*(crf.LinearChain(emissions, x).log_partition for x in (short, full)))
        close(
            crf.LinearChain(emissions[:, :2], tables).log_partition,
            torch.cat([crf.LinearChain(emissions[b, :2][None], tables[b]).log_partition
                       for b in range(3)]),
        )  # fmt: skip
        with pytest.raises(ValueError, match=r"transitions: .*\[3, 2, 2\].*\[1, 3, S, S\]"):
            crf.LinearChain(emissions, tables)


@pytest.mark.parametrize("batch_first", [False, True])
class TestPytorchCrf:
    """What pytorch-crf 0.7 does, as its own tests have it."""

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

    def test_likelihoods(self, batch_first: bool):
        model, *given = self.example(batch_first)
        each = model(*given, reduction="none")
        assert (each < 0).tolist() == [True, True]
        close(model(*given), each.sum(), rtol=1e-6)
        close(model(*given, reduction="mean"), each.mean(), rtol=1e-6)
        close(model(*given, reduction="token_mean"), each.sum() / 6, rtol=1e-6)
        one = (x[:1] if batch_first else x[:, :1] for x in given)
        close(model(*one), each[0], rtol=1e-6)
        own = crf.ChainCRF(5)
        own.load_state_dict(model.state_dict())
        turned = given if batch_first else [x.transpose(0, 1) for x in given]
        close(each, -own(*turned, "none"))

    def test_best_paths_and_parameters(self, batch_first: bool):
        model, emissions, _, mask = self.example(batch_first)
        paths = model.decode(emissions, mask=mask)
        assert [len(path) for path in paths] == [4, 2]
        assert model.decode(emissions) == model.decode(emissions, torch.ones_like(mask))
        assert repr(model) == "CRF(num_tags=5)"
        names = {"transitions", "start_transitions", "end_transitions"}
        assert names == dict(model.named_parameters()).keys()
        strict = CRF(3, batch_first, constraints=crf.Constraints.bio(["O", "B-X", "I-X"]))
        wants_inside = torch.tensor([[[0.0, 0.0, 9.0]] * 2])
        path = strict.decode(wants_inside if batch_first else wants_inside.transpose(0, 1))
        assert path == [[1, 2]]

    def test_refusals(self, batch_first: bool):
        model, emissions, tags, mask = self.example(batch_first)
        for wrong in (
            lambda: CRF(0),
            lambda: model(emissions[0], tags, mask),
            lambda: model(emissions[:, :, :3], tags, mask),
            lambda: model(emissions, tags[:, :1], mask),
            lambda: model(emissions, tags, mask[:1]),
            lambda: model(emissions, tags, mask, reduction="foo"),
        ):
            with pytest.raises(ValueError, match="expected"):
                wrong()
