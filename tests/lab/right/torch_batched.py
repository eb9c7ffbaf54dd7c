"""torch, a whole batch with a mask."""

import torch


def score(emissions, tags, transitions, start, end, mask):
    B, L, _S = emissions.shape
    rows = torch.arange(B)
    total = start[tags[:, 0]] + emissions[rows, 0, tags[:, 0]]
    last = tags[:, 0]
    for t in range(1, L):
        step = transitions[last, tags[:, t]] + emissions[rows, t, tags[:, t]]
        total = torch.where(mask[:, t], total + step, total)
        last = torch.where(mask[:, t], tags[:, t], last)
    return total + end[last]


def forward(emissions, transitions, start, end, mask):
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, emissions.shape[1]):
        arriving = alpha.unsqueeze(2) + transitions
        new = torch.logsumexp(arriving, dim=1) + emissions[:, t]
        alpha = torch.where(mask[:, t, None], new, alpha)
        columns.append(alpha)
    return torch.stack(columns, 1)


def log_partition(emissions, transitions, start, end, mask):
    return torch.logsumexp(forward(emissions, transitions, start, end, mask)[:, -1] + end, dim=1)


def nll(emissions, tags, transitions, start, end, mask):
    log_z = log_partition(emissions, transitions, start, end, mask)
    return log_z - score(emissions, tags, transitions, start, end, mask)


def viterbi(emissions, transitions, start, end, mask):
    B, L, S = emissions.shape
    delta = start + emissions[:, 0]
    history = []
    for t in range(1, L):
        best, back = (delta.unsqueeze(2) + transitions).max(dim=1)
        keep = mask[:, t, None]
        stay = torch.arange(S).expand(B, S)
        history.append(torch.where(keep, back, stay))
        delta = torch.where(keep, best + emissions[:, t], delta)
    tag = (delta + end).argmax(1)
    path = [tag]
    for back in reversed(history):
        tag = back.gather(1, tag.unsqueeze(1)).squeeze(1)
        path.append(tag)
    return torch.stack(path[::-1], 1)


def backward(emissions, transitions, start, end, mask):
    B, L, S = emissions.shape
    beta = end.expand(B, S)
    columns = [beta]
    for t in range(L - 1, 0, -1):
        leaving = transitions + (emissions[:, t] + beta).unsqueeze(1)
        new = torch.logsumexp(leaving, dim=2)
        beta = torch.where(mask[:, t, None], new, beta)
        columns.append(beta)
    return torch.stack(columns[::-1], 1)


def marginals(emissions, transitions, start, end, mask):
    alpha = forward(emissions, transitions, start, end, mask)
    beta = backward(emissions, transitions, start, end, mask)
    log_z = log_partition(emissions, transitions, start, end, mask)
    return (alpha + beta - log_z[:, None, None]).exp()


def gradients(emissions, tags, transitions, start, end, mask):
    scores = [x.detach().clone().requires_grad_() for x in (emissions, transitions, start, end)]
    loss = nll(scores[0], tags, *scores[1:], mask).sum()
    return torch.autograd.grad(loss, scores)
