"""The kernels as functions of tensors, and as torch operators, which torch.compile can trace.

    log_prob      log Z, or log p(tags), of each chain
    expectations  the same with all first derivatives, computed in the same pass
    viterbi       best paths
    sample        samples

The functions are what runs; the operators, crf::log_prob and so on, wrap them and cost tens of
microseconds more a call. `Value` gives the functions the gradient that the operator has.

Arguments are those of `crf.potentials.Potentials`, uncleaned: masked cells may hold anything; the
emissions are float32 or float64, and no score is wider. Results of the emissions' shape are of
their type; inside, all is float64. The first call imports the kernels' modules, not this one.
"""

from typing import Any

import torch
from torch import Tensor

from .threads import over_rows


def _array(x: Tensor) -> Any:
    return (x if x.is_contiguous() else x.contiguous()).detach().numpy()


def _arrays(*given: Tensor) -> list[Any]:
    """Emissions, transitions, start, end and mask as the kernels take them: scores of one type."""
    *scores, mask = given
    dtype = scores[0].dtype
    return [*(_array(x if x.dtype == dtype else x.to(dtype)) for x in scores), _array(mask)]


def _path(tags: Tensor | None) -> Any:
    """The tags as the kernels take them: [0, 0] where there are none."""
    return (
        torch.empty(0, 0, dtype=torch.long).numpy() if tags is None else tags.contiguous().numpy()
    )


def _work(emissions: Tensor) -> int:
    B, L, S = emissions.shape
    return B * L * S * S


def log_prob(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
) -> Tensor:
    """log Z of each chain, or log p(tags) if tags are given: [B] float64, without a gradient."""
    if emissions.is_cuda:
        from . import gpu

        return gpu.log_prob((emissions, transitions, start, end, mask), tags)
    from .expectations import expectations as kernel

    arrays = _arrays(emissions, transitions, start, end, mask)
    values = torch.empty(len(mask), dtype=torch.float64)
    no_derivatives = arrays[0][:0], arrays[0][:0, :, 0]
    over_rows(
        kernel, len(mask), _work(emissions), *arrays, _path(tags), False, values.numpy(),
        *no_derivatives,
    )  # fmt: skip
    return values


log_prob_operator = torch.library.custom_op("crf::log_prob", log_prob, mutates_args=())


@log_prob_operator.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, tags: Any) -> Tensor:
    return emissions.new_empty(emissions.shape[0], dtype=torch.float64)


def expectations(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor]:
    """As `log_prob`, and its derivatives in the emissions, [B, L, S], and in the parameters.

    Those are [B, S² + 2S]: transitions, start and end. Only the value has a gradient.
    """
    if emissions.is_cuda:
        from . import gpu

        return gpu.expectations((emissions, transitions, start, end, mask), tags)
    from .expectations import expectations as kernel

    B, _, S = emissions.shape
    values = torch.empty(B, dtype=torch.float64)
    d_emissions = torch.zeros(emissions.shape, dtype=emissions.dtype)
    d_parameters = torch.zeros(B, S * S + 2 * S, dtype=emissions.dtype)
    arrays = _arrays(emissions, transitions, start, end, mask)
    results = (values.numpy(), d_emissions.numpy(), d_parameters.numpy())
    over_rows(kernel, B, _work(emissions), *arrays, _path(tags), True, *results)
    return values, d_emissions, d_parameters


expectations_operator = torch.library.custom_op("crf::expectations", expectations, mutates_args=())


@expectations_operator.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, tags: Any) -> Any:
    B, _, S = emissions.shape
    return (
        emissions.new_empty(B, dtype=torch.float64),
        emissions.new_empty(emissions.shape, dtype=emissions.dtype),
        emissions.new_empty(B, S * S + 2 * S, dtype=emissions.dtype),
    )


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*inputs, *output[1:])


def _differentiate(ctx: Any, weights: Tensor, *_: Any) -> tuple[Tensor | None, ...]:
    """Σ_b weights_b · derivatives_b; by the plain code if that is to be differentiated again."""
    *inputs, d_emissions, d_parameters = ctx.saved_tensors
    if torch.is_grad_enabled():
        return _differentiate_plainly(weights, *inputs)
    emissions, transitions, start, end = inputs[:4]
    S = len(start)
    weights = weights.to(d_emissions.dtype)
    d_transitions, d_start, d_end = (weights @ d_parameters).split_with_sizes((S * S, S, S))
    return (
        (weights.view(-1, 1, 1) * d_emissions).to(emissions.dtype),
        d_transitions.view(S, S).to(transitions.dtype),
        d_start.to(start.dtype),
        d_end.to(end.dtype),
        None,
        None,
    )


def _differentiate_plainly(weights: Tensor, *inputs: Tensor) -> tuple[Tensor | None, ...]:
    from ..chain import LinearChain

    emissions, transitions, start, end, mask, tags = inputs
    scores = (emissions, transitions, start, end)
    chain = LinearChain(*scores, mask, validate=False, backend="plain")
    values = chain.log_partition if tags is None else chain.log_prob(tags)
    wanted = [x for x in scores if x.requires_grad]
    weights = weights.to(values.dtype)
    found = iter(torch.autograd.grad(values, wanted, weights, create_graph=True))
    return (*(next(found) if x.requires_grad else None for x in scores), None, None)


expectations_operator.register_autograd(_differentiate, setup_context=_keep)


class Value(torch.autograd.Function):
    """The value of `expectations` in a given precision, differentiable."""

    @staticmethod
    def forward(ctx: Any, dtype: torch.dtype, *arguments: Any) -> Tensor:
        output = expectations(*arguments)
        _keep(ctx, arguments, output)
        return output[0].to(dtype)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        return None, *_differentiate(ctx, *grad_outputs)


def viterbi(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tables: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Best paths [B, L], their scores [B] in float64, and log δ and backpointers [B, L, S].

    Without `tables` the last two are empty.
    """
    if emissions.is_cuda:
        from . import gpu

        return gpu.viterbi((emissions, transitions, start, end, mask), tables)
    from .best_paths import viterbi as kernel

    B, L, S = emissions.shape
    shape = (B, L, S) if tables else (0, 0, 0)
    tags = torch.empty(B, L, dtype=torch.long)
    scores = torch.empty(B, dtype=torch.float64)
    log_deltas = torch.empty(shape, dtype=emissions.dtype)
    backpointers = torch.empty(shape, dtype=torch.long)
    arrays = _arrays(emissions, transitions, start, end, mask)
    results = (tags, scores, log_deltas, backpointers)
    over_rows(kernel, B, _work(emissions), *arrays, *(x.numpy() for x in results))
    return results


viterbi_operator = torch.library.custom_op("crf::viterbi", viterbi, mutates_args=())


@viterbi_operator.register_fake
def _(emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, tables: bool) -> Any:
    B, L, S = emissions.shape
    shape = (B, L, S) if tables else (0, 0, 0)
    return (
        emissions.new_empty((B, L), dtype=torch.long),
        emissions.new_empty(B, dtype=torch.float64),
        emissions.new_empty(shape, dtype=emissions.dtype),
        emissions.new_empty(shape, dtype=torch.long),
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
    from .sampling import sample as kernel

    tags = torch.full(uniforms.shape, -1)
    arrays = _arrays(emissions, transitions, start, end, mask)
    work = _work(emissions) + uniforms.numel() * emissions.shape[2]
    over_rows(kernel, len(mask), work, *arrays, _array(uniforms), tags.numpy())
    return tags


sample_operator = torch.library.custom_op("crf::sample", sample, mutates_args=())


@sample_operator.register_fake
def _(
    emissions: Tensor, transitions: Any, start: Any, end: Any, mask: Any, uniforms: Any
) -> Tensor:
    return uniforms.new_empty(uniforms.shape, dtype=torch.long)
