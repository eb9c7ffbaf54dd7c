"""What kernels and their callers agree on: sizes, options, and what a kernel reports.

Eight chains go together, lane by lane: a column of S numbers takes S rows of eight. S is rounded up
to Q, a multiple of four, the columns of a matrix product that are summed at once.
"""

LANES = 8
BLOCK = 4

# Options of a kernel, added up: which of its pointers are used.
MASK, TAGS, COUNTS, WEIGHTS, VALUES, RESULTS, PER_TOKEN = 1, 2, 4, 8, 16, 32, 64
# What it reports, added up.
BAD_SCORE, BAD_TAG, NO_PATH = 1, 2, 4


def rounded(S: int) -> int:
    """S rounded up to a multiple of `BLOCK`."""
    return (S + BLOCK - 1) // BLOCK * BLOCK


def doubles(L: int, S: int) -> int:
    """How many doubles of scratch memory one thread needs for `expectations`."""
    Q = rounded(S) + LANES - BLOCK  # `best_paths` may round up to eight
    work = 2 * L * Q * LANES + 3 * L * LANES + 2 * Q * LANES + 2 * LANES
    return work + 3 * LANES + 3 * Q * Q + 2 * Q + 2 * S * S + L + 1 + LANES


def integers(B: int, L: int) -> int:
    """How many 64-bit integers it needs besides."""
    return 2 * B + 2 * LANES + LANES * L + L + 2
