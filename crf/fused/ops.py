"""The kernels as functions of tensors with gradients, and as operators for torch.compile.

    values     log Z, or log p(tags), of each chain
    gradients  the derivatives of their weighted sum
    viterbi    best paths
    sample     samples

The functions are what runs; the operators, crf::values and so on, wrap them and cost tens of
microseconds more a call. `Values` gives the functions the operators' gradients.

Arguments are those of `crf.potentials.Potentials`, uncleaned: masked cells may hold anything; the
emissions are float32 or float64.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor

from .derivatives import by_plain_code, of_values
from .layout import COUNTS, VALUES


def _on_cpu(*given: Any) -> tuple[Any, Tensor, Any]:
    """Scores, mask and tags as the kernels take them."""
    from .calls import as_kernels_take

    *scores, mask, tags = given
    tags = None if tags is None else tags.to(torch.int64).contiguous()
    return as_kernels_take(tuple(x.detach() for x in scores)), mask.contiguous(), tags


def values(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
) -> Tensor:
    """log Z of each chain, or log p(tags) if tags are given: [B] float64."""
    if emissions.is_cuda:
        from . import gpu

        return gpu.log_prob((emissions, transitions, start, end, mask), tags)
    from .calls import expectations

    scores, mask, tags = _on_cpu(emissions, transitions, start, end, mask, tags)
    found = expectations(scores, mask, tags, VALUES)[1]
    assert found is not None
    return found


def gradients(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
    weights: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The derivatives of Σ_b weights_b · values_b in emissions, transitions, start and end."""
    given = (emissions, transitions, start, end)
    if emissions.is_cuda:
        from . import gpu

        S = len(start)
        _, d_emissions, d_parameters = gpu.expectations((*given, mask), tags)
        weights = weights.to(d_emissions.dtype)
        d_emissions = weights.view(-1, 1, 1) * d_emissions
        d_transitions, d_start, d_end = (weights @ d_parameters).split_with_sizes((S * S, S, S))
        found = (d_emissions, d_transitions.view(S, S), d_start.clone(), d_end.clone())
    else:
        from .calls import expectations

        scores, mask, tags = _on_cpu(*given, mask, tags)
        weights = weights.to(torch.float64).contiguous()
        found = expectations(scores, mask, tags, COUNTS, weights=weights)[2]
    one, two, three, four = (x.to(of.dtype) for x, of in zip(found, given, strict=True))
    return one, two, three, four


values_operator = torch.library.custom_op("crf::values", values, mutates_args=())
gradients_operator = torch.library.custom_op("crf::gradients", gradients, mutates_args=())


@values_operator.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, tags: Any) -> Tensor:
    return emissions.new_empty(emissions.shape[0], dtype=torch.float64)


@gradients_operator.register_fake
def _(
    emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, tags: Any, weights: Any
) -> Any:
    return tuple(x.new_empty(x.shape) for x in (emissions, transitions, start, end))


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _differentiate(ctx: Any, weights: Tensor, compute: Any) -> tuple[Tensor | None, ...]:
    inputs = ctx.saved_tensors
    if torch.is_grad_enabled():
        return (*of_values(weights, inputs), None, None)
    return (*compute(*inputs, weights), None, None)


values_operator.register_autograd(
    lambda ctx, weights: _differentiate(ctx, weights, gradients_operator), setup_context=_keep
)


class Values(torch.autograd.Function):
    """`values` in a given precision, differentiable."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *arguments: Any) -> Tensor:
        ctx.save_for_backward(*arguments)
        return values(*arguments).to(dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        return None, *_differentiate(ctx, grad_outputs[0], gradients)


class Divergence(torch.autograd.Function):
    """−E[log q(y)] or KL(p‖q), y ~ p, of each chain; `found` holds them, and which kernels did.

        ∂/∂ scores of p = Cov(log (p(y) / q(y)), counts),    without p where it is −E[log q(y)]
        ∂/∂ scores of q = E_q[counts] − E_p[counts]

    The scores are four of p and four of q. If q is p, they are four, and the second line is 0.
    """

    @staticmethod
    def forward(
        ctx: Any, found: tuple[Tensor, Tensor], ratio: bool, plain: Any, mask: Tensor, *scores: Any
    ) -> Tensor:
        values, done = found
        ctx.save_for_backward(mask, done, *scores)
        ctx.ratio, ctx.plain = ratio, plain
        return values

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        weights, (mask, done, *scores) = grad_outputs[0], ctx.saved_tensors
        if torch.is_grad_enabled():
            found = by_plain_code(partial(ctx.plain, mask), weights, scores)
            return None, None, None, None, *found
        kept = torch.where(done, weights, 0.0)
        p, q = scores[:4], scores[4:]
        found: list[Tensor | None] = [None] * len(scores)
        if any(x.requires_grad for x in p):
            moved, right = _covariances(p, q, ctx.ratio, mask, kept)
            found[:4] = moved
            done, kept = done & right, torch.where(right, kept, 0.0)
        if any(x.requires_grad for x in q):
            of_q, of_p = (gradients(e, t, a, z, mask, None, kept) for e, t, a, z in (q, p))
            found[4:] = [x.sub_(y) for x, y in zip(of_q, of_p, strict=True)]
        if not done.all():
            rows = torch.nonzero(~done).flatten()
            part = [_rows_of(x, rows) if x.dim() == 3 else x for x in scores]
            others = by_plain_code(partial(ctx.plain, mask[rows]), weights[rows], part)
            for score, whole, other in zip(scores, found, others, strict=True):
                if whole is not None and other is not None:
                    whole[rows if score.dim() == 3 else ...] += other
        return None, None, None, None, *found


def _covariances(
    p: list[Tensor], q: list[Tensor], ratio: bool, mask: Tensor, weights: Tensor
) -> tuple[tuple[Tensor, ...], Tensor]:
    """Cov(log (p(y) / q(y)), counts), and of which chains; without p unless it is a ratio."""
    from .calls import covariances

    terms = [-x.double() for x in q or p]
    if ratio:
        terms = [y.add_(x) for x, y in zip(p, terms, strict=True)]
    one, two, three, four = (x.nan_to_num_(0.0, 0.0, 0.0) for x in terms)
    return covariances((p[0], p[1], p[2], p[3]), (one, two, three, four), mask, weights)


def _rows_of(x: Tensor, rows: Tensor) -> Tensor:
    return x.detach()[rows].requires_grad_(x.requires_grad)


def viterbi(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
) -> tuple[Tensor, Tensor]:
    """Best paths [B, L], and their scores [B], in the emissions' precision."""
    if emissions.is_cuda:
        from . import gpu

        tags, best = gpu.viterbi((emissions, transitions, start, end, mask), False)[:2]
        return tags, best.to(emissions.dtype)
    from .calls import best_paths

    scores, mask, _ = _on_cpu(emissions, transitions, start, end, mask, None)
    return best_paths(scores, mask)[1:]


viterbi_operator = torch.library.custom_op("crf::viterbi", viterbi, mutates_args=())


@viterbi_operator.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any) -> Any:
    B, L, _ = emissions.shape
    return (
        emissions.new_empty((B, L), dtype=torch.long),
        emissions.new_empty(B),
    )


def sample(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    uniforms: Tensor,
) -> Tensor:
    """Paths [n, B, L], one for each [B, L] of uniform random numbers (float64, from 0 to 1)."""
    from . import calls

    scores, mask, _ = _on_cpu(emissions, transitions, start, end, mask, None)
    return calls.sample(scores, mask, uniforms.contiguous())


sample_operator = torch.library.custom_op("crf::sample", sample, mutates_args=())


@sample_operator.register_fake
def _(
    emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, uniforms: Any
) -> Tensor:
    return uniforms.new_empty(uniforms.shape, dtype=torch.long)
