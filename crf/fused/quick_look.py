"""The quick look at the scores of a chain: is there neither nan nor +∞ among them?"""

from .compiler import jit
from .scaled import INFINITY


@jit
def below(scores, n):
    """Whether n scores are all below +∞."""
    valid = True
    for k in range(n):
        valid &= scores[k] < INFINITY
    return valid


@jit
def quick_look(emissions, transitions, start, end, cells, S):
    """Look at every score, those of masked cells too.

    Args:
        emissions: [cells, S] scores.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        cells: B · L.
        S: How many tags.

    Returns:
        1 if all are below +∞, else 0.
    """
    valid = below(start, S) & below(end, S)
    return valid & below(transitions, S * S) & below(emissions, cells * S)
