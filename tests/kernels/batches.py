"""Batches too large for an oracle that enumerates: the kernels must equal the plain code."""

from __future__ import annotations

import math

import torch
from hypothesis import strategies as st
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
) -> Scores:
    """Random scores, a share of them −∞, under a random mask; nan at masked cells."""
    B, L, S = shape
    source = torch.Generator().manual_seed(seed)

    def draw(*size: int) -> Tensor:
        scores = spread * torch.randn(size, generator=source, dtype=dtype)
        return scores.masked_fill(torch.rand(size, generator=source) < forbidden, -math.inf)

    mask = torch.rand(B, L, generator=source) >= holes
    emissions = draw(B, L, S).masked_fill(~mask[:, :, None], math.nan)
    return emissions, draw(S, S), draw(S), draw(S), mask


@st.composite
def batches(draw: st.DrawFn) -> Scores:
    """Any shape around the eight lanes of the kernels, any spread, any share of −∞."""
    shape = (draw(st.integers(0, 4)), draw(st.integers(0, 12)), draw(st.integers(1, 26)))
    return batch(
        shape,
        draw(st.integers(0, 2**30)),
        spread=draw(st.sampled_from([0.0, 1.0, 60.0, 1e4])),
        forbidden=draw(st.sampled_from([0.0, 0.1, 0.5])),
        holes=draw(st.sampled_from([0.0, 0.3, 1.0])),
        dtype=draw(st.sampled_from([torch.float32, torch.float64])),
    )


def chain(scores: Scores, backend: str) -> crf.LinearChain:
    """The chain that a backend computes with."""
    return crf.LinearChain(*scores, backend=backend)


def some_tags(scores: Scores, seed: int = 0) -> Tensor:
    """Tags [B, L], out of range at masked cells."""
    B, L, S = scores[0].shape
    source = torch.Generator().manual_seed(seed)
    tags = torch.randint(S, (B, L), generator=source)
    return torch.where(scores[-1], tags, -100)
