"""Forward and backward in scaled probability space: products and sums, and one logarithm a token.

    α̂_t(s) = ψ_t(s) Σ_i α̂_(t-1)(i) exp(T(i, s)) / c_t,       c_t such that Σ_s α̂_t(s) = 1
    β̂_(t-1)(i) = Σ_s exp(T(i, s)) ψ_t(s) β̂_t(s) / c_t,        so that Σ_s α̂_t(s) β̂_t(s) = 1
    log Z = Σ_t log c_t + log Σ_s α̂_m(s) exp(end(s))

with ψ_t(s) = exp(e_t(s)), and maxima taken out of all scores before exp and added to log Z. Each
function says whether the range of a double sufficed; if not, `log_space` does the chain again.

Source: Rabiner (1989), "A tutorial on hidden Markov models", section V.A.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crf.fused.columns import (
    FINE,
    INFEASIBLE,
    LOWEST,
    NEG_INF,
    OUT_OF_RANGE,
    exponentiate,
    largest,
    multiply,
    rescale,
    sum_of_outer_products,
    table,
)
from crf.fused.jit import jit


class Factors(NamedTuple):
    """exp of the scores that all chains share, each less its maximum, padded with zeros."""

    transitions: NDArray[np.float64]  # [S, P]
    transposed: NDArray[np.float64]  # [S, P]
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
    out = table(rows, P)
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
    transposed = table(S, P)
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
        total = 0.0
        for j in range(P):
            arriving = alphas[t, j] if t else factors.start[0, j]
            value = arriving * psi[t, j]
            alphas[t, j] = value
            total += value
        if total == 0.0:
            return INFEASIBLE
        if rescale(alphas, t, 1 / total):
            return OUT_OF_RANGE
        work.scales[t] = total
        top = factors.transitions_top if t else factors.start_top
        work.increments[t] += np.log(total) + top
    total = 0.0
    for j in range(P):
        total += alphas[m - 1, j] * factors.end[0, j]
    if total == 0.0:
        return INFEASIBLE
    work.scales[m] = total
    work.increments[m] = np.log(total) + factors.end_top
    return FINE


@jit()
def backward(factors, m, work):
    """From what `forward` left: the marginals of the m tokens, and the sum of pair marginals.

    ψ_t becomes ψ_t β̂_t / c_t on the way, the weight of token t in the pairs that lead to it. β̂ of a
    tag that no prefix reaches could grow without bound, and counts for nothing: it is set to 0.
    """
    S, P = factors.transitions.shape
    alphas, psi, betas = work.alphas, work.psi, work.marginals
    for t in range(m - 1, -1, -1):
        if t < m - 1:
            multiply(psi, t + 1, factors.transposed, S, betas, t)
        total = 0.0
        for j in range(P):
            leaving = betas[t, j] if t < m - 1 else factors.end[0, j]
            value = leaving if alphas[t, j] > 0.0 else 0.0
            betas[t, j] = value
            total += value * alphas[t, j]
        if rescale(betas, t, 1 / total):
            return OUT_OF_RANGE
        factor = 1 / work.scales[t]
        for j in range(P):
            psi[t, j] *= betas[t, j] * factor
            betas[t, j] *= alphas[t, j]
    sum_of_outer_products(alphas, psi, m - 1, S, work.pairs)
    for i in range(S):
        for j in range(S):
            psi_ij = factors.transitions[i, j]
            work.pairs[i, j] = work.pairs[i, j] * psi_ij if psi_ij > 0.0 else 0.0
    return FINE
