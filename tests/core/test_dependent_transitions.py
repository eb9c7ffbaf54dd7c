"""Transitions that a network makes for each step or chain, added to the table of the layer."""

from __future__ import annotations

import math

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import crf
from tests.core.batches import small
from tests.core.checks import close
from tests.core.oracle import Row
from tests.core.strategies import each_backend

MASKS = {
    "full": None,
    "holes": torch.tensor([[1, 0, 1, 1], [0, 1, 0, 1], [0, 0, 0, 0]]).bool(),
}
SHAPES = {"each step": (3, 3, 3, 3), "each chain": (3, 3, 3)}


@pytest.fixture(params=SHAPES)
def scores(request: pytest.FixtureRequest) -> torch.Tensor:
    source = torch.Generator().manual_seed(3)
    drawn = torch.randn(SHAPES[request.param], generator=source, dtype=torch.float64)
    return drawn.masked_fill(torch.rand(drawn.shape, generator=source) < 0.1, -math.inf)


def rows(model: crf.ChainCRF, emissions: torch.Tensor, scores: torch.Tensor, mask) -> list[Row]:
    """The oracle for each chain."""
    cells = [[True] * 4] * 3 if mask is None else mask.tolist()
    table, start, end = (x.detach() for x in model.parameters())
    steps = scores if scores.dim() == 4 else scores[:, None].expand(3, 3, 3, 3)
    return [
        Row(emissions[b].tolist(), (table + steps[b]).tolist(), start.tolist(), end.tolist(),
            cells[b], per_step=True)
        for b in range(3)
    ]  # fmt: skip


@each_backend
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_enumeration(backend: str, mask, scores: torch.Tensor):
    model, emissions, tags = small(B=3, backend=backend)
    wanted = rows(model, emissions, scores, mask)
    chain = model.chain(emissions, mask, transitions=scores)
    close(chain.log_partition, [row.log_partition for row in wanted])
    close(chain.marginals, [row.marginals for row in wanted])
    close(chain.entropy, [row.entropy for row in wanted])
    found = model.decode(emissions, mask, transitions=scores)
    assert found == [list(row.best or ()) for row in wanted]
    tags = torch.tensor([row.spread(row.best or ()) for row in wanted]).clamp(min=0)
    losses = torch.tensor([-row.log_prob(row.best or ()) for row in wanted], dtype=torch.float64)
    close(model(emissions, tags, mask, "none", transitions=scores), losses)
    close(model(emissions, tags, mask, transitions=scores), losses.mean())
    known = torch.ones(3, 4, 3, dtype=torch.bool)
    close(model.partial_nll(emissions, known, mask, transitions=scores), 0.0)
    close(model.partial_nll(emissions, tags, mask, transitions=scores), losses.mean())


@each_backend
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_gradients_of_table_and_scores_twice(backend: str, mask, scores: torch.Tensor):
    model, emissions, tags = small(B=3, backend=backend)
    finite = scores.nan_to_num(0.0, 0.0, 0.0)
    tables = dict(model.named_parameters())

    def loss(emissions, scores, *values):
        given = (emissions, tags, mask, "none")
        its = dict(zip(tables, values, strict=True))
        return torch.func.functional_call(model, its, given, {"transitions": scores})

    def log_z(emissions, some):
        its = torch.where(scores == -math.inf, scores, some)
        return model.chain(emissions, mask, transitions=its).log_partition

    leaves = [x.clone().detach().requires_grad_() for x in (emissions, finite, *tables.values())]
    for ask, given in ((loss, leaves), (log_z, leaves[:2])):
        assert gradcheck(ask, given, fast_mode=True)
        assert gradgradcheck(ask, given, fast_mode=True)


@each_backend
def test_halves_and_constraints(backend: str, scores: torch.Tensor):
    table = crf.Constraints.bio(["O", "B-X", "I-X"])
    model, emissions, _ = small(B=3, constraints=table, backend=backend)
    chain = model.chain(emissions, transitions=scores)
    assert chain.log_prob(torch.tensor([[0, 2, 2, 2]] * 3)).exp().tolist() == [0.0] * 3
    halves = model.half()(
        emissions.half(), torch.zeros(3, 4).long(), transitions=scores.half().nan_to_num(0, 0, 0)
    )
    wide = scores.half().nan_to_num(0, 0, 0).double()
    wanted = model.double()(emissions.half().double(), torch.zeros(3, 4).long(), transitions=wide)
    assert halves.dtype == torch.float32
    close(halves, wanted, rtol=1e-5)


def test_none_is_the_table_alone_and_zeros_change_nothing():
    model, emissions, tags = small()
    close(model(emissions, tags, transitions=torch.zeros(2, 3, 3, 3)), model(emissions, tags))
    close(model(emissions, tags, transitions=torch.zeros(2, 3, 3)), model(emissions, tags))
    one = emissions[:, :1], tags[:, :1]
    for shape in ((2, 0, 3, 3), (2, 3, 3)):
        close(model(*one, transitions=torch.zeros(shape)), model(*one))


@pytest.mark.parametrize("shape", [(3, 3), (3, 3, 3), (2, 4, 3, 3), (1, 3, 3, 3), (2, 3, 3, 4)])
def test_other_shapes_are_refused_with_the_right_ones(shape: tuple[int, ...]):
    model, emissions, tags = small()
    wrong = torch.zeros(shape)
    calls = (
        lambda: model(emissions, tags, transitions=wrong),
        lambda: model.chain(emissions, transitions=wrong),
        lambda: model.decode(emissions, transitions=wrong),
        lambda: model.partial_nll(emissions, tags, transitions=wrong),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"transitions: .*\[2, 3, 3, 3\] or \[2, 3, 3\], got"):
            call()
    with pytest.raises(TypeError, match="transitions: expected a floating-point"):
        model(emissions, tags, transitions=torch.zeros(2, 3, 3, dtype=torch.long))
