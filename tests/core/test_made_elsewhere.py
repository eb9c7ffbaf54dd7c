"""Modules that others make: on the meta device, filled in later, copied."""

from __future__ import annotations

import copy
import pickle
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import nn

import crf
from crf import moved
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


def emptied(then: str) -> crf.ChainCRF:
    """On the CPU, with what memory may hold that nobody has written to; then made good."""
    model = made("meta").to_empty(device="cpu")
    with torch.no_grad():
        for tensor in model.parameters():
            tensor.fill_(1e31)
    if then == "initialised":  # as FSDP's deferred initialisation has it
        model.reset_parameters()
    else:
        model.load_state_dict(saved())
    return model


def pretrained(found: bool) -> crf.ChainCRF:
    """As Hugging Face's `from_pretrained` makes one: each value found is set, others are made."""
    model, values = made("meta"), saved()
    for name, parameter in list(model.named_parameters()):
        if found:
            setattr(model, name, nn.Parameter(values[name]))
        else:
            empty = {name: torch.empty_like(parameter, device="cpu")}
            model.load_state_dict(empty, strict=False, assign=True)
    return model


def assigned() -> crf.ChainCRF:
    model = made("meta")
    model.load_state_dict(saved(), assign=True)
    return model


WAYS = {
    "to_empty and reset_parameters": lambda: emptied("initialised"),
    "to_empty and load_state_dict": lambda: emptied("loaded"),
    "from_pretrained": lambda: pretrained(found=True),
    "from_pretrained without values": lambda: pretrained(found=False),
    "load_state_dict(assign=True)": assigned,
    "to_empty alone": lambda: made("meta").to_empty(device="cpu"),
    "half and back": lambda: copy.deepcopy(made("meta")).half().to_empty(device="cpu").float(),
    "pickled": lambda: pickle.loads(pickle.dumps(copy.deepcopy(assigned()))),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
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


def allennlps() -> dict[str, torch.Tensor]:
    """The state dict of its ConditionalRandomField has a table [S + 2, S + 2] for constraints."""
    table = torch.ones(5, 5)  # START is 3, END is 4
    table[0, 2] = table[3, 2] = 0.0
    table[1, 4] = 0.0
    return {**saved(), "_constraint_mask": table}


def test_allennlps_table_becomes_the_constraints():
    model = nn.ModuleDict({"crf": crf.ChainCRF(3)})
    model.load_state_dict({f"crf.{name}": value for name, value in allennlps().items()})
    own = model["crf"].constraints
    same(own.transitions, [[True, True, False], [True] * 3, [True] * 3])
    same(own.start, [True, True, False])
    same(own.end, [True, False, True])
    assert model["crf"].decode(EMISSIONS) == copy.deepcopy(model["crf"]).decode(EMISSIONS) == LEGAL


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (made("cpu"), "_constraint_mask: expected the constraints of the"),
        (crf.ChainCRF(2), r"_constraint_mask: expected shape \[4, 4\]"),
    ],
)
def test_another_table_of_allennlps_is_named(model, said):
    with pytest.raises(RuntimeError, match=said):
        model.load_state_dict(allennlps(), strict=False)


def test_results_with_a_graph_are_not_copied_and_others_are():
    emissions = torch.randn(2, 4, 3, requires_grad=True)
    chain = crf.LinearChain(emissions * 2, torch.zeros(3, 3))
    for ask in (chain.viterbi, lambda: chain.topk(2), lambda: chain.expected_counts):
        with pytest.raises(RuntimeError, match=r"copy.deepcopy: .*torch.no_grad\(\)"):
            copy.deepcopy(ask())
        with torch.no_grad():
            copied, found = copy.deepcopy(ask()), ask()
        for name in ("tags", "scores", "log_deltas", "log_probs", "transitions"):
            if hasattr(found, name):
                assert torch.equal(getattr(copied, name), getattr(found, name))


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
def test_torchscript_is_refused_with_another_way():
    with pytest.raises(RuntimeError, match=r"torch.jit.script: .*torch.export"):
        torch.jit.script(nn.Sequential(crf.ChainCRF(3)))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_a_nested_tensor_is_refused_with_what_to_do(layout: torch.layout):
    rows = [torch.zeros(2, 3), torch.zeros(1, 3)]
    emissions = torch.nested.nested_tensor(rows, layout=layout)
    model, tags = crf.ChainCRF(3), torch.zeros(2, 2, dtype=torch.long)
    for ask in (model.decode, model.chain, lambda x: model(x, tags)):
        with pytest.raises(TypeError, match=r"got a nested one; pad it with .*to_padded_tensor"):
            ask(emissions)


def test_a_layer_that_an_earlier_version_saved_whole():
    """Its file names `crf.module.ChainCRF`; torch.save wrote it, from a seed, with constraints."""
    file = Path(__file__).with_name("saved_whole_0.1.0.pt")
    before = torch.load(file, weights_only=False)
    assert type(before) is crf.ChainCRF
    after = made("cpu")
    after.load_state_dict(before.state_dict())
    gold = torch.tensor(LEGAL)
    assert torch.equal(before(EMISSIONS, gold), after(EMISSIONS, gold))
    assert before.decode(EMISSIONS) == LEGAL
    assert before.constraints.start.tolist() == [True, True, False]


@pytest.mark.parametrize("former", moved.MOVED)
def test_a_former_path_leads_to_the_same_module(former):
    assert import_module(former) is import_module(moved.MOVED[former])


@pytest.mark.parametrize("name", ["a.b", "core.nothing", "", "no-name", "9"])
def test_a_name_that_no_module_has_is_no_attribute(name):
    assert not hasattr(crf, name)
