"""Modules that others make: on the meta device, filled in later, copied."""

from __future__ import annotations

import copy
import pickle

import pytest
import torch
from torch import nn

import crf
from tests.core.checks import same

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
    """On the CPU, with what memory may hold that nobody has written to."""
    model = made("meta").to_empty(device="cpu")
    with torch.no_grad():
        for tensor in model.parameters():
            tensor.fill_(1e31)
    return model


def initialised() -> crf.ChainCRF:
    """As FSDP's deferred initialisation has it: memory first, then `reset_parameters`."""
    model = emptied()
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
    model = emptied()
    model.load_state_dict(saved())
    return model


def set_one_by_one() -> crf.ChainCRF:
    """As Hugging Face's `from_pretrained` does where a value was saved."""
    model = made("meta")
    for name, value in saved().items():
        setattr(model, name, nn.Parameter(value))
    return model


WAYS = [
    initialised, missing_from_the_saved_ones, assigned, emptied_and_loaded, set_one_by_one,
    lambda: made("meta").to_empty(device="cpu"),
    lambda: copy.deepcopy(made("meta")).half().to_empty(device="cpu").float(),
    lambda: pickle.loads(pickle.dumps(copy.deepcopy(assigned()))),
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
    bio = crf.Constraints.bio(["O", "B-X", "I-X"])
    same(model.constraints.transitions, bio.transitions)


def test_tables_without_values_are_refused():
    with torch.device("meta"):
        tables = crf.Constraints.table(torch.ones(3, 3, dtype=torch.bool))
        with pytest.raises(ValueError, match=r"constraints: expected tables with values.*meta"):
            crf.ChainCRF(3, tables)
