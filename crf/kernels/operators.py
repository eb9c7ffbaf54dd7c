"""The kernels as operators that torch.compile keeps as they are, with gradients and shapes."""

from typing import Any

import torch
from torch import Tensor

from .. import kernels
from ..core.potentials import Potentials

_SCORES = "Tensor emissions, Tensor transitions, Tensor start, Tensor end, Tensor mask"


def _operator(name: str, more: str, returns: str) -> Any:
    schema = f"({_SCORES}{more}) -> {returns}"
    return torch.library.custom_op(f"crf::{name}", mutates_args=(), schema=schema)


def _p(tensors: Any) -> Potentials:
    return Potentials(*(x.detach() for x in tensors[:5]))


@_operator("values", ", Tensor? tags", "Tensor")
def _values(*arguments: Any) -> Tensor:
    return kernels.values(_p(arguments), arguments[5])


@_operator("gradients", ", Tensor? tags, Tensor weights", "(Tensor, Tensor, Tensor, Tensor)")
def _gradients(*arguments: Any) -> Any:
    return kernels.gradients(_p(arguments), *arguments[5:])


@_operator("best_paths", "", "(Tensor, Tensor)")
def _best_paths(*arguments: Any) -> tuple[Tensor, Tensor]:
    return kernels.best_paths(_p(arguments))


@_values.register_fake
def _(*arguments: Any) -> Tensor:
    return arguments[0].new_empty(len(arguments[0]), dtype=torch.float64)


@_gradients.register_fake
def _(*arguments: Any) -> Any:
    return tuple(x.new_empty(x.shape) for x in arguments[:4])


@_best_paths.register_fake
def _(*arguments: Any) -> Any:
    emissions, mask = arguments[0], arguments[4]
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
