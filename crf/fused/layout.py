"""What kernels and their callers agree on: sizes, options, and what a kernel reports.

Eight chains go together, lane by lane: a column of S numbers takes S rows of eight. S is rounded up
to Q, a multiple of four, the columns of a matrix product that are summed at once.
"""

from functools import lru_cache

LANES = 8
BLOCK = 4
FEW = 2  # so many chains are decoded one after another: they would not fill the lanes
MANY = 512  # so many tags' best paths are found by rows: the table would be far from the processor
STRIP = 64  # columns at a time there; at most `MANY`

# Options of a kernel, added up: which of its pointers are used.
MASK, TAGS, COUNTS, WEIGHTS, VALUES, RESULTS, PER_TOKEN, PACKED = 1, 2, 4, 8, 16, 32, 64, 128
RATIO, SAME = 256, 512
# What it reports, added up.
BAD_SCORE, BAD_TAG, NO_PATH, OUT_OF_RANGE = 1, 2, 4, 8


def rounded(S: int) -> int:
    """S rounded up to a multiple of `BLOCK`."""
    return (S + BLOCK - 1) // BLOCK * BLOCK


def doubles(L: int, S: int) -> int:
    """How many doubles of scratch memory one thread needs for `expectations`."""
    Q = rounded(S)
    work = 2 * L * Q * LANES + 3 * L * LANES + 2 * Q * LANES + 2 * LANES
    return work + 3 * LANES + 3 * Q * Q + 2 * Q + 2 * S * S + L + 1 + 2 * LANES


@lru_cache(1024)
def doubles_of_paths(B: int, L: int, S: int) -> int:
    """How many `best_paths` needs."""
    unit, lanes = (LANES, 1) if B <= FEW else (BLOCK, LANES)
    Q = (S + unit - 1) // unit * unit
    table = S * Q if S < MANY else LANES * (STRIP + S // LANES + 1)
    return table + (L + 1) * Q * lanes + LANES


def doubles_of_divergence(L: int, S: int) -> int:
    """How many `divergence` needs: for two chains what `expectations` needs for one, and more."""
    Q = rounded(S)
    return 2 * doubles(L, S) + 4 * Q * LANES + Q * Q


def doubles_of_covariances(L: int, S: int) -> int:
    """How many `covariances` needs."""
    Q = rounded(S)
    return doubles(L, S) + 2 * L * Q * LANES + 2 * Q * LANES + 5 * Q * Q


def doubles_step_by_step(L: int, S: int, matrices: int) -> int:
    """How many `step_by_step` needs: L matrices, or 2 with `SAME`, and more."""
    P = (S + LANES - 1) // LANES * LANES
    return matrices * (S * S + 2 * LANES) + 2 * L * P + 2 * L + 3 * P + 2 * LANES


@lru_cache(1024)
def integers(B: int, L: int) -> int:
    """How many 64-bit integers it needs besides."""
    return 2 * B + LANES + LANES * L + max(L + 2, 3 * LANES)
