"""log p of each token given those before it.

log p(y_t | y_(t-1), x) = T(y_(t-1), y_t) + e_t(y_t) + β_t(y_t) − β_(t-1)(y_(t-1))
"""

import torch
from torch import Tensor

from . import recursions
from .potentials import NEG_INF, Potentials, first_tokens
from .scoring import previous_tokens, score_terms
from .shapes import Float, Int


def log_probs(p: Potentials, tags: Int[Tensor, "B L"]) -> Float[Tensor, "B L"]:
    """log p(y_t | y_1 … y_(t-1), x) of each token: they add up to log p(y | x).

    Args:
        p: The chains.
        tags: [B, L] in range at each token.

    Returns:
        [B, L] nats; 0 outside the chain, −∞ where the path is forbidden.
    """
    tags = torch.where(p.mask, tags.long(), 0)
    betas, terms = recursions.backward(p), score_terms(p, tags)
    relative = betas.relative.gather(2, tags[:, :, None]).squeeze(2)
    before, first = previous_tokens(p.mask), first_tokens(p.mask)
    # β moves on by what its maximum is less than the one before: no large numbers meet.
    offsets = betas.offsets - betas.offsets.gather(1, before)
    begin = p.start + p.emissions + betas.relative  # of a first token: log Z, less its offset
    log_z = recursions.log_matvec(begin.flatten(0, 1), begin.new_zeros(begin.shape[2], 1))
    came_from = torch.where(first, log_z.view_as(offsets), relative.gather(1, before) - offsets)
    local = terms.start + terms.emissions + terms.transitions
    possible = p.mask & (local > NEG_INF) & (relative > NEG_INF) & (came_from > NEG_INF)
    local = torch.where(possible, local, 0.0) + torch.where(possible, relative, 0.0)
    found = torch.where(possible, local - torch.where(possible, came_from, 0.0), NEG_INF)
    return torch.where(p.mask, found, 0.0)
