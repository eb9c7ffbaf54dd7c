"""log Z as a product of matrices over (log-sum-exp, +), and marginals from automatic derivatives."""

import torch


def log_z(emissions, transitions, start, end):
    first = start + emissions[0]
    if len(emissions) == 1:
        return torch.logsumexp(first + end, 0)
    product = transitions + emissions[1]
    for t in range(2, len(emissions)):
        step = transitions + emissions[t]
        product = torch.logsumexp(product.unsqueeze(2) + step.unsqueeze(0), dim=1)
    return torch.logsumexp((first.unsqueeze(1) + product + end).flatten(), 0)


def nll(emissions, tags, transitions, start, end):
    path = emissions.gather(1, tags.unsqueeze(1)).sum() + transitions[tags[:-1], tags[1:]].sum()
    return log_z(emissions, transitions, start, end) - path - start[tags[0]] - end[tags[-1]]


def gradients(emissions, tags, transitions, start, end):
    given = [x.clone().requires_grad_() for x in (emissions, transitions, start, end)]
    nll(given[0], tags, *given[1:]).backward()
    return [x.grad for x in given]
