"""Forward and backward in log space: slower than `scaled`, and right for every chain there is.

A column is kept relative to its own logsumexp; the increments are what was taken off, and add up to
log Z. Same arguments and results as in `scaled`.
"""

import numpy as np

from .columns import FINE, INFEASIBLE, NEG_INF
from .jit import jit


@jit()
def log_sum(rows, t, S):
    """logsumexp of rows[t, :S]."""
    top = NEG_INF
    for j in range(S):
        top = max(top, rows[t, j])
    if top == NEG_INF:
        return NEG_INF
    total = 0.0
    for j in range(S):
        total += np.exp(rows[t, j] - top)
    return top + np.log(total)


@jit()
def normalise(rows, t, S):
    """Take off the logsumexp of rows[t, :S], and return it; −∞, and nothing done, if all are −∞."""
    total = log_sum(rows, t, S)
    if total > NEG_INF:
        for j in range(S):
            rows[t, j] -= total
    return total


@jit()
def forward(scores, b, m, work):
    """Fill log α of the m tokens of row b, and what each adds to log Z (`end` comes last)."""
    S = len(scores.start)
    alphas, terms = work.alphas, work.pairs
    for t in range(m):
        for j in range(S):
            if t:
                for i in range(S):
                    terms[0, i] = alphas[t - 1, i] + scores.transitions[i, j]
                arriving = log_sum(terms, 0, S)
            else:
                arriving = np.float64(scores.start[j])
            alphas[t, j] = arriving + scores.emissions[b, work.cells[t], j]
        work.increments[t] = normalise(alphas, t, S)
        if work.increments[t] == NEG_INF:
            return INFEASIBLE
    for j in range(S):
        terms[0, j] = alphas[m - 1, j] + scores.end[j]
    work.increments[m] = log_sum(terms, 0, S)
    return FINE if work.increments[m] > NEG_INF else INFEASIBLE


@jit()
def backward(scores, b, m, work):
    """From what `forward` left: the marginals of the m tokens, and the sum of pair marginals."""
    S = len(scores.start)
    alphas, betas = work.alphas, work.marginals
    terms = np.empty((S, S))
    for i in range(S):
        for j in range(S):
            work.pairs[i, j] = 0.0
    for t in range(m - 1, -1, -1):
        if t == m - 1:
            for j in range(S):
                betas[t, j] = scores.end[j]
        else:
            for i in range(S):
                for j in range(S):
                    emission = scores.emissions[b, work.cells[t + 1], j]
                    terms[i, j] = scores.transitions[i, j] + (emission + betas[t + 1, j])
                betas[t, i] = log_sum(terms, i, S)
            _add_pairs(alphas, t, terms, S, work.pairs)
        normalise(betas, t, S)
    for t in range(m):
        for j in range(S):
            betas[t, j] += alphas[t, j]
        normalise(betas, t, S)
        for j in range(S):
            betas[t, j] = np.exp(betas[t, j])


@jit()
def _add_pairs(alphas, t, terms, S, pairs):
    """pairs += p(y_t = i, y_(t+1) = j) ∝ exp(log α_t(i) + terms[i, j])."""
    top = NEG_INF
    for i in range(S):
        for j in range(S):
            terms[i, j] += alphas[t, i]
            top = max(top, terms[i, j])
    total = 0.0
    for i in range(S):
        for j in range(S):
            terms[i, j] = np.exp(terms[i, j] - top)
            total += terms[i, j]
    for i in range(S):
        for j in range(S):
            pairs[i, j] += terms[i, j] / total
