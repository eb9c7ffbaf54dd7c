"""The forward and the backward recursion, log Z, and its gradient in closed form.

State form (the emission at t is in α_t and not in β_t), in log space:

    α_1(s)     = start(s) + emission_1(s)
    α_(t+1)(s) = emission_(t+1)(s) + logsumexp_s' [ α_t(s') + transition(s', s) ]
    β_m(s)     = end(s)
    β_t(s)     = logsumexp_s' [ transition(s, s') + emission_(t+1)(s') + β_(t+1)(s') ]
    log Z      = logsumexp_s [ α_m(s) + end(s) ]

A cell outside the chain keeps the old column, so a mask needs only `where(mask, new, old)`.

Over 20,000 tokens α can grow to 10⁸ and more, and then few digits are left for the differences in a
column. So a column is stored relative to its maximum, and the maxima add up in an offset beside it.

Sources: Rabiner (1989), "A tutorial on hidden Markov models", eqs. 19-27; Lafferty, McCallum and
Pereira (2001), "Conditional random fields", section 3; Sutton and McCallum (2012), "An introduction
to conditional random fields", section 4.1.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from . import torch_tracing
from .potentials import NEG_INF, Potentials, first_tokens, last_tokens, sums_in
from .shapes import Float


class Columns(NamedTuple):
    """α or β of a batch: the column of cell t is `relative[:, t] + offsets[:, t]`.

    Attributes:
        relative: [B, L, S] log-scores relative to the column's maximum (which is 0, or −∞). A cell
            outside the chain holds the column of the token visited before it.
        offsets: [B, L] the maxima, added up.
    """

    relative: Float[Tensor, "B L S"]
    offsets: Float[Tensor, "B L"]


class _LogMatVec(torch.autograd.Function):
    """`out[b, j] = logsumexp_i (vector[b, i] + matrix[i, j])`.

    Its derivative is a softmax over i. The backward pass computes it again, so that a step stores
    [B, S] numbers instead of [B, S, S]. It is 0, not nan, where everything is −∞.
    """

    @staticmethod
    def forward(ctx: Any, vector: Tensor, matrix: Tensor) -> Tensor:
        out = torch.logsumexp(vector[:, :, None] + matrix, dim=1)
        ctx.save_for_backward(vector, matrix, out)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        vector, matrix, out = ctx.saved_tensors
        flow = safe_exp_ratio(vector[:, :, None] + matrix, out[:, None, :]) * grads[0][:, None, :]
        return flow.sum(2), flow if matrix.dim() == 3 else flow.sum(0)


def log_matvec(vector: Float[Tensor, "B S"], matrix: Tensor) -> Float[Tensor, "B T"]:
    """One step of a recursion: a vector times a matrix, where + is logsumexp and × is +.

    Args:
        vector: [B, S] log-scores.
        matrix: [S, T] or [B, S, T] log-scores, from row to column; T is S, or 1 for the last step.

    Returns:
        [B, T] log-scores; −∞ where nothing allowed arrives.

    Example:
        >>> log_matvec(torch.zeros(1, 3), torch.zeros(3, 3)).exp()
        tensor([[3., 3., 3.]])
    """
    if torch_tracing.transforming() or torch_tracing.exporting():
        # This uses only torch's own functions, because transforms see no others. It avoids slices
        # and sums, because their derivatives ask for the batch's size, and torch's scan cannot
        # keep symbolic sizes for its backward pass.
        terms = vector.unsqueeze(2) + matrix
        none = (terms == NEG_INF).all(1, keepdim=True)
        total = torch.logsumexp(terms.masked_fill(none, 0.0), dim=1)
        return total.masked_fill(none.squeeze(1), NEG_INF)
    if torch.is_grad_enabled() and (vector.requires_grad or matrix.requires_grad):
        return _LogMatVec.apply(vector, matrix)  # pyright: ignore[reportReturnType]
    return torch.logsumexp(vector[:, :, None] + matrix, dim=1)


def safe_exp_ratio(log_part: Tensor, log_whole: Tensor) -> Tensor:
    """`exp(log_part − log_whole)`, and 0 where the whole, and so the part, is −∞."""
    return torch.exp(log_part - log_whole.masked_fill(log_whole == NEG_INF, 0.0))


def softmax_or_zero(scores: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Softmax over the dimensions; 0 everywhere where all the scores are −∞."""
    top = _maximum(scores, dims)
    weights = torch.exp(scores - top)
    total = weights.sum(dims, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


def _maximum(scores: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The maximum over dims with keepdim, 0 where all is −∞; no gradient flows through it."""
    top = scores.detach().amax(dims, keepdim=True)
    return top.masked_fill(top == NEG_INF, 0.0)


def forward(p: Potentials) -> Columns:
    """The forward recursion, left to right (state form; `start` is in α, `end` is not).

    Args:
        p: The chains.

    Returns:
        log α, O(B·L·S) memory, O(B·L·S²) time.
    """
    alpha, offset = p.start.expand(p.emissions.shape[0], -1), _no_offset(p)
    found = _Collected(p)
    for t, (emission, transitions, in_chain, is_first) in enumerate(p.cells()):
        arriving = log_matvec(alpha, transitions) if t else alpha
        new = torch.where(is_first, p.start, arriving) + emission
        top = _maximum(new, (1,))
        alpha = torch.where(in_chain, new - top, alpha)
        offset = torch.where(in_chain, offset + top, offset)
        found.put(t, alpha, offset)
    return found.columns()


def backward(p: Potentials) -> Columns:
    """The backward recursion, right to left (state form; `end` is in β, `start` is not).

    Args:
        p: The chains.

    Returns:
        log β, O(B·L·S) memory, O(B·L·S²) time.
    """
    message = p.end.expand(p.emissions.shape[0], -1)  # β_m, before its maximum is subtracted
    offset, found = _no_offset(p), _Collected(p)
    for t, (emission, transitions, in_chain, _) in reversed(list(enumerate(p.cells()))):
        top = _maximum(message, (1,))
        beta, offset = message - top, offset + torch.where(in_chain, top, 0.0)
        found.put(t, beta, offset)
        if t:  # because no token comes before cell 0
            leaving = log_matvec(emission + beta, transitions.transpose(-1, -2))
            message = torch.where(in_chain, leaving, message)
    return found.columns()


def _no_offset(p: Potentials) -> Tensor:
    return p.emissions.new_zeros(len(p.mask), 1, dtype=sums_in(p.emissions))


class _Collected:
    """The columns of a recursion, by their cells.

    Where no gradient is followed, each goes to its place in one table: kept apart, they would lie
    between the [B, S, S] numbers of the steps, whose memory could not be used again.
    """

    def __init__(self, p: Potentials) -> None:
        B, L, S = p.emissions.shape
        self._p, self._parts = p, {}
        self._table = self._sizes = None
        followed = torch.is_grad_enabled() and any([x.requires_grad for x in p[:4]])
        if torch_tracing.eager() and not followed:
            self._table = p.emissions.new_empty(B, L, S)
            self._sizes = p.emissions.new_empty(B, L, dtype=sums_in(p.emissions))

    def put(self, t: int, column: Tensor, offset: Tensor) -> None:
        if self._table is None or self._sizes is None:
            self._parts[t] = column, offset
        else:
            self._table[:, t], self._sizes[:, t] = column, offset[:, 0]

    def columns(self) -> Columns:
        L = self._p.emissions.shape[1]
        if not L:
            return Columns(self._p.emissions, self._p.emissions.sum(2))
        if self._table is not None and self._sizes is not None:
            return Columns(self._table, self._sizes)
        columns, offsets = zip(*[self._parts[t] for t in range(L)], strict=True)
        return Columns(torch.stack(columns, 1), torch.cat(offsets, 1))


def log_partition(p: Potentials) -> Float[Tensor, " B"]:
    """log Z of each chain, in nats: 0 for a chain without tokens, −∞ where no path is allowed.

    Args:
        p: The chains.

    Returns:
        [B], differentiable twice. The first derivatives are the marginals, by `expected_counts`.
    """
    if torch_tracing.transforming():
        return log_partition_from(p, forward(p))
    return _LogPartition.apply(*p)  # pyright: ignore[reportReturnType]


class _LogPartition(torch.autograd.Function):
    """log Z with its gradient in closed form: ∂ log Z / ∂ score = expected count of that score."""

    @staticmethod
    def forward(ctx: Any, *potentials: Tensor) -> Tensor:
        p = Potentials(*potentials)
        alphas = forward(p)
        ctx.save_for_backward(*potentials, *alphas)
        return log_partition_from(p, alphas)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        p, alphas = Potentials(*ctx.saved_tensors[:5]), Columns(*ctx.saved_tensors[5:])
        if torch.is_grad_enabled():  # a second derivative needs an α that is part of the graph
            alphas = forward(p)
        emissions, transitions, start, end = expected_counts(p, alphas)
        of_row = grads[0].to(p.emissions.dtype)
        if p.per_step:
            transitions = transitions * of_row[:, None, None, None]
        else:
            transitions = torch.einsum("b,bij->ij", of_row, transitions)
        return emissions * of_row[:, None, None], transitions, of_row @ start, of_row @ end, None


def log_partition_from(p: Potentials, alphas: Columns) -> Float[Tensor, " B"]:
    """log Z of each chain, in nats, from its α: logsumexp of the last column plus `end`."""
    if not p.emissions.shape[1]:
        return p.emissions.sum((1, 2))
    last = log_matvec(alphas.relative[:, -1], p.end[:, None]).squeeze(1) + alphas.offsets[:, -1]
    return torch.where(p.mask.any(1), last, 0.0)


def state_marginals(p: Potentials, alphas: Columns, betas: Columns) -> Float[Tensor, "B L S"]:
    """p(y_t = s | x) = α_t(s) β_t(s) / Z, normalised per token; 0 at cells outside the chain."""
    marginals = softmax_or_zero(alphas.relative + betas.relative, (2,))
    return torch.where(p.mask[:, :, None], marginals, 0.0)


def pair_marginals_at(
    previous_alpha: Float[Tensor, "*batch S"],
    transitions: Tensor,
    emission_and_beta: Float[Tensor, "*batch S"],
) -> Float[Tensor, "*batch S S"]:
    """p(y_t = i, y_(t+1) = j | x) = α_t(i) ψ(i, j) ψ(j, x, t+1) β_(t+1)(j) / Z, at [i, j]."""
    joint = previous_alpha[..., :, None] + transitions + emission_and_beta[..., None, :]
    return softmax_or_zero(joint, (-2, -1))


def expected_counts(p: Potentials, alphas: Columns) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Expected number of uses of each score, which is the gradient of each chain's log Z.

    E[#(y_t = s)] = p(y_t = s | x),    E[#(i → j)] = Σ_t p(y_t = i, y_(t+1) = j | x)

    Args:
        p: The chains.
        alphas: Their forward columns.

    Returns:
        Expected counts of emissions [B, L, S], of transitions [B, S, S], summed over the steps (or
        [B, L-1, S, S] where each step has its own), of start [B, S] and of end [B, S].

    Source:
        Sutton and McCallum (2012), eq. 5.5: the second term of the gradient.
    """
    B, L, S = p.emissions.shape
    betas = backward(p)
    emissions = state_marginals(p, alphas, betas)
    start = (emissions * first_tokens(p.mask)[:, :, None]).sum(1)
    end = (emissions * last_tokens(p.mask)[:, :, None]).sum(1)

    arrives = (p.mask & ~first_tokens(p.mask))[:, 1:]
    before, after = alphas.relative[:, :-1], (p.emissions + betas.relative)[:, 1:]
    size = max(1, L // S)  # because blocks of L / S steps need O(B·L·S) memory
    per_step, total = [], p.emissions.new_zeros(B, S, S)
    for first in range(0, L - 1, size):
        chosen = slice(first, first + size)
        transitions = p.transitions[:, chosen] if p.per_step else p.transitions
        pairs = pair_marginals_at(before[:, chosen], transitions, after[:, chosen])
        pairs = torch.where(arrives[:, chosen, None, None], pairs, 0.0)
        if p.per_step:
            per_step.append(pairs)
        else:
            total = total + pairs.sum(1)
    if p.per_step:
        total = torch.cat(per_step, 1) if per_step else torch.zeros_like(p.transitions)
    return emissions, total, start, end
