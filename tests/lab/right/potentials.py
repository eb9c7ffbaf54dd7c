"""α and β as plain products and sums of factors, for short sentences."""

import numpy as np

CHECK_WITH = {"space": "probability"}


def forward(emissions, transitions, start, end):
    psi, e = np.exp(transitions), np.exp(emissions)
    alpha = [np.exp(start) * e[0]]
    for t in range(1, len(e)):
        alpha.append(np.einsum("i,ij->j", alpha[-1], psi) * e[t])
    return np.array(alpha)


def backward(emissions, transitions, start, end):
    psi, e = np.exp(transitions), np.exp(emissions)
    beta = [np.exp(end)]
    for t in range(len(e) - 1, 0, -1):
        beta.append(np.einsum("ij,j->i", psi, e[t] * beta[-1]))
    return np.array(beta[::-1])
