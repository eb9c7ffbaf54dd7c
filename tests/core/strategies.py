"""Batches of chains for property tests: hypothesis draws the shape, the mask, the kind of numbers.

The numbers are multiples of 1/64 below 2^14, so that every path's score is exact in float32 and
float64: ties are true ties, and the best path is the same one in any order of additions. Masked
cells and unused per-step transitions hold poison (nan, ±∞, −100), for nothing may depend on them.
"""

from __future__ import annotations

import math
import os
import random
from dataclasses import dataclass
from functools import cached_property

import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor

import crf
import crf.engines
from tests.core.oracle import Row

# Every case is drawn for one of these; a run for a single one sets CRF_TEST_BACKENDS=plain.
BACKENDS = tuple(os.environ.get("CRF_TEST_BACKENDS", ",".join(crf.engines.BACKENDS[:3])).split(","))
each_backend = pytest.mark.parametrize("backend", [b for b in BACKENDS if b != "auto"] or ["auto"])
POISON = (0.0, math.nan, math.inf, -math.inf, -100.0, 1e30)
MAX_PATHS = 260


@dataclass(frozen=True)
class Case:
    """The five inputs of a LinearChain and, row by row, the oracle for them."""

    emissions: Tensor
    transitions: Tensor
    start: Tensor | None
    end: Tensor | None
    mask: Tensor | None
    seed: int = 0
    backend: str = "auto"

    @property
    def shape(self) -> tuple[int, int, int]:
        B, L, S = self.emissions.shape
        return B, L, S

    def chain(self, **options) -> crf.LinearChain:
        scores = (self.emissions, self.transitions, self.start, self.end)
        return crf.LinearChain(*scores, self.mask, **{"backend": self.backend, **options})

    @cached_property
    def rows(self) -> list[Row]:
        B, L, S = self.shape
        emissions, transitions = (
            self.emissions.double().tolist(),
            self.transitions.double().tolist(),
        )
        start = [0.0] * S if self.start is None else self.start.double().tolist()
        end = [0.0] * S if self.end is None else self.end.double().tolist()
        mask = [[True] * L] * B if self.mask is None else self.mask.tolist()
        per_step = self.transitions.dim() == 4
        return [
            Row(emissions[b], table, start, end, mask[b], per_step=per_step)
            for b, table in enumerate(transitions if per_step else [transitions] * B)
        ]

    def tags(self, seed: int = 0, *, allowed: bool = False) -> Tensor:
        """Tags [B, L], garbage at masked cells; `allowed` prefers a path that is not forbidden."""
        rng = random.Random(self.seed * 7919 + seed)
        lines = []
        for row in self.rows:
            paths = [p for p, s in row.paths.items() if s > -math.inf] if allowed else []
            path = rng.choice(paths or list(row.paths))
            line = row.spread(path)
            for cell in set(range(row.cells)) - set(row.positions):
                line[cell] = rng.choice([-1, -100, 0, 10**6])
            lines.append(line)
        return torch.tensor(lines, dtype=torch.long).reshape(self.shape[:2])

    def unused(self) -> Tensor:
        """Bool [B, max(L-1, 0)]: the per-step transitions that no path of the row's chain takes."""
        B, L, _ = self.shape
        result = torch.ones(B, max(L - 1, 0), dtype=torch.bool)
        for b, row in enumerate(self.rows):
            for position in row.positions[1:]:
                result[b, position - 1] = False
        return result


def _numbers(rng: random.Random, shape: tuple[int, ...], spread: float, forbidden: float) -> Tensor:
    def number() -> float:
        if rng.random() < forbidden:
            return -math.inf
        return round(rng.uniform(-spread, spread) * 64) / 64

    values = [number() for _ in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    dtypes: tuple[torch.dtype, ...] = (torch.float64, torch.float64, torch.float32),
    spreads: tuple[float, ...] = (0.0, 1 / 64, 1.0, 5.0, 100.0, 10_000.0),
    forbidden: tuple[float, ...] = (0.0, 0.0, 0.1, 0.5),
    max_length: int = 6,
    poisons: tuple[float, ...] = POISON,
    max_paths: int = MAX_PATHS,
) -> Case:
    """A batch of 1–3 chains of up to `max_length` cells over 1–5 tags, few enough to enumerate."""
    L = draw(st.sampled_from([x for x in (3, 4, 5, 6, 2, 4, 1, 0) if x <= max_length]), label="L")
    S = draw(st.sampled_from([s for s in (2, 3, 4, 5, 3, 1) if s**L <= max_paths]), label="S")
    B = draw(st.integers(1, 3), label="B")
    per_step = draw(st.booleans(), label="per step")
    spread = draw(st.sampled_from(spreads), label="spread")
    rate = draw(st.sampled_from(forbidden), label="share of −∞")
    poison = draw(st.sampled_from(poisons), label="poison")
    dtype = draw(st.sampled_from(dtypes), label="dtype")
    kept = draw(st.sampled_from([1.0, 0.5, 0.8, 0.8]), label="share of cells kept")
    backend = draw(st.sampled_from(BACKENDS), label="backend")
    with_ends = draw(st.sampled_from([True, True, False]), label="start and end")
    seed = draw(st.integers(0, 2**31), label="seed")
    rng = random.Random(seed)
    mask = None
    if kept < 1:
        bits = [rng.random() < kept for _ in range(B * L)]
        mask = torch.tensor(bits, dtype=torch.bool).reshape(B, L)
    step_shape = (B, max(L - 1, 0), S, S) if per_step else (S, S)
    case = Case(
        _numbers(rng, (B, L, S), spread, rate).to(dtype),
        _numbers(rng, step_shape, spread, rate).to(dtype),
        _numbers(rng, (S,), spread, rate).to(dtype) if with_ends else None,
        _numbers(rng, (S,), spread, rate).to(dtype) if with_ends else None,
        mask,
        seed,
        backend,
    )
    if mask is not None:
        case.emissions[~mask] = poison
    if per_step:
        case.transitions[case.unused()] = poison
        del case.__dict__["rows"]  # read before the poison went in
    return case


@st.composite
def labelled(draw: st.DrawFn, *, allowed: bool = False, **options) -> tuple[Case, Tensor]:
    """A case and a labelling of it."""
    case = draw(cases(**options))
    return case, case.tags(draw(st.integers(0, 1000), label="tag seed"), allowed=allowed)
