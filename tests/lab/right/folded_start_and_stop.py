"""START and STOP are two more tags of one (S + 2) × (S + 2) table, read [to][from]."""

import torch

CHECK_WITH = {"transitions": "to-from"}


def _fold(transitions, start, end):
    n = len(start)
    table = torch.full((n + 2, n + 2), -torch.inf, dtype=torch.float64)
    table[:n, :n] = transitions
    table[:n, n] = start
    table[n + 1, :n] = end
    return table


def _log_sum_exp(row):
    best = row.max()
    return best if torch.isinf(best) else best + (row - best).exp().sum().log()


def _forward_variables(emissions, transitions, start, end):
    n = len(start)
    table = _fold(transitions, start, end)
    variables = torch.full((n + 2,), -torch.inf, dtype=torch.float64)
    variables[n] = 0.0
    history = []
    for feature in emissions:
        scores = []
        for tag in range(n):
            scores.append(_log_sum_exp(variables + table[tag]) + feature[tag])
        variables = torch.stack([*scores, *torch.full((2,), -torch.inf, dtype=torch.float64)])
        history.append(variables[:n])
    return history, _log_sum_exp(variables + table[n + 1])


def forward(emissions, transitions, start, end):
    return torch.stack(_forward_variables(emissions, transitions, start, end)[0])


def score(emissions, tags, transitions, start, end):
    n, table = len(start), _fold(transitions, start, end)
    previous, total = n, torch.zeros((), dtype=torch.float64)
    for feature, tag in zip(emissions, tags.tolist(), strict=False):
        total = total + table[tag, previous] + feature[tag]
        previous = tag
    return total + table[n + 1, previous]


def viterbi(emissions, transitions, start, end):
    n, table = len(start), _fold(transitions, start, end)
    best, pointers = table[:n, n], []
    for t, feature in enumerate(emissions):
        if t:
            choices = best[None, :] + table[:n, :n]
            pointers.append(choices.argmax(1).tolist())
            best = choices.max(1).values
        best = best + feature
    tag = int((best + table[n + 1, :n]).argmax())
    path = [tag]
    for row in reversed(pointers):
        tag = row[tag]
        path.insert(0, tag)
    return path, (best + table[n + 1, :n]).max()
