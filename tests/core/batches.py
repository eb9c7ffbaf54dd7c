"""Random batches of any size, and modules with random scores."""

from __future__ import annotations

import math

import torch
from torch import Tensor

import crf

Scores = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


def batch(
    shape: tuple[int, int, int],
    seed: int = 0,
    *,
    spread: float = 3.0,
    forbidden: float = 0.0,
    holes: float = 0.2,
    dtype: torch.dtype = torch.float64,
    own: str = "",
) -> Scores:
    """Random scores, a share of them −∞, under a random mask; nan at masked cells.

    Transitions are shared, or each "chain" or "step" has its own, nan at unused steps.
    """
    B, L, S = shape
    source = torch.Generator().manual_seed(seed)

    def draw(*size: int) -> Tensor:
        scores = spread * torch.randn(size, generator=source, dtype=dtype)
        return scores.masked_fill(torch.rand(size, generator=source) < forbidden, -math.inf)

    mask = torch.rand(B, L, generator=source) >= holes
    emissions = draw(B, L, S).masked_fill(~mask[:, :, None], math.nan)
    steps = max(L - 1, 0)
    transitions = draw(*{"chain": (B, 1), "step": (B, steps)}.get(own, ()), S, S)
    if own == "step" and steps:
        used = (mask & (mask.cumsum(1) > 1))[:, 1:]
        transitions = transitions.masked_fill(~used[:, :, None, None], math.nan)
    return emissions, transitions, draw(S), draw(S), mask


def some_tags(scores: Scores, seed: int = 0) -> Tensor:
    """Tags [B, L], out of range at masked cells."""
    B, L, S = scores[0].shape
    source = torch.Generator().manual_seed(seed)
    tags = torch.randint(S, (B, L), generator=source)
    return torch.where(scores[-1], tags, -100)


def module(transitions: Tensor, start: Tensor, end: Tensor, **options) -> crf.ChainCRF:
    """A module with these scores, in their precision."""
    model = crf.ChainCRF(len(start), **options).to(transitions.dtype)
    for parameter, scores in zip(model.parameters(), (transitions, start, end), strict=True):
        parameter.data.copy_(scores)
    return model


def small(S: int = 3, B: int = 2, L: int = 4, **options) -> tuple[crf.ChainCRF, Tensor, Tensor]:
    """A module, emissions for it, and tags; nothing is masked."""
    emissions, transitions, start, end, mask = batch((B, L, S), 7, spread=1.0, holes=0.0)
    model = module(transitions, start, end, **options)
    return model, emissions, some_tags((emissions, transitions, start, end, mask))
