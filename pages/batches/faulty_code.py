"""Seven faults that published implementations have, each as code that runs.

Every function here is wrong in one line. `pages.batches.faults` says which, and sets it right.
"""

import torch
from torch import logsumexp, nn


class Encoder(nn.Module):
    """Words [B, L] → emissions [B, L, S]."""

    def __init__(self, words, tags, size=8):
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, size)
        self.to_tags = nn.Linear(size, tags)

    def forward(self, words):
        embedded = self.embedding(words)  # [B, L, E]
        hidden, _ = self.lstm(embedded)  # [B, L, H]
        return self.to_tags(hidden)  # [B, L, S]


def path_scores(emissions, T, start, end, lengths, tags):
    """The score of one path per row: [B]."""
    scores = torch.zeros_like(lengths)
    for b, length in enumerate(lengths.tolist()):
        path = tags[b, :length]
        if not length:
            continue
        score = start[path[0]] + end[path[-1]]
        words = torch.arange(length)
        score = score + emissions[b, words, path].sum()
        score = score + T[path[:-1], path[1:]].sum()
        scores[b] = score
    return scores


def log_z_shrinking(emissions, T, start, end, lengths):
    """log Z of each row, [B], and the columns of α. Rows that have ended take no further step."""
    L = emissions.shape[1]
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        number = int((lengths > t).sum())  # rows that have a word
        running = torch.arange(number)
        arriving = logsumexp(alpha[running, :, None] + T, dim=1)
        new = arriving + emissions[running, t]
        alpha = alpha.index_copy(0, running, new)
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(lengths > 0, log_z, 0.0), columns


def transition_counts(alpha, beta, emissions, T, log_z, mask):
    """How many transitions each row is expected to make: [B]; the gradient of log Z holds them."""
    m = mask.sum(1)
    following = torch.roll(emissions + beta, -1, dims=1)
    counts = torch.zeros_like(log_z)
    for t in range(mask.shape[1]):
        has_pair = t < m
        pair = alpha[:, t, :, None] + T + following[:, t, None, :]
        p = torch.exp(pair - log_z[:, None, None]).sum((1, 2))
        counts = counts + torch.where(has_pair, p, 0.0)
    return counts


def log_z_multiplied(emissions, T, start, end, mask):
    """log Z of each row, [B], and the columns of α; the mask keeps α where a row has ended."""
    L = mask.shape[1]
    keep = mask[:, :, None].to(emissions.dtype)
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        arriving = logsumexp(alpha[:, :, None] + T, dim=1)
        new = arriving + emissions[:, t]
        alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0), columns


def best_paths(emissions, T, start, end, mask):
    """The best path of each row: [B, L]; padded cells hold −1."""
    L, rows = mask.shape[1], torch.arange(len(mask))
    delta, pointers = start + emissions[:, 0], []
    for t in range(1, L):
        best = (delta[:, :, None] + T).max(dim=1)
        new = best.values + emissions[:, t]
        delta = torch.where(mask[:, t, None], new, delta)
        pointers.append(best.indices)
    tag = (delta + end).argmax(dim=1) * mask[:, -1]
    path = [torch.where(mask[:, -1], tag, -1)]
    for t in reversed(range(1, L)):
        before = pointers[t - 1][rows, tag]
        tag = torch.where(mask[:, t], before, tag)
        path.append(torch.where(mask[:, t - 1], tag, -1))
    return torch.stack(path[::-1], dim=1)


def log_z_unmasked(emissions, T, start, end, mask):
    """log Z of each row, [B], and the columns of α."""
    L = mask.shape[1]
    emissions = torch.where(mask[:, :, None], emissions, 0.0)
    alpha = start + emissions[:, 0]
    columns = [alpha]
    for t in range(1, L):
        arriving = logsumexp(alpha[:, :, None] + T, dim=1)
        alpha = arriving + emissions[:, t]
        columns.append(alpha)
    log_z = logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0), columns
