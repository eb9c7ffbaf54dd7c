"""Forward and backward in log space, one chain at a time: slower, and right for every chain.

A column is kept relative to its own logsumexp; the increments are what was taken off, and add up to
log Z.
"""

from typing import Any, NamedTuple

from .compiler import jit
from .scaled import NEG_INF
from .simd import exp, log


class Memory(NamedTuple):
    """Scratch memory for one chain."""

    cells: Any  # [L] the cells of the tokens
    alphas: Any  # [L, S] log α, relative
    betas: Any  # [L, S] log β, relative; then the marginals
    increments: Any  # [L + 1]
    terms: Any  # [S, S]
    pairs: Any  # [S, S] the pair marginals, summed over the steps


@jit
def log_sum(rows, at, S):
    """logsumexp of rows[at : at + S]."""
    top = NEG_INF
    for j in range(S):
        top = max(top, rows[at + j])
    if top == NEG_INF:
        return NEG_INF
    total = 0.0
    for j in range(S):
        total += exp(rows[at + j] - top)
    return top + log(total)


@jit
def normalise(rows, at, S):
    """Take off the logsumexp of rows[at : at + S], and return it; nothing is done if it is −∞."""
    total = log_sum(rows, at, S)
    if total > NEG_INF:
        for j in range(S):
            rows[at + j] -= total
    return total


@jit
def forward(chains, m, memory):
    """Fill log α, and what each of the m tokens, and then `end`, adds to log Z; is that finite?"""
    S, alphas, terms = chains.S, memory.alphas, memory.terms
    for t in range(m):
        for j in range(S):
            if t:
                for i in range(S):
                    terms[i] = alphas[(t - 1) * S + i] + chains.transitions[i * S + j]
                arriving = log_sum(terms, 0, S)
            else:
                arriving = float(chains.start[j])
            alphas[t * S + j] = arriving + chains.emissions[memory.cells[t] * S + j]
        memory.increments[t] = normalise(alphas, t * S, S)
        if memory.increments[t] == NEG_INF:
            return False
    for j in range(S):
        terms[j] = alphas[(m - 1) * S + j] + chains.end[j]
    memory.increments[m] = log_sum(terms, 0, S)
    return memory.increments[m] > NEG_INF


@jit
def backward(chains, m, memory):
    """From what `forward` left: the marginals of the m tokens, and the sum of pair marginals."""
    S, alphas, betas, terms = chains.S, memory.alphas, memory.betas, memory.terms
    for k in range(S * S):
        memory.pairs[k] = 0.0
    for t in range(m - 1, -1, -1):
        if t == m - 1:
            for j in range(S):
                betas[t * S + j] = chains.end[j]
        else:
            for i in range(S):
                for j in range(S):
                    ahead = chains.emissions[memory.cells[t + 1] * S + j] + betas[(t + 1) * S + j]
                    terms[i * S + j] = chains.transitions[i * S + j] + ahead
                betas[t * S + i] = log_sum(terms, i * S, S)
            _add_pairs(alphas, t, terms, S, memory.pairs)
        normalise(betas, t * S, S)
    for t in range(m):
        for j in range(S):
            betas[t * S + j] += alphas[t * S + j]
        normalise(betas, t * S, S)
        for j in range(S):
            betas[t * S + j] = exp(betas[t * S + j])


@jit
def _add_pairs(alphas, t, terms, S, pairs):
    """pairs += p(y_t = i, y_(t+1) = j) ∝ exp(log α_t(i) + terms[i, j])."""
    top = NEG_INF
    for i in range(S):
        for j in range(S):
            terms[i * S + j] += alphas[t * S + i]
            top = max(top, terms[i * S + j])
    total = 0.0
    for k in range(S * S):
        terms[k] = exp(terms[k] - top)
        total += terms[k]
    for k in range(S * S):
        pairs[k] += terms[k] / total
