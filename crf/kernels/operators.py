"""The kernels as operators that torch.compile keeps as they are, with gradients and shapes."""

from typing import Any

import torch
from torch import Tensor

from .. import kernels
from ..potentials import Potentials

_SCORES = "Tensor emissions, Tensor transitions, Tensor start, Tensor end, Tensor mask"


def _operator(name: str, more: str, found: str) -> Any:
    schema = f"({_SCORES}{more}) -> {found}"
    return torch.library.custom_op(f"crf::{name}", mutates_args=(), schema=schema)


def _p(tensors: Any) -> Potentials:
    return Potentials(*(x.detach() for x in tensors[:5]))


@_operator("values", ", Tensor? tags", "Tensor")
def _values(*given: Any) -> Tensor:
    return kernels.values(_p(given), given[5])


@_operator("gradients", ", Tensor? tags, Tensor weights", "(Tensor, Tensor, Tensor, Tensor)")
def _gradients(*given: Any) -> Any:
    return kernels.gradients(_p(given), *given[5:])


@_operator("best_paths", "", "(Tensor, Tensor)")
def _best_paths(*given: Any) -> tuple[Tensor, Tensor]:
    return kernels.best_paths(_p(given))


@_values.register_fake
def _(*given: Any) -> Tensor:
    return given[0].new_empty(len(given[0]), dtype=torch.float64)


@_gradients.register_fake
def _(*given: Any) -> Any:
    return tuple(x.new_empty(x.shape) for x in given[:4])


@_best_paths.register_fake
def _(*given: Any) -> Any:
    emissions, mask = given[0], given[4]
    return mask.new_empty(mask.shape, dtype=torch.long), emissions.new_empty(len(mask))


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
