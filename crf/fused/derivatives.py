"""What kernels have found, with its derivatives: found with it, or by the plain code if asked for.

The plain code's can be differentiated again.
"""

from typing import Any

import torch
from torch import Tensor

from .. import modes, recursions
from ..potentials import NEG_INF, Potentials, clean
from ..scoring import score_terms
from . import calls


class Found(torch.autograd.Function):
    """What kernels are called for is asked in eager mode, where nothing transforms it."""

    @classmethod
    def apply(cls, *arguments: Any) -> Any:
        """Function's own also looks for transformations."""
        beneath: Any = super(torch.autograd.Function, cls)
        return beneath.apply(*arguments)


class Sum(Found):
    """Σ_b weight · log p(tags)_b, a scalar.

    `found` holds it and its derivatives, and what they belong to: the weight, whether that is
    divided by the number of tokens, the mask and the tags.
    """

    @staticmethod
    def forward(ctx: Any, found: tuple[Any, ...], *scores: Tensor) -> Tensor:
        total, derivatives, ctx.weight, ctx.per_token, mask, tags = found
        ctx.save_for_backward(*scores, mask, tags, *derivatives)
        return total

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        scale, saved = grad_outputs[0], ctx.saved_tensors
        if torch.is_grad_enabled():
            *scores, mask, tags = saved[:6]
            if mask is None:
                mask = torch.ones_like(tags, dtype=torch.bool)
            weight = ctx.weight / mask.sum().clamp(1) if ctx.per_token else ctx.weight
            weights = (scale * weight).expand(len(mask))
            return None, *of_values(weights, (*scores, mask, tags))
        if scale.item() == 1.0:
            return None, *saved[6:]
        return None, *(scale * x for x in saved[6:])


class PerStep(Found):
    """Values [B] of chains with transitions per step; `found` holds them and their derivatives."""

    @staticmethod
    def forward(
        ctx: Any, found: tuple[Tensor, tuple[Tensor, ...]], mask: Tensor, tags: Any, *scores: Tensor
    ) -> Tensor:
        values, derivatives = found
        ctx.save_for_backward(*scores, mask, tags, *derivatives)
        return values

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        weights, saved = grad_outputs[0], ctx.saved_tensors
        if torch.is_grad_enabled():
            return None, None, None, *of_values(weights, saved[:6])
        emissions, transitions, ends = saved[6:]
        weights = weights.to(ends.dtype)
        if modes.eager() and not modes.graph_is_kept():  # in place: new memory is slow
            return None, None, None, *calls.weighted(weights.contiguous(), saved[6:])
        emissions = emissions * weights[:, None, None]
        transitions = transitions * weights[:, None, None, None]
        start, end = (weights @ ends).chunk(2)
        return None, None, None, emissions, transitions, start, end


class PlainGradients(Found):
    """What a kernel found, with the derivatives of the plain code that finds the same."""

    @staticmethod
    def forward(ctx: Any, found: Tensor, plain: Any, *scores: Tensor) -> Tensor:
        ctx.save_for_backward(*scores)
        ctx.plain = plain
        return found

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *by_plain_code(ctx.plain, grad_outputs[0], ctx.saved_tensors)


def of_values(weights: Tensor, inputs: tuple[Any, ...]) -> list[Tensor | None]:
    """The derivatives of Σ weights · log Z (or log p(tags), if tags are given), by the plain code.

    Args:
        weights: [B].
        inputs: The four scores, the mask, the tags or None.
    """
    scores, tags = inputs[:4], inputs[5]
    p = clean(Potentials(*inputs[:5])).to(torch.float64)
    found = recursions.log_partition(p)
    if tags is not None:
        terms = score_terms(p, tags)
        score = (terms.start + terms.emissions + terms.transitions + terms.end).sum(1)
        feasible = found.detach() > NEG_INF
        found = torch.where(feasible, score - torch.where(feasible, found, 0.0), NEG_INF)
    wanted = [x for x in scores if x.requires_grad]
    weights = weights.to(found.dtype)
    derivatives = iter(torch.autograd.grad(found, wanted, weights, create_graph=True))
    return [next(derivatives) if x.requires_grad else None for x in scores]


def by_plain_code(plain: Any, weights: Tensor, scores: Any) -> list[Tensor | None]:
    """The derivatives of Σ weights · plain(*scores)."""
    again = torch.is_grad_enabled()
    with torch.enable_grad():
        if not again:
            scores = tuple(x.detach().requires_grad_(x.requires_grad) for x in scores)
        found = plain(*scores)
        wanted = [x for x in scores if x.requires_grad]
        if not found.requires_grad:  # chains without tokens
            return [None] * len(scores)
        derivatives = iter(
            torch.autograd.grad(found, wanted, weights, create_graph=again, allow_unused=True)
        )
    return [next(derivatives) if x.requires_grad else None for x in scores]
