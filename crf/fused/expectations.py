"""log Z or log p(tags) of a batch, with all derivatives: what one thread does with its rows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import log_space, scaled
from .columns import FINE, INFEASIBLE, NEG_INF, OUT_OF_RANGE, padded, table, tokens_of
from .jit import jit


class Scores(NamedTuple):
    """What defines the chains; see `crf.potentials.Potentials`. Masked cells may hold anything."""

    emissions: NDArray[np.floating]  # [B, L, S]
    transitions: NDArray[np.floating]  # [S, S]
    start: NDArray[np.floating]  # [S]
    end: NDArray[np.floating]  # [S]
    mask: NDArray[np.bool_]  # [B, L]


class Work(NamedTuple):
    """One thread's scratch memory, for one chain at a time."""

    cells: NDArray[np.int64]  # [L] where the chain's tokens are
    increments: NDArray[np.float64]  # [L + 1] what each token, and then `end`, adds to log Z
    scales: NDArray[np.float64]  # [L + 1]
    alphas: NDArray[np.float64]  # [L, P]
    psi: NDArray[np.float64]  # [L, P]
    marginals: NDArray[np.float64]  # [L, P]
    pairs: NDArray[np.float64]  # [P, P] the pair marginals, summed over the steps


@jit()
def work_for(L, S):
    """Scratch memory for chains of up to L tokens; P is S rounded up to a multiple of eight."""
    P = padded(S)
    return Work(
        np.empty(L, np.int64),
        np.empty(L + 1),
        np.empty(L + 1),
        table(L, P),
        table(L, P),
        table(L, P),
        table(P, P),
    )


@jit()
def forward_backward(scores, factors, b, m, with_backward, work):
    """Fill `work` for row b, in scaled space, or in log space if that is not enough.

    Returns:
        FINE or INFEASIBLE.
    """
    status = scaled.forward(scores.emissions, factors, b, m, work)
    if status == FINE and with_backward:
        status = scaled.backward(factors, m, work)
    if status == OUT_OF_RANGE:
        status = log_space.forward(scores, b, m, work)
        if status == FINE and with_backward:
            log_space.backward(scores, b, m, work)
    return status


@jit()
def _log_prob(scores, b, m, tags, work):
    """score(tags) − log Z, token by token: what is large cancels before it is added up."""
    log_prob = -work.increments[m]
    for t in range(m):
        tag = tags[b, work.cells[t]]
        part = np.float64(scores.emissions[b, work.cells[t], tag])
        if t:
            part += scores.transitions[tags[b, work.cells[t - 1]], tag]
        else:
            part += scores.start[tag]
        if t == m - 1:
            part += scores.end[tag]
        log_prob += part - work.increments[t]
    return log_prob


@jit()
def _subtract_path(b, m, tags, work):
    """Expected counts become expected minus observed ones."""
    for t in range(m):
        tag = tags[b, work.cells[t]]
        work.marginals[t, tag] -= 1
        if t:
            work.pairs[tags[b, work.cells[t - 1]], tag] -= 1


@jit()
def _write(scores, b, m, sign, work, d_emissions, d_parameters):
    """Write the derivatives of row b; at a score of −∞ it is 0."""
    S = len(scores.start)
    for t in range(m):
        cell = work.cells[t]
        for j in range(S):
            value = sign * work.marginals[t, j]
            d_emissions[b, cell, j] = value if scores.emissions[b, cell, j] > NEG_INF else 0.0
    for i in range(S):
        for j in range(S):
            value = sign * work.pairs[i, j]
            d_parameters[b, i * S + j] = value if scores.transitions[i, j] > NEG_INF else 0.0
    for j in range(S):
        value = sign * work.marginals[0, j]
        d_parameters[b, S * S + j] = value if scores.start[j] > NEG_INF else 0.0
        value = sign * work.marginals[m - 1, j]
        d_parameters[b, S * S + S + j] = value if scores.end[j] > NEG_INF else 0.0


@jit()
def expectations(
    emissions, transitions, start, end, mask, tags, with_counts, values, d_emissions, d_parameters,
    first, stride,
):  # fmt: skip
    """log Z or log p(tags), and its derivatives, for every stride-th row from `first` on.

    Args:
        emissions: See `Scores`.
        transitions: See `Scores`.
        start: See `Scores`.
        end: See `Scores`.
        mask: See `Scores`.
        tags: [B, L] the path whose log-probability is wanted; [0, 0] for log Z.
        with_counts: Whether the derivatives are wanted.
        values: [B] filled, nats; −∞ for an infeasible chain (derivatives 0).
        d_emissions: [B, L, S] zeros, filled with the derivatives in the emissions.
        d_parameters: [B, S² + 2S] zeros, filled with those in transitions, start and end.
        first: The first row.
        stride: How many rows to the next.
    """
    B, L, S = emissions.shape
    scores = Scores(emissions, transitions, start, end, mask)
    work = work_for(L, S)
    factors = scaled.factors_of(scores, work.alphas.shape[1])
    for b in range(first, B, stride):
        m = tokens_of(mask, b, work.cells)
        values[b] = 0.0
        if m == 0:
            continue
        status = forward_backward(scores, factors, b, m, with_counts, work)
        if status == INFEASIBLE:
            values[b] = NEG_INF
            continue
        if tags.size:
            values[b] = _log_prob(scores, b, m, tags, work)
        else:
            for t in range(m + 1):
                values[b] += work.increments[t]
        if with_counts:
            if tags.size:
                _subtract_path(b, m, tags, work)
            _write(scores, b, m, -1.0 if tags.size else 1.0, work, d_emissions, d_parameters)
