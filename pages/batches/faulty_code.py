"""Seven faults that published implementations have, each as code that runs.

Every function here is wrong in one line. `pages.batches.faults` says which, and sets it right.
"""

import torch
from torch import Tensor, nn


class Encoder(nn.Module):
    """Words [B, L] → emissions [B, L, S]."""

    def __init__(self, words: int, tags: int, size: int = 8) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, size)
        self.lstm = nn.LSTM(size, size)
        self.to_tags = nn.Linear(size, tags)

    def forward(self, words: Tensor) -> Tensor:
        embedded = self.embedding(words)  # [B, L, E]
        hidden, _ = self.lstm(embedded)  # [B, L, H]
        return self.to_tags(hidden)  # [B, L, S]


def path_scores(emissions, transitions, start, end, lengths, tags):
    """The score of one path per row: [B]."""
    scores = torch.zeros_like(lengths)
    for b, length in enumerate(lengths.tolist()):
        path = tags[b, :length]
        if not length:
            continue
        score = start[path[0]] + end[path[-1]]
        score = score + emissions[b, torch.arange(length), path].sum()
        score = score + transitions[path[:-1], path[1:]].sum()
        scores[b] = score
    return scores


def log_z_shrinking(emissions, transitions, start, end, lengths):
    """log Z of each row: [B]. Rows that have ended take no further step."""
    L = emissions.shape[1]
    alpha = start + emissions[:, 0]
    for t in range(1, L):
        number = int((lengths > t).sum())  # of rows that still have a word
        running = torch.arange(number)
        arriving = torch.logsumexp(alpha[running, :, None] + transitions, dim=1)
        new = arriving + emissions[running, t]
        alpha = alpha.index_copy(0, running, new)
    log_z = torch.logsumexp(alpha + end, dim=1)
    return torch.where(lengths > 0, log_z, 0.0)


def transition_counts(alpha, beta, emissions, transitions, log_z, mask):
    """How many transitions each row is expected to make: [B]; the gradient of log Z holds them."""
    m = mask.sum(1)
    following = torch.roll(emissions + beta, -1, dims=1)  # those of word t + 1, at t
    counts = torch.zeros_like(log_z)
    for t in range(mask.shape[1]):
        has_pair = t < m
        pair = alpha[:, t, :, None] + transitions + following[:, t, None, :]
        probability = torch.exp(pair - log_z[:, None, None])
        counts = counts + torch.where(has_pair, probability.sum((1, 2)), 0.0)
    return counts


def log_z_multiplied(emissions, transitions, start, end, mask):
    """log Z of each row: [B]. The mask keeps the old α where a row has ended."""
    L = mask.shape[1]
    keep = mask[:, :, None].to(emissions.dtype)
    alpha = start + emissions[:, 0]
    for t in range(1, L):
        arriving = torch.logsumexp(alpha[:, :, None] + transitions, dim=1)
        new = arriving + emissions[:, t]
        alpha = keep[:, t] * new + (1 - keep[:, t]) * alpha
    log_z = torch.logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0)


def best_paths(emissions, transitions, start, end, mask):
    """The best path of each row: [B, L]; padded cells hold −1."""
    L, rows = mask.shape[1], torch.arange(len(mask))
    delta, pointers = start + emissions[:, 0], []
    for t in range(1, L):
        best = (delta[:, :, None] + transitions).max(dim=1)
        delta = torch.where(mask[:, t, None], best.values + emissions[:, t], delta)
        pointers.append(best.indices)
    tag = (delta + end).argmax(dim=1) * mask[:, -1]
    path = [torch.where(mask[:, -1], tag, -1)]
    for t in reversed(range(1, L)):
        tag = torch.where(mask[:, t], pointers[t - 1][rows, tag], tag)
        path.append(torch.where(mask[:, t - 1], tag, -1))
    return torch.stack(path[::-1], dim=1)


def log_z_unmasked(emissions, transitions, start, end, mask):
    """log Z of each row: [B]."""
    L = mask.shape[1]
    emissions = torch.where(mask[:, :, None], emissions, 0.0)
    alpha = start + emissions[:, 0]
    for t in range(1, L):
        arriving = torch.logsumexp(alpha[:, :, None] + transitions, dim=1)
        alpha = arriving + emissions[:, t]
    log_z = torch.logsumexp(alpha + end, dim=1)
    return torch.where(mask.any(1), log_z, 0.0)
