"""Samples of each chain, drawn backwards from α: what one thread does with its rows.

Source: Frühwirth-Schnatter (1994), "Data augmentation and dynamic linear models".
"""

import numpy as np

from . import log_space, scaled
from .columns import OUT_OF_RANGE, tokens_of
from .expectations import Scores, work_for
from .jit import jit


@jit()
def _draw(weights, uniform):
    """The tag whose share of the weights, laid end to end, `uniform` in [0, 1) falls into."""
    left = uniform * weights.sum()
    tag = -1
    for j in range(len(weights)):
        if weights[j] > 0.0:  # the last such tag takes what rounding leaves over
            tag = j
            left -= weights[j]
            if left < 0.0:
                break
    return tag


@jit()
def _exponentiate(weights):
    """From log-weights to weights, the largest being 1."""
    top = weights.max()
    for j in range(len(weights)):
        weights[j] = np.exp(weights[j] - top)


@jit()
def sample(emissions, transitions, start, end, mask, uniforms, tags, first, stride):
    """Draw paths for every stride-th row from `first` on; each must be feasible.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] bool.
        uniforms: [n, B, L] random numbers in [0, 1).
        tags: [n, B, L] all −1 before, filled.
        first: The first row.
        stride: How many rows to the next.
    """
    B, L, S = emissions.shape
    n = len(uniforms)
    scores = Scores(emissions, transitions, start, end, mask)
    work = work_for(L, S)
    factors = scaled.factors_of(scores, work.alphas.shape[1])
    weights = np.empty(S)
    for b in range(first, B, stride):
        m = tokens_of(mask, b, work.cells)
        in_logs = m > 0 and scaled.forward(emissions, factors, b, m, work) == OUT_OF_RANGE
        if in_logs:
            log_space.forward(scores, b, m, work)
        for k in range(n):
            tag = 0
            for t in range(m - 1, -1, -1):
                for i in range(S):
                    if in_logs:
                        step = np.float64(transitions[i, tag] if t < m - 1 else end[i])
                        weights[i] = work.alphas[t, i] + step
                    else:
                        step = factors.transitions[i, tag] if t < m - 1 else factors.end[0, i]
                        weights[i] = work.alphas[t, i] * step
                if in_logs:
                    _exponentiate(weights)
                cell = work.cells[t]
                tag = _draw(weights, uniforms[k, b, cell])
                tags[k, b, cell] = tag
