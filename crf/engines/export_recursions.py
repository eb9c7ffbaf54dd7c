"""The recursions as one loop of the graph, for torch.export and ONNX at any batch and length.

The plain code's Python loop would be unrolled to the length of the example. Here each step is the
body of torch's `scan`, which becomes ONNX's `Scan`; the equations are those of
`crf.core.recursions` and `crf.core.decoding`.
"""

from typing import Any

import torch
from torch import Tensor

from ..core.decoding import NO_TAG, max_matvec
from ..core.export_loop import scan
from ..core.potentials import NEG_INF, Potentials, first_tokens
from ..core.recursions import Columns, log_matvec
from ..core.shapes import Float, Int


def _steps(p: Potentials) -> tuple[Tensor, ...]:
    """The loop's inputs: emissions, masks of tokens and first tokens, and transitions per step."""
    first = first_tokens(p.mask)
    over = [p.emissions, p.mask[:, :, None], first[:, :, None]]
    if p.per_step:
        over.append(torch.nn.functional.pad(p.transitions, (0, 0, 0, 0, 1, 0)))
    return tuple(x.transpose(0, 1).contiguous() for x in over)


def forward(p: Potentials) -> Columns:
    """α of every cell, as `recursions.forward`."""
    B, _, S = p.emissions.shape

    def step(carry: Any, cell: Any) -> Any:
        alpha, offset = carry
        emission, in_chain, is_first, *transitions = cell
        arriving = log_matvec(alpha, transitions[0] if transitions else p.transitions)
        new = torch.where(is_first, p.start, arriving) + emission
        top = _top(new)
        alpha = torch.where(in_chain, new - top, alpha)
        offset = torch.where(in_chain, offset + top, offset)
        return (alpha, offset), (alpha.clone(), offset.clone())

    init = p.start.expand(B, S).clone(), p.emissions.new_zeros(B, 1)
    _, columns = scan(step, init, _steps(p))
    return _columns(*columns)


def backward(p: Potentials) -> Columns:
    """β of every cell, as `recursions.backward`."""
    B, _, S = p.emissions.shape

    def step(carry: Any, cell: Any) -> Any:
        message, offset = carry
        emission, in_chain, _, *transitions = cell
        matrix = transitions[0] if transitions else p.transitions
        top = _top(message)
        beta, offset = message - top, offset + torch.where(in_chain, top, 0.0)
        leaving = log_matvec(emission + beta, matrix.transpose(-1, -2))
        return (torch.where(in_chain, leaving, message), offset), (beta, offset.clone())

    init = p.end.expand(B, S).clone(), p.emissions.new_zeros(B, 1)
    _, columns = scan(step, init, _steps(p), reverse=True)
    return _columns(*columns)


def _top(column: Tensor) -> Tensor:
    """The maximum [B, 1]; 0 where all is −∞."""
    top = column.amax(1, keepdim=True)
    return torch.where(top == NEG_INF, 0.0, top)


def _columns(relative: Tensor, offsets: Tensor) -> Columns:
    return Columns(relative.transpose(0, 1), offsets.squeeze(2).T)


def log_partition(p: Potentials) -> Float[Tensor, " B"]:
    """log Z of each chain, in nats, as `recursions.log_partition`."""
    alphas = forward(p)
    last = log_matvec(alphas.relative[:, -1], p.end[:, None]).squeeze(1) + alphas.offsets[:, -1]
    return torch.where(p.mask.any(1), last, 0.0)


def viterbi(p: Potentials) -> tuple[Int[Tensor, "B L"], Float[Tensor, " B"]]:
    """Best paths and their scores, as `decoding.backtrace` returns them; without gradients."""
    p = p.map_scores(Tensor.detach)
    B, _, S = p.emissions.shape
    same = torch.arange(S, device=p.emissions.device).expand(B, S)

    def forth(delta: Any, cell: Any) -> Any:
        emission, in_chain, is_first, *transitions = cell
        arriving, argmax = max_matvec(delta, transitions[0] if transitions else p.transitions)
        new = torch.where(is_first, p.start, arriving) + emission
        pointer = torch.where(in_chain & ~is_first, argmax, same)
        return torch.where(in_chain, new, delta), pointer

    def back(tag: Any, cell: Any) -> Any:
        pointer, in_chain = cell
        return pointer.gather(1, tag), torch.where(in_chain, tag, NO_TAG)

    over = _steps(p)
    delta, pointers = scan(forth, p.start.expand(B, S).clone(), over)
    scores, tag = (delta + p.end).max(1, keepdim=True)
    scores = torch.where(p.mask.any(1), scores.squeeze(1), 0.0)
    _, tags = scan(back, tag, (pointers, over[1]), reverse=True)
    return torch.where((scores > NEG_INF)[:, None], tags.squeeze(2).T, NO_TAG), scores


def sample(p: Potentials, n: int, generator: torch.Generator | None) -> Int[Tensor, "n B L"]:
    """Paths from p(y | x), as `sampling.sample`; the noise of all cells is drawn at once."""
    p = p.map_scores(Tensor.detach)
    alphas = forward(p)
    B, L, S = p.emissions.shape
    like: dict[str, Any] = {"dtype": p.emissions.dtype, "device": p.emissions.device}
    if generator is not None:
        like["generator"] = generator
    noise = torch.rand(L, n, B, S, **like)
    noise = -(-noise.clamp_min(torch.finfo(noise.dtype).tiny).log()).log()  # Gumbel noise
    over = _steps(p)
    rows = torch.arange(B, device=p.mask.device)

    def step(carry: Any, cell: Any) -> Any:
        leaving, tag = carry
        alpha, gumbel, _, in_chain, _, *transitions = cell
        sample = (alpha + leaving + gumbel).argmax(-1)
        tag = torch.where(in_chain[:, 0], sample, tag)
        matrix = transitions[0] if transitions else p.transitions.expand(B, S, S)
        arriving = matrix.transpose(1, 2)[rows, tag]
        leaving = torch.where(in_chain, arriving, leaving)
        return (leaving, tag), torch.where(in_chain[:, 0], tag, NO_TAG)

    init = p.end.expand(n, B, S).clone(), torch.zeros(n, B, dtype=torch.long, device=p.mask.device)
    cells = (alphas.relative.transpose(0, 1).contiguous(), noise, *over)
    _, tags = scan(step, init, cells, reverse=True)
    return tags.permute(1, 2, 0)
