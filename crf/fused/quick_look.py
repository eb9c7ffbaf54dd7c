"""The quick look at the scores of a chain: is there neither nan nor +∞ among them?"""

from .compiler import jit
from .scaled import INFINITY


@jit
def _below(scores, n):
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
    valid = _below(start, S) & _below(end, S)
    return valid & _below(transitions, S * S) & _below(emissions, cells * S)
