"""Which chains go together, and where their tokens are."""

from .compiler import jit
from .layout import LANES
from .simd import shift


@jit
def lists_in(integers, B):
    """How long each chain is, their order, how long those in the lanes are, their tokens' cells."""
    return integers, shift(integers, B), shift(integers, 2 * B), shift(integers, 2 * B + LANES)


@jit
def spare(cells, L):
    """Integers that nothing has use for once the chains are in order; `take_column` has eight."""
    return shift(cells, LANES * L)


@jit
def longest_first(mask, masked, B, L, lengths, order, counts):
    """Count each chain's tokens, put the chains in order of length, and return all their tokens.

    Args:
        mask: [B, L] truth values.
        masked: Whether there is a mask.
        B: How many chains.
        L: How many cells.
        lengths: [B] filled.
        order: [B] filled with the chains' numbers, a counting sort.
        counts: [L + 2] scratch.
    """
    tokens = 0
    for m in range(L + 2):
        counts[m] = 0
    for b in range(B):
        m = L
        if masked:
            m = 0
            for t in range(L):
                m += mask[b * L + t] != 0
        lengths[b] = m
        tokens += m
        counts[L - m + 1] += 1
    for m in range(L + 1):
        counts[m + 1] += counts[m]
    for b in range(B):
        place = L - lengths[b]
        order[counts[place]] = b
        counts[place] += 1
    return tokens


@jit
def find_tokens(mask, masked, row, lane, L, cells):
    """cells[lane, t] = the cell of the row's token t, counted from [0, 0]; −1 after the last."""
    t = lane * L
    for cell in range(row * L, row * L + L):
        if not masked or mask[cell]:
            cells[t] = cell
            t += 1
    for rest in range(t, lane * L + L):
        cells[rest] = -1


@jit
def no_tokens(lane, L, cells):
    """A lane without a chain."""
    for t in range(lane * L, lane * L + L):
        cells[t] = -1


@jit
def clear_gaps(mask, masked, row, L, S, table):
    """table[row] = 0 at the cells that are no tokens; it is [B, L, S]."""
    if masked:
        for cell in range(row * L, row * L + L):
            if not mask[cell]:
                for j in range(cell * S, cell * S + S):
                    table[j] = 0


@jit
def gather(mask, masked, group, B, L, lengths, order, lane_lengths, cells):
    """Find the tokens of the group's chains, a lane each; the longest chain is the first."""
    for lane in range(LANES):
        lane_lengths[lane] = 0
        if group + lane < B:
            row = order[group + lane]
            lane_lengths[lane] = lengths[row]
            find_tokens(mask, masked, row, lane, L, cells)
        else:
            no_tokens(lane, L, cells)
    return lane_lengths[0]
