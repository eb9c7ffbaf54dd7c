"""The quick look at the scores of a chain: is there neither nan nor +∞ among them?"""

from .compiler import jit
from .layout import LANES
from .scaled import INFINITY
from .simd import load, spread, total


@jit
def below(scores, n):
    """Whether n scores are all below +∞.

    Their sum is: nan and +∞ stay in it, −∞ does no harm, and +∞ − ∞ is nan. Of doubles near 1e308
    it may say no though all are. Two sums take turns, so that neither waits for itself.
    """
    a, b, whole = spread(0.0), spread(0.0), n // (2 * LANES) * (2 * LANES)
    for k in range(0, whole, 2 * LANES):
        a += load(scores, k)
        b += load(scores, k + LANES)
    sum_ = total(a + b)
    for k in range(whole, n):
        sum_ += scores[k]
    return sum_ < INFINITY


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
