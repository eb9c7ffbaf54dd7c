"""One table of factors for each step: transition and emission in one, start and end folded in."""

import numpy as np

CHECK_WITH = {"form": "pair"}


def _tables(emissions, transitions, start, end):
    m, _n = emissions.shape
    first = start + emissions[0]
    steps = [transitions + emissions[t][None, :] for t in range(1, m)]
    if steps:
        steps[-1] = steps[-1] + end[None, :]
    else:
        first = first + end
    return first, steps


def forward(emissions, transitions, start, end):
    first, steps = _tables(emissions, transitions, start, end)
    columns = [first]
    for table in steps:
        columns.append(np.logaddexp.reduce(columns[-1][:, None] + table, axis=0))
    return np.stack(columns)


def backward(emissions, transitions, start, end):
    _, steps = _tables(emissions, transitions, start, end)
    columns = [np.zeros(emissions.shape[1])]
    for table in reversed(steps):
        columns.append(np.logaddexp.reduce(table + columns[-1][None, :], axis=1))
    return np.stack(columns[::-1])
