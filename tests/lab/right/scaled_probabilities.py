"""Probability space; each column is divided by its sum, and the logs of the sums are added up."""

import itertools

import numpy as np


def _factors(emissions, transitions, start, end):
    return [np.exp(np.asarray(x, dtype=float)) for x in (emissions, transitions, start, end)]


def _scaled(emissions, transitions, start, end):
    e, t, s, _ = _factors(emissions, transitions, start, end)
    column, logs, columns, sums = s * e[0], 0.0, [], []
    for k in range(len(e)):
        if k:
            column = (column @ t) * e[k]
        size = column.sum()
        column = column / size
        logs += np.log(size)
        columns.append(column)
        sums.append(logs)
    return np.array(columns), np.array(sums)


def forward(emissions, transitions, start, end):
    columns, sums = _scaled(emissions, transitions, start, end)
    with np.errstate(divide="ignore"):
        return np.log(columns) + sums[:, None]


def nll(emissions, tags, transitions, start, end):
    columns, sums = _scaled(emissions, transitions, start, end)
    log_z = np.log(columns[-1] @ np.exp(end)) + sums[-1]
    return log_z - score(emissions, tags, transitions, start, end)


def score(emissions, tags, transitions, start, end):
    pairs = itertools.pairwise(tags)
    path = sum(transitions[i, j] for i, j in pairs) + sum(
        e[y] for e, y in zip(emissions, tags, strict=False)
    )
    return path + start[tags[0]] + end[tags[-1]]


def marginals(emissions, transitions, start, end):
    e, t, _, stop = _factors(emissions, transitions, start, end)
    columns, _ = _scaled(emissions, transitions, start, end)
    beta, out = stop / stop.max(), []
    for k in range(len(e) - 1, -1, -1):
        joint = columns[k] * beta
        out.append(joint / joint.sum())
        beta = t @ (e[k] * beta)
        beta = beta / beta.max()
    return np.array(out[::-1])
