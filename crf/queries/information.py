"""Entropy, cross-entropy and KL divergence of chains, in nats, without cancellation.

A chain, read from right to left, is a Markov chain over its prefixes:

    p(y) = p(y_m) ∏_t p(y_t | y_(t+1))
    p(y_t = i | y_(t+1) = j) = α_t(i) ψ(i, j) / (the sum over i)

So −E[log q(y)] is a sum of non-negative terms, one per token, gathered in one pass next to α. The
textbook's log Z − E[score] is the same number, but a difference of two that may be 10⁸ each.

Sources: Hernando, Crespi and Cybenko (2005), "Efficient computation of the hidden Markov model
entropy for a given observation sequence"; Mann and McCallum (2007), "Efficient computation of
entropy gradient for semi-supervised conditional random fields".
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from ..core import torch_tracing
from ..core.differentiable import answer, needs_gradient, plain_derivatives
from ..core.potentials import NEG_INF, Potentials, first_tokens, working
from ..core.recursions import forward
from ..core.shapes import Bool, Float
from . import covariances

Local = Callable[[Tensor, Tensor], Tensor]


def surprise_under_q(log_p: Tensor, log_q: Tensor) -> Tensor:
    """−log q: averaged over p, the cross-entropy (the entropy, where q is p)."""
    return -log_q


def log_ratio(log_p: Tensor, log_q: Tensor) -> Tensor:
    """log p − log q: averaged over p, the KL divergence."""
    return log_p - log_q


def expected(p: Potentials, q: Potentials, local: Local) -> Float[Tensor, " B"]:
    """E over y ~ p of the sum of local(log p, log q) over the factors of the two chains.

    Args:
        p: The chains that the expectation is over.
        q: The chains that they are compared with; the same mask.
        local: What is averaged, `surprise_under_q` or `log_ratio`.

    Returns:
        [B] nats; +∞ where p allows a path that q forbids; 0 where p allows none.
    """
    if not p.emissions.shape[1]:
        return p.emissions.sum((1, 2))
    alphas = forward(p).relative
    other = alphas if q is p else forward(q).relative
    matrices, other_matrices = p.arriving_transitions(), q.arriving_transitions()
    steps = (p.mask & ~first_tokens(p.mask))[:, :, None]
    so_far = torch.zeros_like(p.emissions[:, 0])  # [B, S], the prefix's part, given its last tag
    infinite = torch.zeros_like(so_far, dtype=torch.bool)

    def advance(so_far: Tensor, infinite: Tensor, *scores: Tensor) -> tuple[Tensor, Tensor]:
        alpha, matrix, other_alpha, other_matrix = scores
        log_p = _log_conditional(alpha[:, :, None] + matrix)
        log_q = log_p if q is p else _log_conditional(other_alpha[:, :, None] + other_matrix)
        return _average(log_p, log_q, so_far[:, :, None], infinite[:, :, None], local)

    needs_gradient = torch.is_grad_enabled() and any(x.requires_grad for x in (*p, *q))
    # Transforms get no checkpoints, because torch's checkpoint does not support them.
    needs_gradient = needs_gradient and not torch_tracing.transforming()
    for t in range(1, p.emissions.shape[1]):
        columns = (so_far, infinite)
        scores = (alphas[:, t - 1], matrices[t], other[:, t - 1], other_matrices[t])
        if needs_gradient:  # a checkpoint saves memory, because it stores no [B, S, S] tables
            new: Any = checkpoint(
                advance, *columns, *scores, use_reentrant=False, preserve_rng_state=False
            )
        else:
            new = advance(*columns, *scores)
        so_far = torch.where(steps[:, t], new[0], so_far)
        infinite = torch.where(steps[:, t], new[1], infinite)
    last_p, last_q = _log_conditional(alphas[:, -1] + p.end), _log_conditional(other[:, -1] + q.end)
    total, infinite = _average(last_p, last_q, so_far, infinite, local)
    total = torch.where(infinite, float("inf"), total)
    return torch.where(p.mask.any(1), total, 0.0)


def from_counts(
    p: Potentials,
    q: Potentials,
    log_z: tuple[Tensor, Tensor],
    counts: Sequence[Tensor],
    local: Local,
) -> tuple[Float[Tensor, " B"], Bool[Tensor, " B"]]:
    """`expected` from expected counts: −E[log q] = log Z_q − ⟨counts, scores of q⟩, in float64.

    Args:
        p: The chains that the expectation is over, cleaned.
        q: The chains that they are compared with; the same mask.
        log_z: [B] log Z of p and of q.
        counts: As `recursions.expected_counts` finds them for p.
        local: What is averaged, `surprise_under_q` or `log_ratio`.

    Returns:
        [B] nats, and whether they are reliable. They are not where the sums are so large that too
        many digits cancel, nor where q forbids something that p allows.
    """
    ratio = local is log_ratio
    value = log_z[1] - log_z[0] if ratio else log_z[1].clone()
    size = sum(z.abs() for z in log_z)
    reliable = torch.ones_like(value, dtype=torch.bool)
    for mine, its, count in zip(p[:4], q[:4], counts, strict=True):
        scores = mine - its if ratio else -its
        terms = torch.where(count > 0, count * scores, 0.0).flatten(1)
        value, size = value + terms.sum(1), size + terms.abs().sum(1)
        forbidden = (its == NEG_INF) & (mine > NEG_INF)
        reliable &= ~forbidden.expand_as(count).flatten(1).any(1)
    reliable &= 4e-15 * size <= 1e-11 * (1 + value.abs())
    infeasible = log_z[0] == NEG_INF
    return torch.where(infeasible, 0.0, value.clamp(min=0.0)), reliable | infeasible


def by_counts(of: Any, local: Local, log_q: Tensor | None, *tensors: Tensor) -> Tensor:
    """`expected`, differentiable, from counts; by the recursion where too many digits cancel.

    Args:
        of: A module that finds expected counts, and gradients of log Z, as `crf.kernels`.
        local: What is averaged.
        log_q: [B] log Z of q; None where q is p.
        tensors: As `expected_of` takes them.
    """
    with torch.no_grad():
        chains = working(tensors)
        p, q = chains[0], chains[-1]
        log_p, *counts = of.expected_counts(Potentials(*tensors[:5]))
        expectation, reliable = from_counts(
            p, q, (log_p, log_p if log_q is None else log_q), counts, local
        )
        everywhere = bool(reliable.all())
        if not everywhere:
            part = (x[~reliable] if k % 5 in (0, 4) or x.dim() == 4 else x
                    for k, x in enumerate(tensors))  # fmt: skip
            expectation[~reliable] = expected_of(local, *part)
    if not needs_gradient(*tensors):
        return expectation
    return answer(expectation, partial(derive, of, local, everywhere), *tensors)


def expected_of(local: Local, *tensors: Tensor) -> Tensor:
    """`expected` for the scores and masks of p, or of p and q, as given."""
    chains = working(tensors)
    return expected(chains[0], chains[-1], local)


def derive(of: Any, local: Local, reliable: bool, tensors: Any, weights: Tensor) -> Any:
    """The gradients of Σ_b weights_b · expectation_b in scores and masks as given.

    E_p moves as the expected counts do along the scores that are averaged; log Z of q moves by its
    expected counts, and its expected score by those of p.

    Args:
        of: A module that finds gradients of log Z, as `crf.kernels`.
        local: What is averaged.
        reliable: Whether all chains are, as `from_counts` says.
        tensors: As `expected_of` takes them.
        weights: [B].
    """
    if reliable and not torch.is_grad_enabled():
        p, *others = chains = working(tensors)
        pairs = zip(p[:4], chains[-1][:4], strict=True)
        scores = (x - y if local is log_ratio else -y for x, y in pairs)
        direction = (torch.where(x.isfinite(), x, 0.0) for x in scores)
        gradients = covariances.along(p, weights, *direction)
        if gradients is not None and not others:
            return *gradients, None
        if gradients is not None:
            mine, its = (of.gradients(x, None, weights) for x in chains)
            return *gradients, None, *(y - x for x, y in zip(mine, its, strict=True)), None
    return plain_derivatives(partial(expected_of, local), tensors, weights)


def _log_conditional(scores: Tensor) -> Tensor:
    """log-softmax over dimension 1; −∞ where everything is."""
    top = scores.detach().amax(1, keepdim=True)
    top = top.masked_fill(top == NEG_INF, 0.0)
    total = torch.exp(scores - top).sum(1, keepdim=True)
    return scores - top - total.masked_fill(total == 0, 1.0).log()


def _average(
    log_p: Tensor, log_q: Tensor, so_far: Tensor, infinite: Tensor, local: Local
) -> tuple[Tensor, Tensor]:
    """Σ_i p(i) (so_far(i) + local(i)) over dimension 1, and whether it is +∞.

    A term of probability 0 is 0. Where p allows what q forbids the sum is +∞; that is kept apart,
    as a truth value, so that no gradient meets an infinity.
    """
    possible, forbidden = log_p > NEG_INF, log_q == NEG_INF
    log_p = torch.where(possible, log_p, 0.0)
    log_q = torch.where(forbidden, 0.0, log_q)
    terms = torch.where(possible, log_p.exp() * (so_far + local(log_p, log_q)), 0.0)
    return terms.sum(1), (possible & (forbidden | infinite)).any(1)
