"""Changes of the expected counts with the scores: second derivatives of log Z in closed form.

Under scores θ + ε D the expected counts move by ε times their covariances with D(y), the sum of D
along a path. Gradients of what is computed from expected counts are of this kind: through marginals
(D is the gradient in them), of entropy (D = −θ) and of divergences. With means of D given a tag, μ
over the tokens up to t and ν over what comes after, and c the mean of all,

    μ_t(j) = D_t(j) + Σ_i p(y_(t-1) = i | y_t = j, x) [ D(i, j) + μ_(t-1)(i) ]
    ν_t(i) = Σ_j p(y_(t+1) = j | y_t = i, x) [ D(i, j) + D_(t+1)(j) + ν_(t+1)(j) ]

the count of emission_t(s) moves by p(y_t = s) [ μ_t(s) + ν_t(s) − c ], and that of the transition
from i to j by Σ_t p(y_(t-1) = i, y_t = j) [ μ_(t-1)(i) + D(i, j) + D_t(j) + ν_t(j) − c ].

In probability space each step is a product of matrices. Where its range does not suffice, and where
each step has transitions of its own, the gradient goes through the recursions themselves.

Source: Mann and McCallum (2007), "Efficient computation of entropy gradient for semi-supervised
conditional random fields".
"""

from typing import Any

import torch
from torch import Tensor

from ..core import torch_tracing
from ..core.differentiable import answer, needs_gradient, plain_derivatives
from ..core.potentials import NEG_INF, Potentials, first_tokens, last_tokens, working
from ..core.recursions import backward, forward, state_marginals
from ..core.shapes import Float

SMALLEST = 1e-200  # for sums, because terms that underflow then have a share below 1e-100


def marginals(p: Potentials) -> Float[Tensor, "B L S"]:
    """p(y_t = s | x), as `recursions.state_marginals`, differentiable at little cost."""
    if torch_tracing.compiling() or torch_tracing.transforming() or not needs_gradient(*p[:4]):
        return state_marginals(p, forward(p), backward(p))
    with torch.no_grad():
        table = state_marginals(p, forward(p), backward(p))
    return answer(table, of_marginals, *p)


def of_marginals(tensors: Any, grad: Tensor) -> Any:
    """The gradients in the scores of these tensors, given the gradient in their marginals."""
    if not torch.is_grad_enabled():  # if it is, torch will differentiate the gradients again
        gradients = along(working(tensors)[0], 1.0, grad)
        if gradients is not None:
            return *gradients, None

    def by_recursions(*tensors: Tensor) -> Tensor:
        (p,) = working(tensors)
        return state_marginals(p, forward(p), backward(p))

    return plain_derivatives(by_recursions, tensors, grad)


def along(
    p: Potentials, weight: Tensor | float, emissions: Tensor, *shared: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:
    """How the expected counts of the chains, added up, move along a direction.

    Args:
        p: The chains, cleaned, in float64.
        weight: What each chain counts for, [B] or one number for all.
        emissions: [B, L, S] of the direction.
        *shared: Its transitions [S, S], start [S] and end [S]; or nothing: they do not move.

    Returns:
        Of emissions [B, L, S], transitions [S, S], start [S] and end [S]; None where the range of
        probability space does not suffice, and for transitions of each step.
    """
    L = p.emissions.shape[1]
    if p.per_step or not L or p.emissions.dtype != torch.float64:
        return None
    first, last = (x(p.mask)[:, :, None] for x in (first_tokens, last_tokens))
    tokens, arrives = p.mask[:, :, None], (p.mask[:, :, None] & ~first)[:, 1:]
    scales, matrix, start, end = factors(p)
    alphas, sizes = columns(scales, matrix, start, first, tokens)
    turned = (x.flip(1) for x in (scales, last, tokens))
    rest, others = columns(next(turned), matrix.T, end, *turned)  # exp(emissions) · β, last first
    before, after = alphas[:, :-1], rest.flip(1)[:, 1:]
    left, right = before @ matrix, after @ matrix.T  # sums over the tag before, and after
    arriving = torch.where(first, start, torch.nn.functional.pad(left, (0, 0, 1, 0)))
    joint = arriving * rest.flip(1)
    total = joint.sum(2, keepdim=True)
    least = torch.minimum(total, torch.minimum(sizes, others.flip(1)))
    if not ((least >= SMALLEST) | ~tokens).all():
        return None
    marginals = torch.where(tokens, joint / total, 0.0)
    left, right, share = (
        torch.where(arrives & (x > 1e-290), 1 / x, 0.0) for x in (left, right, total[:, 1:])
    )

    move = torch.where(tokens, emissions, 0.0)
    earlier, later = torch.zeros_like(left), torch.zeros_like(left)
    transitions = torch.zeros_like(matrix)
    if shared:
        transitions, d_start, d_end = shared
        move = move + first * d_start + last * d_end
        earlier = (before @ (matrix * transitions)) * left
        later = (after @ (matrix * transitions).T) * right
    mu = _means(move[:, 0], 0 * left, move[:, 1:] + earlier, before, matrix, left, tokens[:, 1:])
    moves, own, weights = (x.flip(1) for x in (move[:, 1:], later, after))
    back = right.flip(1), arrives.flip(1)
    nu = _means(0 * move[:, 0], moves, own, weights, matrix.T, *back).flip(1)
    center = (marginals * (mu + nu) * first).sum((1, 2))[:, None, None]
    weight = torch.as_tensor(weight, dtype=mu.dtype).expand(len(mu))[:, None, None]
    moved = weight * marginals * (mu + nu - center)
    count = (weight * before * share).flatten(0, 1)  # each pair's weight, with matrix · after
    pairs = (count * (mu[:, :-1] - center).flatten(0, 1)).T @ after.flatten(0, 1)
    pairs = pairs + count.T @ (after * (move + nu)[:, 1:]).flatten(0, 1)
    pairs = pairs + (count.T @ after.flatten(0, 1)) * transitions
    return moved, matrix * pairs, (moved * first).sum((0, 1)), (moved * last).sum((0, 1))


def _means(
    mean: Tensor,
    moves: Tensor,
    own: Tensor,
    weights: Tensor,
    matrix: Tensor,
    scales: Tensor,
    inside: Tensor,
) -> Tensor:
    """A mean carried from column to column: own + ((move + mean) · weights) matrix · scales."""
    means = [mean]
    for x, new, weight, scale, keep in zip(
        *(table.unbind(1) for table in (moves, own, weights, scales, inside)), strict=True
    ):
        step = (weight * (x + mean)) @ matrix
        mean = torch.where(keep, torch.addcmul(new, step, scale), mean)
        means.append(mean)
    return torch.stack(means, 1)


def factors(p: Potentials) -> tuple[Tensor, ...]:
    """Exponentials of emissions, transitions, start and end, less their maxima."""
    dims = ((2,), (0, 1), (0,), (0,))
    return tuple((x - _maximum(x, over)).exp() for x, over in zip(p[:4], dims, strict=True))


def columns(
    factors: Tensor, matrix: Tensor, start: Tensor, first: Tensor, tokens: Tensor
) -> tuple[Tensor, Tensor]:
    """α in probability space, each column divided by its sum, and these sums [B, L, 1]."""
    column, alphas, sizes = torch.zeros_like(factors[:, 0]), [], []
    for factor, begins, inside in zip(
        *(x.unbind(1) for x in (factors, first, tokens)), strict=True
    ):
        new = torch.where(begins, start, column @ matrix) * factor
        sizes.append(new.sum(1, keepdim=True))
        column = torch.where(inside, new / sizes[-1], column)
        alphas.append(column)
    return torch.stack(alphas, 1), torch.stack(sizes, 1)


def _maximum(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The maximum over the dimensions, kept; 0 where all is −∞."""
    top = x.amax(dims, keepdim=True)
    return top.masked_fill(top == NEG_INF, 0.0)
