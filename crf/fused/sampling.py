"""Samples of each chain, drawn backwards from α: one thread's share.

Source: Frühwirth-Schnatter (1994), "Data augmentation and dynamic linear models".
"""

from . import log_space, scaled
from .compiler import jit
from .groups import gather, lists_in, longest_first, spare
from .layout import BLOCK, LANES
from .scaled import NEG_INF, Chains
from .simd import exp, shift


@jit
def _draw(weights, S, uniform):
    """The tag whose share of the weights, laid end to end, `uniform` in [0, 1) falls into."""
    left = 0.0
    for j in range(S):
        left += weights[j]
    left *= uniform
    tag = -1
    for j in range(S):
        if weights[j] > 0.0 and left >= 0.0:  # the last such tag takes what rounding leaves over
            tag = j
            left -= weights[j]
    return tag


@jit
def _exponentiate(weights, S):
    """From log-weights to weights, the largest being 1."""
    top = NEG_INF
    for j in range(S):
        top = max(top, weights[j])
    for j in range(S):
        weights[j] = exp(weights[j] - top)


@jit
def sampling(
    emissions, transitions, start, end, mask, uniforms, tags, scratch, integers,
    B, L, S, n, first, stride,
):  # fmt: skip
    """Draw paths for every stride-th group of chains from `first` on; each must be feasible.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values.
        uniforms: [n, B, L] random numbers in [0, 1).
        tags: [n, B, L] all −1 before, filled.
        scratch: Doubles; see `layout.doubles`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        n: How many samples of each.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        0.
    """
    Q = (S + BLOCK - 1) // BLOCK * BLOCK
    chains = Chains(emissions, transitions, start, end, B, L, S, Q)
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    work, rest = scaled.work_in(scratch, cells, L, Q)
    lasts, weights, terms = rest, shift(rest, LANES), shift(rest, LANES + S)
    increments = shift(terms, S * S)
    factors = scaled.factors_of(chains, shift(increments, L + 1))
    longest_first(mask, True, B, L, lengths, order, spare(cells, L))
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, True, group, B, L, lengths, order, lane_lengths, cells)
        scaled.forward(chains, factors, M, work)
        for lane in range(LANES):
            m, lasts[lane] = lane_lengths[lane], 0.0
            if m and factors.in_range and work.flags[lane] == 0.0:
                lasts[lane] = scaled.last_sum(chains, factors, lane, m, work)
        for in_logs in range(2):  # those in log space come last: their α takes the others' place
            for lane in range(LANES):
                m = lane_lengths[lane]
                if m and (lasts[lane] == 0.0) == (in_logs != 0):
                    row_cells = shift(cells, lane * L)
                    memory = log_space.Memory(
                        row_cells, work.psi, work.alphas, increments, terms, terms
                    )
                    if in_logs:
                        log_space.forward(chains, m, memory)
                    for k in range(n):
                        tag = 0
                        for t in range(m - 1, -1, -1):
                            for i in range(S):
                                if in_logs:
                                    step = transitions[i * S + tag] if t < m - 1 else end[i]
                                    weights[i] = work.psi[t * S + i] + step
                                else:
                                    alpha = work.alphas[(t * Q + i) * LANES + lane]
                                    of_tag = factors.transposed[scaled.place(tag, i, S)]
                                    weights[i] = alpha * (of_tag if t < m - 1 else factors.end[i])
                            if in_logs:
                                _exponentiate(weights, S)
                            cell = row_cells[t]
                            tag = _draw(weights, S, uniforms[k * B * L + cell])
                            tags[k * B * L + cell] = tag
    return 0
