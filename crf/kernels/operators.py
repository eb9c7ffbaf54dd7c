"""The kernels as operators that torch.compile keeps as they are, with gradients and shapes."""

from typing import Any

import torch
from torch import Tensor

from .. import kernels
from ..potentials import Potentials


def _p(*scores: Tensor) -> Potentials:
    emissions, transitions, start, end, mask = (x.detach() for x in scores)
    return Potentials(emissions, transitions, start, end, mask)


@torch.library.custom_op("crf::values", mutates_args=())
def _values(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
) -> Tensor:
    return kernels.values(_p(emissions, transitions, start, end, mask), tags)


@torch.library.custom_op("crf::gradients", mutates_args=())
def _gradients(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
    weights: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    p = _p(emissions, transitions, start, end, mask)
    one, two, three, four = kernels.gradients(p, tags, weights)
    return one, two, three, four


@torch.library.custom_op("crf::best_paths", mutates_args=())
def _best_paths(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    return kernels.best_paths(_p(emissions, transitions, start, end, mask))


@_values.register_fake
def _(emissions: Tensor, *others: Any) -> Tensor:
    return emissions.new_empty(emissions.shape[0], dtype=torch.float64)


@_gradients.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, *others: Any) -> Any:
    p = Potentials(emissions, transitions, start, end, others[0])
    return tuple(x.new_empty(x.shape, dtype=p.precision) for x in p[:4])


@_best_paths.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any) -> Any:
    B, L, _ = emissions.shape
    dtype = Potentials(emissions, transitions, start, end, mask).precision
    return emissions.new_empty((B, L), dtype=torch.long), emissions.new_empty(B, dtype=dtype)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _differentiate(ctx: Any, weights: Tensor) -> tuple[Tensor | None, ...]:
    return (*_gradients(*ctx.saved_tensors, weights), None, None)


_values.register_autograd(_differentiate, setup_context=_keep)


def values(p: Potentials, tags: Tensor | None) -> Tensor:
    """As `kernels.values`, differentiable."""
    return _values(*p, tags)


def gradients(p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
    """As `kernels.gradients`."""
    return _gradients(*p, tags, weights)


def best_paths(p: Potentials) -> tuple[Tensor, Tensor]:
    """As `kernels.best_paths`."""
    return _best_paths(*p)
