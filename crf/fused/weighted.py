"""The derivatives of each chain's own value, times what the chain counts for; in place."""

from .compiler import jit
from .layout import LANES
from .simd import scale, shift


@jit
def _scale(numbers, n, weight):
    """numbers[0 : n] *= weight."""
    whole = n // LANES * LANES
    for k in range(0, whole, LANES):
        scale(numbers, k, weight)
    for k in range(whole, n):
        numbers[k] *= weight


@jit
def weighted(weights, d_emissions, d_transitions, d_ends, d_start, d_end, B, L, S, first, stride):
    """Weigh every stride-th chain from `first` on; the first call also adds up what all share.

    Args:
        weights: [B].
        d_emissions: [B, L, S] overwritten.
        d_transitions: [B, L - 1, S, S] overwritten.
        d_ends: [B, 2 S] start and end.
        d_start: [S] filled with the weighted sum.
        d_end: [S] likewise.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        first: The first chain.
        stride: How many chains to the next.

    Returns:
        0.
    """
    cells, pairs = L * S, (L - 1) * S * S
    for b in range(first, B, stride):
        _scale(shift(d_emissions, b * cells), cells, weights[b])
        _scale(shift(d_transitions, b * pairs), pairs, weights[b])
    for j in range(S if first == 0 else 0):
        start, end = 0.0, 0.0
        for b in range(B):
            start += weights[b] * d_ends[b * 2 * S + j]
            end += weights[b] * d_ends[b * 2 * S + S + j]
        d_start[j], d_end[j] = start, end
    return 0
