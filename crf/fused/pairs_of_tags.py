"""Pair marginals of each chain: one thread's share."""

from . import scaled
from .compiler import jit
from .groups import gather, lists_in, longest_first, spare
from .layout import BLOCK, LANES, MASK
from .scaled import Chains
from .simd import shift, spread, store


@jit
def _write(chains, factors, t, lane, work, pairs):
    """α_(t-1)(i) exp(T(i, j)) ψ_t(j) β_t(j) / c of the chain in a lane: [S, S]."""
    S, Q = chains.S, chains.Q
    alphas = shift(work.alphas, (t - 1) * Q * LANES + lane)
    ahead = shift(work.psi, t * Q * LANES + lane)
    for first in range(0, S, BLOCK):
        for i in range(S):
            for j in range(first, min(first + BLOCK, S)):
                factor = alphas[i * LANES] * factors.transitions[scaled.place(i, j, S)]
                pairs[i * S + j] = factor * ahead[j * LANES]


@jit
def pairs_of_tags(
    emissions, transitions, start, end, mask, pairs, done, scratch, integers,
    B, L, S, options, first, stride,
):  # fmt: skip
    """The pair marginals of every stride-th group of chains from `first` on.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values; unused without `MASK`.
        pairs: [B, L - 1, S, S] zeros before; filled at the cells that have a token before them.
        done: [B] filled: 1, or 0 where the range of a double does not suffice.
        scratch: Doubles; see `layout.doubles`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        options: See `layout`.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        0.
    """
    Q = (S + BLOCK - 1) // BLOCK * BLOCK
    chains = Chains(emissions, transitions, start, end, B, L, S, Q)
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    work, rest = scaled.work_in(scratch, cells, L, Q)
    lasts = rest
    factors = scaled.factors_of(chains, shift(rest, LANES))
    longest_first(mask, options & MASK != 0, B, L, lengths, order, spare(cells, L))
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, options & MASK != 0, group, B, L, lengths, order, lane_lengths, cells)
        scaled.forward(chains, factors, M, work)
        for lane in range(LANES):
            m, lasts[lane] = lane_lengths[lane], 0.0
            if m and factors.in_range and work.flags[lane] == 0.0:
                lasts[lane] = scaled.last_sum(chains, factors, lane, m, work)
        scaled.clear(chains, work)
        low = spread(1.0)
        for t in range(M - 1, -1, -1):
            low = scaled.back_to(chains, factors, t, M, lane_lengths, lasts, spread(1.0), low, work)
            if t < M - 1:
                for lane in range(LANES):
                    if lane_lengths[lane] > t + 1 and lasts[lane] > 0.0:
                        cell = cells[lane * L + t + 1]
                        at = (cell // L * (L - 1) + cell % L - 1) * S * S
                        _write(chains, factors, t + 1, lane, work, shift(pairs, at))
        store(low, work.flags, 0)
        for lane in range(LANES):
            if group + lane < B:
                fine = lasts[lane] > 0.0 and work.flags[lane] >= scaled.SMALLEST
                done[order[group + lane]] = fine or lane_lengths[lane] == 0
    return 0
