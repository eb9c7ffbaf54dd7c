"""Best paths: the max recursion and the way back, what one thread does with its rows.

The sums are those of `crf.decoding`, in the same order, so scores and ties agree bit for bit.
"""

import numpy as np

from .columns import NEG_INF, best_predecessors, padded, table, tokens_of
from .jit import jit


@jit(fastmath=False)
def _last_tag(deltas, t, end):
    """The lowest tag that maximises δ_t + end, and the maximum."""
    best, score = 0, NEG_INF
    for j in range(len(end)):
        candidate = deltas[t, j] + end[j]
        if candidate > score:
            best, score = j, candidate
    return best, score


@jit(fastmath=False)
def _write_tables(b, m, cells, deltas, origins, log_deltas, backpointers):
    """Copy the columns of the m tokens to their cells; 0 and −1 at cells outside the chain."""
    _, L, S = log_deltas.shape
    k = 0
    for t in range(L):
        inside = k < m and cells[k] == t
        for j in range(S):
            log_deltas[b, t, j] = deltas[k, j] if inside else 0.0
        for j in range(S):
            backpointers[b, t, j] = origins[k, j] if inside else -1
        k += inside


@jit(fastmath=False)
def viterbi(
    emissions, transitions, start, end, mask, tags, scores, log_deltas, backpointers, first, stride
):
    """Decode every stride-th row from `first` on.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] bool.
        tags: [B, L] filled with the best path; −1 at masked cells and where no path is allowed.
        scores: [B] filled with its score, −∞ if no path is allowed.
        log_deltas: [B, L, S] filled; [0, 0, 0] if not wanted.
        backpointers: [B, L, S] filled; [0, 0, 0] if not wanted.
        first: The first row.
        stride: How many rows to the next.
    """
    B, L, S = emissions.shape
    P = padded(S)
    deltas, cells = table(L + 1, P), np.empty(L, np.int64)
    origins = np.full((L + 1, P), -1)
    into = table(S, P, NEG_INF)
    for i in range(S):
        for j in range(S):
            into[i, j] = transitions[i, j]
    for b in range(first, B, stride):
        for t in range(L):
            tags[b, t] = -1
        scores[b] = 0.0
        m = tokens_of(mask, b, cells)
        if m:
            for j in range(S):
                deltas[0, j] = np.float64(start[j]) + emissions[b, cells[0], j]
            for t in range(1, m):
                best_predecessors(deltas, t - 1, into, S, deltas, origins)
                for j in range(S):
                    deltas[t, j] += emissions[b, cells[t], j]
            tag, scores[b] = _last_tag(deltas, m - 1, end)
            if scores[b] > NEG_INF:
                tags[b, cells[m - 1]] = tag
                for t in range(m - 1, 0, -1):
                    tag = origins[t, tag]
                    tags[b, cells[t - 1]] = tag
        if log_deltas.size:
            _write_tables(b, m, cells, deltas, origins, log_deltas, backpointers)
