"""numpy, a loop over time, whole columns at once."""

import numpy as np


def logsumexp(x, axis=None):
    top = np.max(x, axis=axis, keepdims=True)
    safe = np.where(np.isinf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.log(np.sum(np.exp(x - safe), axis=axis)) + np.squeeze(safe, axis=axis)


def score(emissions, tags, transitions, start, end):
    m = len(tags)
    s = start[tags[0]] + emissions[np.arange(m), tags].sum()
    s = s + transitions[tags[:-1], tags[1:]].sum()
    return s + end[tags[-1]]


def forward(emissions, transitions, start, end):
    m, n = emissions.shape
    alpha = np.zeros((m, n))
    alpha[0] = start + emissions[0]
    for t in range(1, m):
        table = alpha[t - 1][:, None] + transitions
        alpha[t] = logsumexp(table, axis=0) + emissions[t]
    return alpha


def backward(emissions, transitions, start, end):
    m, n = emissions.shape
    beta = np.zeros((m, n))
    beta[m - 1] = end
    for t in reversed(range(m - 1)):
        table = transitions + (emissions[t + 1] + beta[t + 1])[None, :]
        beta[t] = logsumexp(table, axis=1)
    return beta


def nll(emissions, tags, transitions, start, end):
    log_z = logsumexp(forward(emissions, transitions, start, end)[-1] + end, axis=0)
    return float(log_z - score(emissions, tags, transitions, start, end))


def viterbi(emissions, transitions, start, end):
    m, n = emissions.shape
    back = np.zeros((m, n), dtype=int)
    delta = start + emissions[0]
    for t in range(1, m):
        table = delta[:, None] + transitions
        back[t] = table.argmax(axis=0)
        delta = table.max(axis=0) + emissions[t]
    path = np.zeros(m, dtype=int)
    path[-1] = (delta + end).argmax()
    for t in range(m - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return path


def marginals(emissions, transitions, start, end):
    alpha = forward(emissions, transitions, start, end)
    beta = backward(emissions, transitions, start, end)
    log_z = logsumexp(alpha[-1] + end, axis=0)
    return np.exp(alpha + beta - log_z)


def gradients(emissions, tags, transitions, start, end):
    m, n = emissions.shape
    alpha = forward(emissions, transitions, start, end)
    beta = backward(emissions, transitions, start, end)
    log_z = logsumexp(alpha[-1] + end, axis=0)
    node = np.exp(alpha + beta - log_z)
    pairs = np.zeros((n, n))
    observed = np.zeros((n, n))
    for t in range(1, m):
        pairs += np.exp(
            alpha[t - 1][:, None] + transitions + (emissions[t] + beta[t])[None, :] - log_z
        )
        observed[tags[t - 1], tags[t]] += 1
    gold = np.eye(n)[tags]
    return node - gold, pairs - observed, node[0] - gold[0], node[-1] - gold[-1]
