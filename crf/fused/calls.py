"""Kernels called with tensors: their pointers, their scratch memory, their threads."""

import torch
from torch import Tensor

from . import layout
from .native import kernel
from .threads import over_groups

Scores = tuple[Tensor, Tensor, Tensor, Tensor]  # emissions, transitions, start, end


def as_kernels_take(scores: Scores) -> Scores:
    """The scores in one precision, that of the emissions, each without gaps in memory."""
    dtype = scores[0].dtype
    emissions, transitions, start, end = (
        (x if x.dtype == dtype else x.to(dtype)).contiguous() for x in scores
    )
    return emissions, transitions, start, end


def expectations(
    scores: Scores,
    mask: Tensor | None,
    tags: Tensor | None,
    *,
    weights: Tensor | None = None,
    weight: float = 1.0,
    per_token: bool = False,
    values: bool = False,
    counts: bool = False,
) -> tuple[int, Tensor | None, tuple[Tensor, ...], Tensor]:
    """The kernel `expectations`; see there.

    Args:
        scores: As `as_kernels_take` returns them.
        mask: [B, L] bool, without gaps in memory; None: all are tokens.
        tags: [B, L] int64, without gaps in memory; None: the values are log Z.
        weights: [B] float64.
        weight: What each chain counts for, if there are no weights.
        per_token: Whether that is divided by the number of tokens.
        values: Whether the values are wanted.
        counts: Whether the derivatives are.

    Returns:
        What was found (see `layout`), the values [B] in float64, the derivatives of the weighted
        sum in the four scores, and that sum.
    """
    emissions, transitions, start, end = scores
    B, L, S = emissions.shape
    options = layout.MASK if mask is not None else 0
    options |= layout.TAGS if tags is not None else 0
    options |= layout.COUNTS if counts else 0
    options |= layout.WEIGHTS if weights is not None else 0
    options |= layout.VALUES if values else 0
    options |= layout.RESULTS | (layout.PER_TOKEN if per_token else 0)
    found = torch.empty(B, dtype=torch.float64) if values else None
    derivatives = (
        torch.empty_like(emissions) if counts else emissions,
        torch.empty_like(transitions),
        torch.empty_like(start),
        torch.empty_like(end),
    )
    total = emissions.new_empty(())
    function = kernel("expectations", emissions.dtype)
    places = (
        emissions.data_ptr(), transitions.data_ptr(), start.data_ptr(), end.data_ptr(),
        _place(mask), _place(tags), _place(weights), _place(found),
        *(x.data_ptr() for x in derivatives), total.data_ptr(),
    )  # fmt: skip
    sums = S * S + 2 * S + 1
    doubles, integers = layout.doubles(L, S), layout.integers(B, L)

    def part(first: int, stride: int) -> tuple[int, Tensor]:
        memory = torch.empty(sums + doubles, dtype=torch.float64)
        whole = torch.empty(integers, dtype=torch.int64)
        place = memory.data_ptr()
        status = function(
            *places, place, place + 8 * sums, whole.data_ptr(), B, L, S,
            options, weight, first, stride,
        )  # fmt: skip
        return status, memory

    parts = over_groups(part, B, B * L * S * S)
    status = parts[0][0]
    if len(parts) > 1:
        for other, _ in parts[1:]:
            status |= other
        both = torch.stack([memory[:sums] for _, memory in parts]).sum(0)
        both = both.split_with_sizes((S * S, S, S, 1))
        for target, source in zip((*derivatives[1:], total), both, strict=True):
            target.copy_(source.view(target.shape))
    return status, found, derivatives, total


def _place(x: Tensor | None) -> int:
    return 0 if x is None else x.data_ptr()


def best_paths(
    scores: Scores, mask: Tensor | None, *, pack: bool = False
) -> tuple[int, Tensor, Tensor, Tensor | None, Tensor]:
    """The kernel `best_paths`; see there.

    Returns:
        What was found, the tags [B, L], the scores [B] in float64, the tags without gaps [B, L]
        as bytes (if S ≤ 256 and they are wanted), and the chains' lengths [B].
    """
    emissions, transitions, start, end = scores
    B, L, S = emissions.shape
    tags = torch.empty(B, L, dtype=torch.int64)
    best = torch.empty(B, dtype=torch.float64)
    packed = torch.empty(B, L if S <= 256 else 0, dtype=torch.uint8)
    function = kernel("best_paths", emissions.dtype)
    places = (
        emissions.data_ptr(), transitions.data_ptr(), start.data_ptr(), end.data_ptr(),
        _place(mask), tags.data_ptr(), best.data_ptr(), packed.data_ptr(),
    )  # fmt: skip
    options = layout.MASK if mask is not None else 0
    doubles, integers = layout.doubles(L, S), layout.integers(B, L)

    def part(first: int, stride: int) -> tuple[int, Tensor]:
        memory = torch.empty(doubles, dtype=torch.float64)
        whole = torch.empty(integers, dtype=torch.int64)
        status = function(
            *places, memory.data_ptr(), whole.data_ptr(), B, L, S, options, first, stride
        )
        return status, whole

    parts = over_groups(part, B, B * L * S * S)
    status = 0
    for other, _ in parts:
        status |= other
    return status, tags, best, packed if pack and S <= 256 else None, parts[0][1][:B]


def sample(scores: Scores, mask: Tensor, uniforms: Tensor) -> Tensor:
    """The kernel `sampling`; see there."""
    emissions, transitions, start, end = scores
    B, L, S = emissions.shape
    n = len(uniforms)
    tags = torch.full(uniforms.shape, -1)
    function = kernel("sampling", emissions.dtype)
    places = (
        emissions.data_ptr(), transitions.data_ptr(), start.data_ptr(), end.data_ptr(),
        mask.data_ptr(), uniforms.data_ptr(), tags.data_ptr(),
    )  # fmt: skip

    def part(first: int, stride: int) -> int:
        memory = torch.empty(layout.doubles(L, S), dtype=torch.float64)
        whole = torch.empty(layout.integers(B, L), dtype=torch.int64)
        return function(*places, memory.data_ptr(), whole.data_ptr(), B, L, S, n, first, stride)

    over_groups(part, B, B * L * S * (S + n))
    return tags
