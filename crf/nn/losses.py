"""A loss from the log-probabilities of gold paths: weights, reductions, why it is infinite."""

from typing import Any, Literal

import torch
from torch import Tensor

from ..chain import LinearChain
from ..core.potentials import NEG_INF
from ..core.scoring import score_terms
from ..core.validation import check_tag_table, check_tags

Reduction = Literal["none", "sum", "mean", "token_mean"]


def check_reduction(reduction: Any) -> None:
    """Refuse what is no way to reduce losses."""
    if reduction not in ("none", "sum", "mean", "token_mean"):
        raise ValueError(
            f"reduction: expected 'none', 'sum', 'mean' or 'token_mean', got {reduction!r}; "
            "choose one of these"
        )


def log_prob(chain: LinearChain, tags: Tensor, weight: Any) -> Tensor:
    """Σ_t weight_t log p(y_t | y_1 … y_(t-1)): [B]; every weight is 1 where there is none."""
    if weight is None:
        return chain.log_prob(tags)
    B, L, S = chain._raw.emissions.shape
    if not isinstance(weight, Tensor) or tuple(weight.shape) not in ((B, 1), (B, L), (S,)):
        got = list(weight.shape) if isinstance(weight, Tensor) else type(weight).__name__
        raise ValueError(
            f"weight: expected a tensor [{B}, 1] (one for each sequence), [{B}, {L}] (for each "
            f"token) or [{S}] (for each tag), got {got}; give one of these"
        )
    if tuple(weight.shape) == (B, 1):
        log_probs = chain.log_prob(tags)[:, None]
    else:
        log_probs = chain.token_log_probs(tags)
    if weight.dim() == 1:
        weight = weight[tags.long().clamp(0, S - 1)]
    return (torch.where(weight != 0, log_probs, 0.0) * weight).sum(1)


def reduced(nll: Tensor, mask: Tensor, reduction: Reduction) -> Tensor:
    """The losses [B] as they are, or their sum, or their mean over chains or tokens."""
    if reduction == "none":
        return nll
    if reduction == "mean" and len(nll):
        return nll.mean()
    total = nll.sum()
    return total / mask.sum().clamp(1) if reduction == "token_mean" else total


def sets_of(tags: Any, unknown: int, mask: Tensor, num_tags: int) -> Tensor:
    """[B, L, S] the sets of allowed tags: one tag where it is known, else all."""
    check_tag_table("tags", tags, mask)
    free = tags == unknown
    check_tags(torch.where(free, 0, tags), mask, num_tags)
    return free[:, :, None] | (tags[:, :, None] == torch.arange(num_tags, device=tags.device))


def explain_infinite(chain: LinearChain, tags: Tensor) -> None:
    """Say why the gold path has no finite loss: the row, the step, and what forbids it there."""
    if not chain.feasible.all():
        row = int(torch.nonzero(~chain.feasible)[0])
        tokens = torch.nonzero(chain.mask[row]).flatten()
        unreachable = (chain.log_alphas[row, tokens] == NEG_INF).all(-1)
        step = int(tokens[unreachable][0] if unreachable.any() else tokens[-1])
        raise ValueError(
            f"emissions: expected chains that allow at least one path, got none in row {row} "
            f"(no tag is left at step {step}); allow a tag or transition there, or mask the row out"
        )
    terms = score_terms(chain.potentials, tags)
    forbidden = torch.stack(terms, dim=2) == NEG_INF  # [B, L, 4]
    if not forbidden.any():
        return  # because the loss is finite, but too large for its precision
    row, step, table = torch.nonzero(forbidden)[0].tolist()
    raise ValueError(
        f"tags: expected a gold path that the scores allow, got one with a forbidden "
        f"{terms._fields[table].removesuffix('s')} in row {row}, step {step} "
        f"(tag {int(tags[row, step])}); "
        "correct the tags, or allow it in the constraints"
    )
