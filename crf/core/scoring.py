"""The score of a path, the numerator of p(y | x): the sum of what it picks from each table.

score(x, y) = start[y_1] + Σ_t emissions[t, y_t] + Σ_t transitions[y_t, y_(t+1)] + end[y_m]
"""

from typing import NamedTuple

import torch
from torch import Tensor

from . import torch_tracing
from .potentials import NEG_INF, Potentials, first_tokens, last_tokens, sums_in
from .shapes import Bool, Float, Int


class ScoreTerms(NamedTuple):
    """The terms of a path's score at each cell: [B, L] or [n, B, L] each, 0 where there is none."""

    start: Tensor
    emissions: Tensor
    transitions: Tensor
    end: Tensor


def previous_tokens(mask: Bool[Tensor, "B L"]) -> Int[Tensor, "B L"]:
    """The cell of the chain token before each cell; 0 where there is none.

    Example:
        >>> previous_tokens(torch.tensor([[True, False, True, True]])).tolist()
        [[0, 0, 0, 2]]
    """
    if torch_tracing.exporting():
        from .export_loop import previous_tokens as exported

        return exported(mask)
    B, L = mask.shape
    cells = torch.arange(L, device=mask.device).expand(B, L)
    latest = torch.where(mask, cells, 0).cummax(1).values if L else cells
    return latest.roll(1, dims=1).index_fill(1, latest.new_zeros(min(L, 1)), 0)


def score_terms(p: Potentials, tags: Int[Tensor, "*n B L"]) -> ScoreTerms:
    """The terms of a path's score, cell by cell.

    Args:
        p: The chains.
        tags: [B, L] (or [n, B, L]) with a tag at every token; masked cells may hold anything.

    Returns:
        Four tensors [B, L] (or [n, B, L]), log-scores; 0 where a cell has no such term.
    """
    B, L, S = p.emissions.shape
    first, last = first_tokens(p.mask), last_tokens(p.mask)
    tags = torch.where(p.mask, tags.long(), 0)
    before = tags.gather(-1, previous_tokens(p.mask).expand_as(tags))
    emissions = p.emissions.expand(*tags.shape, S).gather(-1, tags[..., None]).squeeze(-1)
    if p.per_step and L:
        rows = torch.arange(B, device=tags.device)[:, None]
        steps = torch.arange(L - 1, device=tags.device)
        transitions = p.transitions[rows, steps, before[..., 1:], tags[..., 1:]]
        transitions = torch.nn.functional.pad(transitions, (1, 0))
    else:
        transitions = emissions if p.per_step else p.transitions[before, tags]
    return ScoreTerms(
        start=torch.where(first, p.start[tags], 0.0),
        emissions=torch.where(p.mask, emissions, 0.0),
        transitions=torch.where(p.mask & ~first, transitions, 0.0),
        end=torch.where(last, p.end[tags], 0.0),
    )


def path_scores(p: Potentials, tags: Int[Tensor, "*n B L"]) -> Float[Tensor, "*n B"]:
    """The score of a path, summed over its terms; −∞ if it is forbidden."""
    return sum(score_terms(p, tags)).sum(-1, dtype=sums_in(p.emissions))  # pyright: ignore


def log_prob_from(
    scores: Float[Tensor, "*n B"], log_partition: Float[Tensor, " B"]
) -> Float[Tensor, "*n B"]:
    """log p(y | x) = score − log Z, in nats; −∞ for a forbidden path or an infeasible chain."""
    feasible = log_partition > NEG_INF
    return torch.where(feasible, scores - torch.where(feasible, log_partition, 0.0), NEG_INF)
