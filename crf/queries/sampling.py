"""Exact samples from p(y | x): filter forwards, sample backwards.

    y_m ~ α_m(s) exp(end(s)) / Z,     y_t ~ α_t(s) ψ(s, y_(t+1)) / (the sum over s)

Source: Frühwirth-Schnatter (1994), "Data augmentation and dynamic linear models".
"""

import torch
from torch import Tensor

from ..core.decoding import NO_TAG
from ..core.potentials import Potentials, first_tokens
from ..core.recursions import Columns
from ..core.shapes import Float, Int


def sample(
    p: Potentials, alphas: Columns, n: int, generator: torch.Generator | None
) -> Int[Tensor, "n B L"]:
    """n independent paths for each chain.

    Args:
        p: The chains; each must allow a path.
        alphas: Their forward columns.
        n: How many.
        generator: Where the randomness comes from; None for torch's own.

    Returns:
        Tags [n, B, L], −1 outside the chain. A path of probability 0 is never drawn.
    """
    B, L, S = p.emissions.shape
    if not L:
        return p.mask.long().expand(n, B, 0)
    log_weights = (alphas.relative[:, -1] + p.end).expand(n, B, S)
    tag = _draw(log_weights, generator)
    steps, matrices = p.mask & ~first_tokens(p.mask), p.arriving_transitions()
    rows = torch.arange(B, device=tag.device)
    path = []
    for t in reversed(range(L)):
        path.append(torch.where(p.mask[:, t], tag, NO_TAG))
        if t:
            into_tag = matrices[t][rows, :, tag] if p.per_step else matrices[t].T[tag]
            previous = _draw(alphas.relative[:, t - 1] + into_tag, generator)
            tag = torch.where(steps[:, t], previous, tag)
    return torch.stack(path[::-1], 2)


def _draw(log_weights: Float[Tensor, "n B S"], generator: torch.Generator | None) -> Tensor:
    """One index per row, with probability ∝ exp(log_weights), by the Gumbel-max trick."""
    noise = torch.empty_like(log_weights, memory_format=torch.contiguous_format)
    noise = noise.exponential_(generator=generator).clamp_min(torch.finfo(noise.dtype).tiny)
    return (log_weights - noise.log()).argmax(-1)
