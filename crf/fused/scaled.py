"""Forward and backward in scaled probability space: products and sums, and one logarithm a token.

    α̂_t(s) = ψ_t(s) Σ_i α̂_(t-1)(i) exp(T(i, s)) / c_t
    β̂_(t-1)(i) = Σ_s exp(T(i, s)) ψ_t(s) β̂_t(s) / c_t,        so that Σ_s α̂_t(s) β̂_t(s) = 1
    log Z = Σ_t log c_t + log Σ_s α̂_m(s) exp(end(s))

with ψ_t(s) = exp(e_t(s)), and maxima taken out of all scores before exp and added to log Z. The
scale c_t is 1, until the sum of α̂_t gets light or heavy: then it is that sum. Each function says
whether the range of a double sufficed; if not, `log_space` does the chain again.

Source: Rabiner (1989), "A tutorial on hidden Markov models", section V.A.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .columns import (
    FINE,
    INFEASIBLE,
    LOWEST,
    NEG_INF,
    OUT_OF_RANGE,
    copy,
    exponentiate,
    largest,
    multiply,
    multiply_by,
    rescale,
    sum_of_outer_products,
    table,
    too_small,
    zero_where_zero,
)
from .jit import jit

LIGHT, HEAVY = 1e-16, 1e4
STEPS_TO_ROUND = 64  # after so many, the marginals' sum is made 1 again


class Factors(NamedTuple):
    """exp of the scores that all chains share, each less its maximum, padded with zeros."""

    transitions: NDArray[np.float64]  # [S, P], S made even
    transposed: NDArray[np.float64]  # [S, P], S made even
    start: NDArray[np.float64]  # [1, P]
    end: NDArray[np.float64]  # [1, P]
    transitions_top: float
    start_top: float
    end_top: float
    in_range: bool


@jit()
def _exp_scores(scores, P):
    """exp(scores − their maximum); the maximum (0 if all are −∞); whether the range suffices."""
    rows, S = scores.shape
    out = table(rows + rows % 2, P)
    top = NEG_INF
    for i in range(rows):
        for j in range(S):
            top = max(top, np.float64(scores[i, j]))
    top = 0.0 if top == NEG_INF else top
    in_range = True
    for i in range(rows):
        for j in range(S):
            y = scores[i, j] - top
            in_range &= (y >= LOWEST) | (y == NEG_INF)
            out[i, j] = np.exp(y)
    return out, top, in_range


@jit()
def factors_of(scores, P):
    """The factors that belong to these scores."""
    S = len(scores.start)
    transitions, transitions_top, fine_1 = _exp_scores(scores.transitions, P)
    start, start_top, fine_2 = _exp_scores(scores.start.reshape(1, S), P)
    end, end_top, fine_3 = _exp_scores(scores.end.reshape(1, S), P)
    transposed = table(S + S % 2, P)
    for i in range(S):
        for j in range(S):
            transposed[j, i] = transitions[i, j]
    in_range = fine_1 and fine_2 and fine_3
    return Factors(
        transitions, transposed, start, end, transitions_top, start_top, end_top, in_range
    )


@jit()
def _local_factors(emissions, b, m, work):
    """psi[t, :] = exp(e_t − its maximum), increments[t] = the maximum, for all tokens of row b."""
    S, P = emissions.shape[2], work.psi.shape[1]
    out_of_range = 0
    for t in range(m):
        cell = work.cells[t]
        top = largest(emissions, b, cell)
        if top == NEG_INF:
            return INFEASIBLE
        work.increments[t] = top
        for j in range(S):
            y = emissions[b, cell, j] - top
            work.psi[t, j] = y
            out_of_range += (y < LOWEST) & (y > NEG_INF)
        for j in range(S, P):
            work.psi[t, j] = NEG_INF
    if out_of_range:
        return OUT_OF_RANGE
    exponentiate(work.psi.reshape(work.psi.size), m * P)
    return FINE


@jit()
def forward(emissions, factors, b, m, work):
    """Fill α̂, ψ and c for the m tokens of row b, and what each adds to log Z (`end` comes last)."""
    if not factors.in_range:
        return OUT_OF_RANGE
    status = _local_factors(emissions, b, m, work)
    if status != FINE:
        return status
    S, P = factors.transitions.shape
    alphas, psi = work.alphas, work.psi
    for t in range(m):
        if t:
            multiply(alphas, t - 1, factors.transitions, S, alphas, t)
        else:
            copy(factors.start, 0, alphas, 0)
        total = 0.0
        for j in range(P):
            value = alphas[t, j] * psi[t, j]
            alphas[t, j] = value
            total += value
        if total == 0.0:
            return OUT_OF_RANGE if too_small(alphas, t) else INFEASIBLE
        work.scales[t] = 1.0
        work.increments[t] += factors.transitions_top if t else factors.start_top
        if not LIGHT < total < HEAVY:
            rescale(alphas, t, 1 / total)
            work.scales[t] = total
            work.increments[t] += np.log(total)
    if too_small(alphas, m):
        return OUT_OF_RANGE
    total = 0.0
    for j in range(P):
        total += alphas[m - 1, j] * factors.end[0, j]
    work.increments[m] = np.log(total) + factors.end_top
    return FINE if total > 0.0 else INFEASIBLE


@jit()
def backward(factors, m, work):
    """From what `forward` left: the marginals of the m tokens, and the sum of pair marginals.

    ψ_t becomes ψ_t β̂_t / c_t on the way, the weight of token t in the pairs that lead to it. A tag
    that no prefix reaches counts for nothing, and its β̂ must not grow without bound: its ψ is 0.
    """
    S, P = factors.transitions.shape
    alphas, psi, betas = work.alphas, work.psi, work.marginals
    zero_where_zero(alphas, psi, m)
    copy(factors.end, 0, betas, m - 1)
    for t in range(m - 1, -1, -1):
        if t < m - 1:
            multiply(psi, t + 1, factors.transposed, S, betas, t)
        if (m - 1 - t) % STEPS_TO_ROUND == 0:
            total = 0.0
            for j in range(P):
                total += alphas[t, j] * betas[t, j]
            rescale(betas, t, 1 / total)
        factor = 1 / work.scales[t]
        for j in range(P):
            psi[t, j] *= betas[t, j] * factor
    zero_where_zero(alphas, betas, m)
    if too_small(betas, m):
        return OUT_OF_RANGE
    multiply_by(alphas, betas, m)
    sum_of_outer_products(alphas, psi, m - 1, S, work.pairs)
    for i in range(S):
        for j in range(S):
            psi_ij = factors.transitions[i, j]
            work.pairs[i, j] = work.pairs[i, j] * psi_ij if psi_ij > 0.0 else 0.0
    return FINE
