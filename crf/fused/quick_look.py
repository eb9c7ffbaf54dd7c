"""The quick look at the scores of a chain: is there neither nan nor +∞ among them?"""

from .compiler import jit
from .layout import LANES
from .scaled import INFINITY
from .simd import load, spread, total, where_less


@jit
def below(scores, n):
    """Whether n scores are all below +∞."""
    bad, one, whole = spread(0.0), spread(1.0), n // LANES * LANES
    for k in range(0, whole, LANES):
        bad = where_less(load(scores, k), spread(INFINITY), bad, one)
    valid = total(bad) == 0.0
    for k in range(whole, n):
        valid &= scores[k] < INFINITY
    return valid


@jit
def quick_look(emissions, transitions, start, end, cells, steps, S):
    """Look at every score, those of masked cells too.

    Args:
        emissions: [cells, S] scores.
        transitions: [steps, S, S] scores.
        start: [S] scores.
        end: [S] scores.
        cells: B · L.
        steps: How many tables of transitions there are: one, or B (L − 1).
        S: How many tags.

    Returns:
        1 if all are below +∞, else 0.
    """
    valid = below(start, S) & below(end, S)
    return valid & below(transitions, steps * S * S) & below(emissions, cells * S)
