"""Messages between neighbouring tags: m − 1 columns, the emission of the next tag not in them."""

import numpy as np

CHECK_WITH = {"form": "message"}


def forward(emissions, transitions, start, end):
    before, columns = start, []
    for t in range(len(emissions) - 1):
        joint = (before + emissions[t])[:, None] + transitions
        before = np.logaddexp.reduce(joint, axis=0)
        columns.append(before)
    return columns


def backward(emissions, transitions, start, end):
    after, columns = end, []
    for t in range(len(emissions) - 1, 0, -1):
        joint = transitions + (emissions[t] + after)[None, :]
        after = np.logaddexp.reduce(joint, axis=1)
        columns.append(after)
    return columns[::-1]
