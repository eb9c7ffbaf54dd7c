"""Log-probability of each tag given the tags before it, and its gradient in closed form.

    log p(y_t | y_(t-1), x) = T(y_(t-1), y_t) + e_t(y_t) + β_t(y_t) − β_(t-1)(y_(t-1))

For a loss f with G_t = ∂f/∂ log p(y_t | y_(t-1), x), counts q flow from left to right,

    q_t(j) = 1[j = y_t] G_t + Σ_i (q_(t-1)(i) − 1[i = y_(t-1)] G_t) p(y_t = j | y_(t-1) = i, x)

and ∂f/∂e_t = q_t. In probability space a step is a product of matrices. Where that underflows, the
gradient goes through the recursion in log space.
"""

from typing import Any

import torch
from torch import Tensor

from ..core import recursions, torch_tracing
from ..core.differentiable import answer, needs_gradient, plain_derivatives
from ..core.potentials import NEG_INF, Potentials, first_tokens, last_tokens
from ..core.scoring import previous_tokens, score_terms
from ..core.shapes import Float, Int
from . import covariances


def log_probs(p: Potentials, tags: Int[Tensor, "B L"]) -> Float[Tensor, "B L"]:
    """log p(y_t | y_1 … y_(t-1), x) of each token; over a path they sum to log p(y | x).

    Args:
        p: The chains.
        tags: [B, L] in range at each token.

    Returns:
        [B, L] nats; 0 outside the chain, −∞ where the path is forbidden.
    """
    tags = torch.where(p.mask, tags.long(), 0)
    if torch_tracing.compiling() or torch_tracing.transforming() or not needs_gradient(*p[:4]):
        return by_recursion(*p, tags)
    with torch.no_grad():
        log_p = by_recursion(*p, tags)
    return answer(log_p, _derive, *p, tags)


def by_recursion(*tensors: Tensor) -> Tensor:
    p, tags = Potentials(*tensors[:5]), tensors[5]
    betas, terms = recursions.backward(p), score_terms(p, tags)
    relative = betas.relative.gather(2, tags[:, :, None]).squeeze(2)
    before, first = previous_tokens(p.mask), first_tokens(p.mask)
    # Subtracting neighbouring offsets first keeps precision, because their difference is small even
    # where the offsets themselves are large.
    offsets = betas.offsets - betas.offsets.gather(1, before)
    # No tag comes before a first token, so log Z (less the offset) replaces the previous β there.
    begin = p.start + p.emissions + betas.relative
    log_z = recursions.log_matvec(begin.flatten(0, 1), begin.new_zeros(begin.shape[2], 1))
    came_from = torch.where(first, log_z.view_as(offsets), relative.gather(1, before) - offsets)
    local = terms.start + terms.emissions + terms.transitions
    possible = p.mask & (local > NEG_INF) & (relative > NEG_INF) & (came_from > NEG_INF)
    local = torch.where(possible, local, 0.0) + torch.where(possible, relative, 0.0)
    log_p = torch.where(possible, local - torch.where(possible, came_from, 0.0), NEG_INF)
    return torch.where(p.mask, log_p, 0.0)


def _derive(tensors: Any, grad: Tensor) -> Any:
    """The gradients in the scores, given the gradient in the log-probabilities."""
    if not torch.is_grad_enabled():  # if it is, torch will differentiate the gradients again
        gradients = _gradients(Potentials(*tensors[:5]), tensors[5], grad)
        if gradients is not None:
            return *gradients, None, None
    return plain_derivatives(by_recursion, tensors, grad)


def _gradients(p: Potentials, tags: Tensor, grad: Tensor) -> tuple[Tensor, ...] | None:
    """The gradients in the scores; None where probability space underflows, as in `along`."""
    if p.per_step or not p.mask.shape[1] or p.emissions.dtype != torch.float64:
        return None
    first, last = (x(p.mask)[:, :, None] for x in (first_tokens, last_tokens))
    tokens, arrives = p.mask[:, :, None], p.mask[:, :, None] & ~first
    factors, matrix, start, end = covariances.factors(p)
    turned = (x.flip(1) for x in (factors, last, tokens))
    rest, sizes = covariances.columns(next(turned), matrix.T, end, *turned)
    rest = rest.flip(1)  # this is exp(emissions) · β, first token first
    previous = tags.gather(1, previous_tokens(p.mask))[:, :, None]
    reach, begin = rest @ matrix.T, start * rest
    total = torch.where(first, begin.sum(2, keepdim=True), 1.0)
    least = torch.where(arrives, reach.gather(2, previous), total).minimum(sizes.flip(1))
    if not ((least >= covariances.SMALLEST) | ~tokens).all():
        return None
    grad = torch.where(tokens, grad[:, :, None], 0.0)
    arriving = torch.where(arrives, grad, 0.0)
    own = torch.zeros_like(rest).scatter_(2, tags[:, :, None], grad)
    own = own - torch.where(first, grad * begin / total, 0.0)
    left = torch.zeros_like(rest).scatter_(2, previous, arriving)
    share = torch.where(arrives & (reach > 1e-290), 1 / reach, 0.0)
    count, counts, flows = torch.zeros_like(rest[:, 0]), [], []
    for mine, gone, part, after, inside in zip(
        *(x.unbind(1) for x in (own, left, share, rest, tokens)), strict=True
    ):
        flows.append((count - gone) * part)
        new = torch.addcmul(mine, flows[-1] @ matrix, after)
        count = torch.where(inside, new, count)
        counts.append(new)
    emissions = torch.where(tokens, torch.stack(counts, 1), 0.0)
    pairs = torch.stack(flows, 1).flatten(0, 1).T @ rest.flatten(0, 1) * matrix
    pairs = pairs.index_put((previous.flatten(), tags.flatten()), arriving.flatten(), True)
    return emissions, pairs, (emissions * first).sum((0, 1)), (emissions * last).sum((0, 1))
