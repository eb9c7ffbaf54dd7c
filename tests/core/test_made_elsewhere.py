"""Modules that others make: on the meta device, filled in later, copied, wrapped, traced."""

from __future__ import annotations

import copy
import math
import pickle

import pytest
import torch
from torch import nn

import crf
from crf.compat import CRF
from tests.core.checks import close, same

BIO = ["O", "B-X", "I-X"]
EMISSIONS = torch.tensor([[[0.0, 0.0, 9.0], [0.0, 0.0, 9.0]]])  # both tokens want I-X
LEGAL = [[1, 2]]  # which must not come first


def made(device: str) -> crf.ChainCRF:
    """A constrained module, as a library makes it: in one go with all that belongs to it."""
    with torch.device(device):
        return crf.ChainCRF(3, crf.Constraints.of({"I-X": 2, "O": 0, "B-X": 1}))


def saved() -> dict[str, torch.Tensor]:
    torch.manual_seed(5)
    return made("cpu").state_dict()


def emptied() -> crf.ChainCRF:
    """As FSDP's deferred initialisation has it: memory first, then `reset_parameters`."""
    model = made("meta").to_empty(device="cpu")
    _fill_with_garbage(model)
    model.reset_parameters()
    return model


def missing_from_the_saved_ones() -> crf.ChainCRF:
    """As Hugging Face's `from_pretrained` makes what it finds no values for."""
    model = made("meta")
    for name, parameter in list(model.named_parameters()):
        empty = {name: torch.empty_like(parameter, device="cpu")}
        model.load_state_dict(empty, strict=False, assign=True)
    return model


def assigned() -> crf.ChainCRF:
    model = made("meta")
    model.load_state_dict(saved(), assign=True)
    return model


def emptied_and_loaded() -> crf.ChainCRF:
    model = made("meta").to_empty(device="cpu")
    _fill_with_garbage(model)
    model.load_state_dict(saved())
    return model


def set_one_by_one() -> crf.ChainCRF:
    """As Hugging Face's `from_pretrained` does: saved parameters set, all other tensors emptied."""
    model = made("meta")
    for name, value in saved().items():
        setattr(model, name, nn.Parameter(value))
    for name, buffer in list(model.named_buffers()):
        setattr(model, name, torch.zeros_like(buffer, device="cpu"))
    return model


def initialised_by_its_parent() -> crf.ChainCRF:
    """As `_init_weights` does, for each module of a model that is made anew."""
    model = nn.ModuleList([made("meta").to_empty(device="cpu")])
    _fill_with_garbage(model)
    model.apply(lambda m: m.reset_parameters() if isinstance(m, crf.ChainCRF) else None)
    return model[0]  # pyright: ignore[reportReturnType]


def _fill_with_garbage(model: nn.Module) -> None:
    """What memory may hold that nobody has written to."""
    with torch.no_grad():
        for tensor in (*model.parameters(), *model.buffers()):
            tensor.fill_(1e31 if tensor.is_floating_point() else 0)


WAYS = [
    emptied, missing_from_the_saved_ones, assigned, emptied_and_loaded, set_one_by_one,
    initialised_by_its_parent,
    lambda: made("meta").to_empty(device="cpu"),
    lambda: copy.deepcopy(made("meta")).half().to_empty(device="cpu").float(),
    lambda: copy.deepcopy(assigned()),
    lambda: pickle.loads(pickle.dumps(assigned())),
    lambda: made("cpu").half().to("meta").to_empty(device="cpu").float().apply(
        lambda m: m.reset_parameters()
    ),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_parameters_have_values_and_constraints_hold(way):
    model = way()
    for parameter in model.parameters():
        assert type(parameter) is nn.Parameter
        assert parameter.requires_grad
        assert parameter.device.type == "cpu"
        assert 0 < parameter.abs().max() <= 0.1
    assert model.decode(EMISSIONS) == LEGAL
    assert model(EMISSIONS, torch.tensor(LEGAL)).isfinite()
    with pytest.raises(ValueError, match="forbidden start"):
        model(EMISSIONS, torch.tensor([[2, 2]]))
    same(model.constraints.transitions, crf.Constraints.bio(BIO).transitions)


def test_tables_without_values_are_refused():
    with torch.device("meta"):
        tables = crf.Constraints.table(torch.ones(3, 3, dtype=torch.bool))
        with pytest.raises(ValueError, match=r"constraints: expected tables with values.*meta"):
            crf.ChainCRF(3, tables)


def test_no_two_tables_share_memory():
    tables = crf.Constraints.none(3)
    places = {x.data_ptr() for x in (tables.transitions, tables.start, tables.end)}
    assert len(places) == 3


class TestCompat:
    """What programs call on pytorch-crf beyond its documentation; always time-major."""

    def test_constraints_hold(self):
        model = CRF(3, batch_first=True, constraints=crf.Constraints.bio(BIO))
        assert model.decode(EMISSIONS) == LEGAL
        with pytest.raises(ValueError, match="forbidden start"):
            model(EMISSIONS, torch.tensor([[2, 2]]))

    def test_an_empty_row_has_no_minus_zero(self):
        emissions = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(6))
        tags, mask = torch.zeros(2, 4, dtype=torch.long), torch.ones(2, 4, dtype=torch.bool)
        mask[1] = False
        turned = emissions, tags, mask
        for found in (CRF(3, batch_first=True)(*turned, "none"), crf.ChainCRF(3)(*turned, "none")):
            assert math.copysign(1.0, found[1].item()) == 1.0
        for backend in ("auto", "plain"):
            own = crf.ChainCRF(3, backend=backend)
            every = torch.ones(2, 4, 3, dtype=torch.bool)
            found = own.partial_nll(turned[0], every, turned[2], "none")
            assert math.copysign(1.0, found[1].item()) == 1.0
            whole = own(turned[0][1:], turned[1][1:], turned[2][1:])
            assert math.copysign(1.0, whole.item()) == 1.0


class TestIgnoredTags:
    """`ignore_index` means the same in every method."""

    tags = torch.tensor([[1, -100, 2, 0], [-100, 0, 1, -100]])

    def setting(self):
        source = torch.Generator().manual_seed(8)
        model = crf.ChainCRF(3, generator=source)
        return model, torch.randn(2, 4, 3, generator=source), self.tags != -100

    def test_the_same_as_a_mask(self):
        model, emissions, mask = self.setting()
        keep = {"tags": self.tags, "ignore_index": -100}
        every = torch.ones(2, 4, 3, dtype=torch.bool)
        every[0, 0, 2] = False
        for narrow in (None, torch.tensor([[1, 1, 1, 0], [0, 1, 1, 1]]).bool()):
            both = mask if narrow is None else mask & narrow
            same(model.chain(emissions, narrow, **keep).mask, both)
            assert model.decode(emissions, narrow, **keep) == model.decode(emissions, both)
            close(
                model.partial_nll(emissions, every, narrow, **keep),
                model.partial_nll(emissions, every, both),
            )
            close(
                model(emissions, self.tags, narrow, ignore_index=-100),
                model(emissions, self.tags, both),
            )

    def test_half_of_it_is_refused(self):
        model, emissions, _ = self.setting()
        for half in ({"tags": self.tags}, {"ignore_index": -100}):
            for method in (model.chain, model.decode):
                with pytest.raises(TypeError, match="ignore_index: expected together with tags"):
                    method(emissions, **half)

    def test_the_error_names_it(self):
        model, emissions, _ = self.setting()
        with pytest.raises(ValueError, match=r"got -100 .*ignore_index=-100"):
            model(emissions, self.tags)


class TestNested:
    def test_it_is_refused_with_what_to_do(self):
        rows = [torch.zeros(2, 3), torch.zeros(1, 3)]
        nested = torch.nested.nested_tensor(rows, layout=torch.jagged)
        model = crf.ChainCRF(3)
        calls = [
            lambda: crf.LinearChain(nested, torch.zeros(3, 3)),
            lambda: model(nested, torch.zeros(2, 2).long()),
            lambda: model.decode(nested),
        ]
        for call in calls:
            with pytest.raises(TypeError, match=r"emissions: .*nested.*to_padded_tensor"):
                call()


class TestTransitionsOfThreeAxes:
    def test_one_for_each_chain_or_each_step(self):
        source = torch.Generator().manual_seed(9)
        emissions = torch.randn(3, 4, 2, generator=source)
        tables = torch.randn(3, 2, 2, generator=source)
        with pytest.raises(ValueError, match=r"transitions: .*\[3, 2, 2\].*\[1, 3, S, S\]"):
            crf.LinearChain(emissions, tables)
        of_steps = tables.expand(3, 3, 2, 2)
        of_chains = tables[:, None].expand(3, 3, 2, 2)
        for short, full in ((tables[None], of_steps), (tables[:, None], of_chains)):
            chains = [crf.LinearChain(emissions, x).log_partition for x in (short, full)]
            close(*chains)
        close(  # of one step, both are the same
            crf.LinearChain(emissions[:1, :2], tables[:1]).log_partition,
            crf.LinearChain(emissions[:1, :2], tables[0]).log_partition,
        )


def test_topk_has_log_probabilities():
    source = torch.Generator().manual_seed(10)
    emissions = torch.randn(3, 4, 2, generator=source, requires_grad=True)
    emissions.data[2, 1] = -math.inf  # no path at all
    chain = crf.LinearChain(emissions, torch.zeros(2, 2))
    best = chain.topk(3)
    close(best.log_probs, chain.log_prob(best.tags.clamp(min=0).transpose(0, 1)).T)
    assert best.log_probs[2].eq(-math.inf).all()
    (found,) = torch.autograd.grad(best.log_probs[:2].sum(), emissions, retain_graph=True)
    (wanted,) = torch.autograd.grad(
        chain.log_prob(best.tags.clamp(min=0).transpose(0, 1)).T[:2].sum(), emissions
    )
    close(found, wanted)
