"""The recursions as textbook implementations write them: one sentence, in the textbooks' names.

    unary       [m, S] emission scores
    transition  [S, S] from row to column
    root, eos   [S] the row <ROOT> and the column <EOS> of the folded matrix

A trailing comment of one word says in which step of the recursion a line runs.
"""

import inspect
import textwrap
from collections.abc import Callable

import torch
from torch import Tensor


def forward(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z by forward belief propagation."""
    alpha_e = root + unary[0]  # first
    for t in range(1, len(unary)):  # cell
        arriving = alpha_e[:, None] + transition  # cell
        alpha_e = unary[t] + torch.logsumexp(arriving, dim=0)  # cell
    return torch.logsumexp(alpha_e + eos, dim=0)  # total


def backward(unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor) -> Tensor:
    """log Z by backward belief propagation."""
    beta_e = eos  # first
    for t in range(len(unary) - 1, 0, -1):  # cell
        leaving = transition + unary[t] + beta_e  # cell
        beta_e = torch.logsumexp(leaving, dim=1)  # cell
    return torch.logsumexp(root + unary[0] + beta_e, dim=0)  # total


def viterbi(
    unary: Tensor, transition: Tensor, root: Tensor, eos: Tensor
) -> tuple[Tensor, list[int]]:
    """The best score and its tags."""
    delta_e = root + unary[0]  # first
    best_paths = []
    for t in range(1, len(unary)):  # cell
        arriving = delta_e[:, None] + transition  # cell
        best_score, best_previous = arriving.max(dim=0)  # cell
        best_paths.append(best_previous)  # cell
        delta_e = unary[t] + best_score  # cell
    best_score, last_tag_index = (delta_e + eos).max(dim=0)  # total
    tags = [int(last_tag_index)]  # backtrace
    for best_previous in reversed(best_paths):  # backtrace
        tags.append(int(best_previous[tags[-1]]))  # backtrace
    return best_score, tags[::-1]


def forward_batch(
    unary: Tensor, mask: Tensor, transition: Tensor, root: Tensor, eos: Tensor
) -> Tensor:
    """log Z of each row; unary is [B, m, S], mask [B, m]."""
    alpha_e = root + unary[:, 0]  # first
    for t in range(1, unary.shape[1]):  # cell
        arriving = alpha_e[:, :, None] + transition  # cell
        new_alpha_e = unary[:, t] + torch.logsumexp(arriving, dim=1)  # cell
        alpha_e = torch.where(mask[:, t, None], new_alpha_e, alpha_e)  # cell
    return torch.logsumexp(alpha_e + eos, dim=1)  # total


def lines(function: Callable) -> list[tuple[str, str]]:
    """The lines of one of them, each with the kind of step in which it runs; "" in all."""
    found = []
    for line in textwrap.dedent(inspect.getsource(function)).splitlines():
        code, _, kind = line.partition("  # ")
        found.append((code, kind.strip()))
    return found
