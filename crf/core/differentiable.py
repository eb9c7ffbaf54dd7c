"""An engine's results as functions that torch can differentiate twice.

Second derivatives are the plain code's, which torch can differentiate again.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from . import recursions
from .potentials import NEG_INF, Potentials, clean
from .scoring import path_scores

Derive = Callable[[Any, Tensor], Any]


def needs_gradient(*scores: Tensor) -> bool:
    """Whether a gradient may be asked of what is computed from these."""
    if torch.is_grad_enabled():
        for x in scores:
            if x.requires_grad:
                return True
    return False


def answer(value: Tensor, derive: Derive, *tensors: Tensor | None) -> Tensor:
    """An answer that depends on some tensors, with its derivatives.

    Args:
        value: The answer.
        derive: Finds the gradients in the tensors, from these and the gradient in the answer; where
            torch keeps a graph (`torch.is_grad_enabled()`) they must be differentiable.
        tensors: What the answer depends on.
    """
    return _Answer.apply([value], derive, *tensors)  # pyright: ignore[reportReturnType]


class _Answer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: list[Tensor], derive: Derive, *tensors: Any) -> Tensor:
        ctx.derive = derive
        ctx.save_for_backward(*tensors)
        return values[0]

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *ctx.derive(ctx.saved_tensors, grad_outputs[0])


def values(of: Any, p: Potentials, tags: Tensor | None) -> Tensor:
    """log Z of each chain, or −log p(tags): [B] nats, float64; differentiable, twice.

    Args:
        of: A module that finds them by `values`, and by `gradients` those of Σ_b weights_b ·
            values_b in emissions, transitions, start and end.
        p: The chains.
        tags: [B, L], or None.
    """
    with torch.no_grad():
        value = of.values(p, tags)
    return answer(value, partial(_of_values, of), *p, tags) if needs_gradient(*p[:4]) else value


def _of_values(of: Any, tensors: Any, weights: Tensor) -> tuple[Tensor | None, ...]:
    find = plain_gradients if torch.is_grad_enabled() else of.gradients
    return *find(Potentials(*tensors[:5]), tensors[5], weights), None, None


def total(
    value: Tensor, gradients: tuple[Tensor, ...], weight: float, p: Potentials, tags: Tensor
) -> Tensor:
    """Σ_b weight · (−log p(tags)_b), a scalar whose gradients have been found with it.

    Args:
        value: The scalar, in nats.
        gradients: Its gradients in emissions [B, L, S], transitions [S, S], start and end [S].
        weight: What each chain counts for.
        p: The chains; the mask may be None.
        tags: [B, L].
    """
    return answer(value, partial(_of_total, weight), *p, tags, *gradients)


def _of_total(weight: float, tensors: Any, scale: Tensor) -> tuple[Tensor | None, ...]:
    emissions, transitions, start, end, mask, tags, *gradients = tensors
    if torch.is_grad_enabled():
        mask = torch.ones_like(tags, dtype=torch.bool) if mask is None else mask
        p = Potentials(emissions, transitions, start, end, mask)
        gradients = plain_gradients(p, tags, (scale * weight).expand(len(mask)))
    elif scale.item() != 1.0:
        gradients = [scale * x for x in gradients]
    return *gradients, None, None, None, None, None, None


def plain_values(p: Potentials, tags: Tensor | None) -> Tensor:
    """`values` by the plain code."""
    p = clean(p).to(torch.float64)
    log_z = recursions.log_partition(p)
    if tags is None:
        return log_z
    feasible = log_z.detach() > NEG_INF
    nll = torch.where(feasible, log_z, 0.0) - path_scores(p, tags)
    return torch.where(feasible, nll, -NEG_INF)


def plain_gradients(p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
    """The gradients of Σ_b weights_b · values_b by the plain code."""

    def plain(*tensors: Tensor) -> Tensor:
        return plain_values(Potentials(*tensors), tags)

    gradients = plain_derivatives(plain, p, weights.to(torch.float64))
    pairs = zip(gradients[:4], p[:4], strict=True)
    return tuple(torch.zeros_like(x) if g is None else g for g, x in pairs)


def plain_derivatives(
    plain: Callable[..., Tensor], tensors: Any, weights: Tensor
) -> list[Tensor | None]:
    """The derivatives of Σ weights · plain(*tensors), differentiable where torch keeps a graph."""
    again = torch.is_grad_enabled()
    with torch.enable_grad():
        if not again:
            tensors = [
                x.detach().requires_grad_(x.is_floating_point()) if x is not None else x
                for x in tensors
            ]
        value = plain(*tensors)
        inputs = [x for x in tensors if x is not None and x.requires_grad]
        if not value.requires_grad:  # because chains without tokens depend on no score
            return [None] * len(tensors)
        gradients = iter(
            torch.autograd.grad(value, inputs, weights, create_graph=again, allow_unused=True)
        )
    return [next(gradients) if x is not None and x.requires_grad else None for x in tensors]
