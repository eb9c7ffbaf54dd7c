"""Gradients through marginals, as focal and Dice losses need them, without a graph of the steps.

The marginals are the gradient of log Z, and the matrix of its second derivatives is symmetric. So
for a loss f with G = ∂f/∂marginals, the gradient of f is how the expected counts move when the
emissions move in the direction G. Means of G given a tag, of the tokens up to t and of those after:

    μ_t(j) = G_t(j) + Σ_i p(y_(t-1) = i | y_t = j, x) μ_(t-1)(i)
    ν_t(i) = Σ_j p(y_(t+1) = j | y_t = i, x) [ G_(t+1)(j) + ν_(t+1)(j) ]
    ∂f/∂emission_t(s)   = p(y_t = s) [ μ_t(s) + ν_t(s) − c ],    c = Σ_t Σ_s p(y_t = s) G_t(s)
    ∂f/∂transition(i,j) = Σ_t p(y_(t-1) = i, y_t = j) [ μ_(t-1)(i) + G_t(j) + ν_t(j) − c ]

In probability space each step is a product of matrices. Where its range does not suffice, and where
each step has transitions of its own, the gradient goes through the recursions themselves.

Source: Mann and McCallum (2007), "Efficient computation of entropy gradient for semi-supervised
conditional random fields", whose pass is this one for another loss.
"""

from typing import Any

import torch
from torch import Tensor

from . import modes
from .potentials import NEG_INF, Potentials, first_tokens, last_tokens
from .recursions import backward, forward, state_marginals
from .shapes import Float

_SMALLEST = 1e-200  # of a step's sum: what is lost in it has a share below 1e-108


def marginals(p: Potentials) -> Float[Tensor, "B L S"]:
    """p(y_t = s | x), as `recursions.state_marginals`, differentiable at little cost."""
    needs_gradient = torch.is_grad_enabled() and any(x.requires_grad for x in p)
    simple = p.per_step or not p.emissions.shape[1]
    if simple or not needs_gradient or modes.compiling() or modes.transforming():
        return state_marginals(p, forward(p), backward(p))
    return _Marginals.apply(*p)  # pyright: ignore[reportReturnType]


class _Marginals(torch.autograd.Function):
    """The marginals with the gradient of the module's docstring."""

    @staticmethod
    def forward(ctx: Any, *potentials: Tensor) -> Tensor:
        p = Potentials(*potentials)
        alphas, betas = forward(p), backward(p)
        found = state_marginals(p, alphas, betas)
        ctx.save_for_backward(*potentials, alphas.relative, betas.relative, found)
        return found

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        p, (alphas, betas, found) = Potentials(*ctx.saved_tensors[:5]), ctx.saved_tensors[5:]
        wanted = ctx.needs_input_grad[:4]
        if not torch.is_grad_enabled():  # else a derivative of the gradient is wanted
            fast = _gradient(p, alphas, betas, found, grads[0])
            if fast is not None:
                return *(x if want else None for x, want in zip(fast, wanted, strict=True)), None
        create = torch.is_grad_enabled()
        with torch.enable_grad():
            scores = [
                x if create else x.detach().requires_grad_(want)
                for x, want in zip(p[:4], wanted, strict=True)
            ]
            again = Potentials(*scores, p.mask)  # pyright: ignore
            value = state_marginals(again, forward(again), backward(again))
            chosen = [x for x, want in zip(scores, wanted, strict=True) if want]
            slow = iter(
                torch.autograd.grad(
                    value, chosen, grads[0], create_graph=create, materialize_grads=True
                )
            )
        return *(next(slow) if want else None for want in wanted), None


def _gradient(
    p: Potentials, alphas: Tensor, betas: Tensor, marginals: Tensor, grad: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:
    """How the expected counts move in the direction `grad`; None where the range is too wide."""
    L = p.emissions.shape[1]
    first, tokens = first_tokens(p.mask), p.mask[:, :, None]
    arrives = (p.mask & ~first)[:, 1:, None]
    grad = torch.where(tokens, grad, 0.0)
    matrix = (p.transitions - _finite_maximum(p.transitions, (0, 1))).exp()  # [S, S]
    before = alphas[:, :-1].exp()
    after = (p.emissions + betas)[:, 1:]
    after = (after - _finite_maximum(after, (2,))).exp()
    left, right = before @ matrix, after @ matrix.T  # sums over what comes before, and after
    total = (left * after).sum(2, keepdim=True)
    possible = marginals.sum((1, 2)) > 0
    if not ((total >= _SMALLEST) | ~arrives | ~possible[:, None, None]).all():
        return None
    left, right, share = (_inverse(x) for x in (left, right, torch.where(arrives, total, 0.0)))

    mean = grad[:, 0]
    means = [mean]
    for t in range(1, L):
        step = (before[:, t - 1] * mean) @ matrix * left[:, t - 1]
        new = grad[:, t] + torch.where(arrives[:, t - 1], step, 0.0)
        mean = torch.where(tokens[:, t], new, mean)
        means.append(mean)
    mean = torch.zeros_like(grad[:, 0])
    rest = [mean]
    for t in reversed(range(1, L)):
        step = (after[:, t - 1] * (grad[:, t] + mean)) @ matrix.T * right[:, t - 1]
        mean = torch.where(arrives[:, t - 1], step, mean)
        rest.append(mean)
    mu, nu = torch.stack(means, 1), torch.stack(rest[::-1], 1)
    center = (marginals * grad).sum((1, 2))[:, None, None]
    emissions = marginals * (mu + nu - center)
    weight = before * share
    pairs = (weight * (mu[:, :-1] - center)).flatten(0, 1).T @ after.flatten(0, 1)
    pairs = pairs + weight.flatten(0, 1).T @ (after * (grad + nu)[:, 1:]).flatten(0, 1)
    start, end = ((emissions * at[:, :, None]).sum((0, 1)) for at in (first, last_tokens(p.mask)))
    return emissions, matrix * pairs, start, end


def _finite_maximum(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The maximum over the dimensions, kept; 0 where all is −∞."""
    top = x.amax(dims, keepdim=True)
    return top.masked_fill(top == NEG_INF, 0.0)


def _inverse(x: Tensor) -> Tensor:
    """1 / x, and 0 where x is next to nothing: so is the probability of what it divides."""
    return torch.where(x > 1e-290, 1 / x, 0.0)
