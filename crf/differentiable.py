"""What an engine found, with its derivatives: found with it, or by the plain code if asked for.

Second derivatives are the plain code's, which torch can differentiate again.
"""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from . import recursions
from .potentials import NEG_INF, Potentials, clean
from .scoring import path_scores


@runtime_checkable
class Values(Protocol):
    """A module that finds log Z, or −log p(tags), and the gradients."""

    def values(self, p: Potentials, tags: Tensor | None) -> Tensor:
        """[B] nats, float64."""
        ...

    def gradients(self, p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
        """Those of Σ_b weights_b · values_b, in emissions, transitions, start and end."""
        ...


def needs_gradient(*scores: Tensor) -> bool:
    """Whether a gradient may be asked of what is computed from these."""
    return torch.is_grad_enabled() and any(x.requires_grad for x in scores)


def values(of: Values, p: Potentials, tags: Tensor | None) -> Tensor:
    """log Z of each chain, or −log p(tags): [B] nats, float64; differentiable, twice."""
    if needs_gradient(*p[:4]):
        return _Values.apply(of, p.mask, tags, *p[:4])  # pyright: ignore[reportReturnType]
    with torch.no_grad():
        return of.values(p, tags)


class _Values(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, of: Values, mask: Tensor, tags: Any, *scores: Tensor) -> Tensor:
        ctx.of = of
        ctx.save_for_backward(mask, tags, *scores)
        return of.values(Potentials(*scores, mask), tags)  # pyright: ignore

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        mask, tags, *scores = ctx.saved_tensors
        find = plain_gradients if torch.is_grad_enabled() else ctx.of.gradients
        p = Potentials(*scores, mask)  # pyright: ignore[reportCallIssue]
        return None, None, None, *find(p, tags, grad_outputs[0])


def total(
    value: Tensor, found: tuple[Tensor, ...], weight: Tensor | float, p: Potentials, tags: Tensor
) -> Tensor:
    """Σ_b weight · (−log p(tags)_b), a scalar whose gradients have been found with it.

    Args:
        value: The scalar.
        found: Its gradients in emissions, transitions, start and end.
        weight: What each chain counts for.
        p: The chains; the mask may be None.
        tags: [B, L].
    """
    return _Total.apply(value, found, weight, p.mask, tags, *p[:4])  # pyright: ignore


class _Total(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor, found: Any, weight: Any, *rest: Any) -> Tensor:
        ctx.weight = weight
        ctx.save_for_backward(*rest, *found)
        return value

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        scale, (mask, tags, *saved) = grad_outputs[0], ctx.saved_tensors
        scores, found = saved[:4], saved[4:]
        if torch.is_grad_enabled():
            mask = torch.ones_like(tags, dtype=torch.bool) if mask is None else mask
            weights = (scale * ctx.weight).expand(len(mask))
            p = Potentials(*scores, mask)  # pyright: ignore[reportCallIssue]
            found = plain_gradients(p, tags, weights)
        elif scale.item() != 1.0:
            found = [scale * x for x in found]
        return None, None, None, None, None, *found


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
    found = plain_derivatives(
        lambda *scores: (plain_values(Potentials(*scores, p.mask), tags),),  # pyright: ignore
        p[:4],
        (weights.to(torch.float64),),
    )
    zero = torch.zeros_like
    return tuple(zero(x) if g is None else g for g, x in zip(found, p, strict=False))


def plain_derivatives(
    plain: Callable[..., tuple[Tensor, ...]], scores: Any, weights: tuple[Tensor, ...]
) -> list[Tensor | None]:
    """The derivatives of Σ weights · plain(*scores), differentiable where torch keeps a graph."""
    again = torch.is_grad_enabled()
    with torch.enable_grad():
        if not again:
            scores = tuple(x.detach().requires_grad_() for x in scores)
        pairs = zip(plain(*scores), weights, strict=True)
        pairs = [(value, weight) for value, weight in pairs if value.requires_grad]
        wanted = [x for x in scores if x.requires_grad]
        if not pairs:  # chains without tokens
            return [None] * len(scores)
        values, counts = zip(*pairs, strict=True)
        derivatives = iter(
            torch.autograd.grad(values, wanted, counts, create_graph=again, allow_unused=True)
        )
    return [next(derivatives) if x.requires_grad else None for x in scores]


def answer(
    found: tuple[Tensor, ...], plain: Callable[..., tuple[Tensor, ...]], *scores: Tensor
) -> tuple[Tensor, ...]:
    """What an engine found, with the derivatives of the plain code if they may be asked for.

    Args:
        found: The answers.
        plain: Computes the same from the scores, differentiably.
        scores: The tensors that they depend on.
    """
    if not needs_gradient(*scores):
        return found
    return _Answer.apply(found, plain, *scores)  # pyright: ignore[reportReturnType]


class _Answer(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, found: Any, plain: Any, *scores: Tensor) -> tuple[Tensor, ...]:
        ctx.save_for_backward(*scores)
        ctx.plain = plain
        return found

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *plain_derivatives(ctx.plain, ctx.saved_tensors, grad_outputs)
