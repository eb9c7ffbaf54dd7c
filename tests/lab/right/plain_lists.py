"""Lists and loops, as a first homework is written."""

import math


def log_sum_exp(xs):
    biggest = max(xs)
    if biggest == -math.inf:
        return -math.inf
    return biggest + math.log(sum(math.exp(x - biggest) for x in xs))


def score(emissions, tags, transitions, start, end):
    total = start[tags[0]] + emissions[0][tags[0]]
    for t in range(1, len(tags)):
        total += transitions[tags[t - 1]][tags[t]]
        total += emissions[t][tags[t]]
    return total + end[tags[-1]]


def forward(emissions, transitions, start, end):
    n = len(start)
    alpha = [[start[s] + emissions[0][s] for s in range(n)]]
    for t in range(1, len(emissions)):
        row = []
        for s in range(n):
            arriving = [alpha[t - 1][p] + transitions[p][s] for p in range(n)]
            row.append(log_sum_exp(arriving) + emissions[t][s])
        alpha.append(row)
    return alpha


def log_z(emissions, transitions, start, end):
    last = forward(emissions, transitions, start, end)[-1]
    return log_sum_exp([a + b for a, b in zip(last, end, strict=False)])


def nll(emissions, tags, transitions, start, end):
    return log_z(emissions, transitions, start, end) - score(
        emissions, tags, transitions, start, end
    )


def viterbi(emissions, transitions, start, end):
    n = len(start)
    delta = [start[s] + emissions[0][s] for s in range(n)]
    pointers = []
    for t in range(1, len(emissions)):
        new, back = [], []
        for s in range(n):
            arriving = [delta[p] + transitions[p][s] for p in range(n)]
            best = arriving.index(max(arriving))
            back.append(best)
            new.append(arriving[best] + emissions[t][s])
        delta = new
        pointers.append(back)
    final = [delta[s] + end[s] for s in range(n)]
    path = [final.index(max(final))]
    for back in reversed(pointers):
        path.append(back[path[-1]])
    return path[::-1]


def backward(emissions, transitions, start, end):
    n, m = len(start), len(emissions)
    beta = [None] * m
    beta[m - 1] = list(end)
    for t in range(m - 2, -1, -1):
        beta[t] = [
            log_sum_exp(
                [transitions[s][q] + emissions[t + 1][q] + beta[t + 1][q] for q in range(n)]
            )
            for s in range(n)
        ]
    return beta


def marginals(emissions, transitions, start, end):
    a = forward(emissions, transitions, start, end)
    b = backward(emissions, transitions, start, end)
    z = log_z(emissions, transitions, start, end)
    return [
        [math.exp(x + y - z) for x, y in zip(p, q, strict=False)]
        for p, q in zip(a, b, strict=False)
    ]


def gradients(emissions, tags, transitions, start, end):
    n, m = len(start), len(emissions)
    a = forward(emissions, transitions, start, end)
    b = backward(emissions, transitions, start, end)
    z = log_z(emissions, transitions, start, end)
    d_emissions = marginals(emissions, transitions, start, end)
    d_start, d_end = list(d_emissions[0]), list(d_emissions[-1])
    for t in range(m):
        d_emissions[t][tags[t]] -= 1
    d_start[tags[0]] -= 1
    d_end[tags[-1]] -= 1
    d_transitions = [[0.0] * n for _ in range(n)]
    for t in range(1, m):
        for i in range(n):
            for j in range(n):
                pair = a[t - 1][i] + transitions[i][j] + emissions[t][j] + b[t][j] - z
                d_transitions[i][j] += math.exp(pair)
        d_transitions[tags[t - 1]][tags[t]] -= 1
    return d_emissions, d_transitions, d_start, d_end
