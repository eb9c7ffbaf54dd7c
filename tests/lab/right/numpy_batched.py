"""numpy, a batch with a mask, the rows that have ended left alone."""

import numpy as np


def forward(emissions, transitions, start, end, mask):
    _B, L, _S = emissions.shape
    alpha = np.empty_like(emissions)
    alpha[:, 0] = start + emissions[:, 0]
    for t in range(1, L):
        alpha[:, t] = alpha[:, t - 1]
        on = mask[:, t]
        joint = alpha[on, t - 1, :, None] + transitions[None]
        alpha[on, t] = np.logaddexp.reduce(joint, axis=1) + emissions[on, t]
    return alpha


def nll(emissions, tags, transitions, start, end, mask):
    log_z = np.logaddexp.reduce(
        forward(emissions, transitions, start, end, mask)[:, -1] + end, axis=1
    )
    losses = []
    for b in range(len(emissions)):
        on = np.flatnonzero(mask[b])
        y = tags[b, on]
        path = emissions[b, on, y].sum() + transitions[y[:-1], y[1:]].sum()
        losses.append(log_z[b] - path - start[y[0]] - end[y[-1]])
    return losses


def viterbi(emissions, transitions, start, end, mask):
    paths = []
    for e, m in zip(emissions, mask, strict=False):
        e = e[m]
        delta, pointers = start + e[0], []
        for row in e[1:]:
            joint = delta[:, None] + transitions
            pointers.append(joint.argmax(0))
            delta = joint.max(0) + row
        path = [int((delta + end).argmax())]
        for pointer in pointers[::-1]:
            path.append(int(pointer[path[-1]]))
        paths.append(path[::-1])
    return paths
