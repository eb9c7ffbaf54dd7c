"""The recursions as a parallel scan: log₂ L rounds, and about S · log₂ L times the work.

    α_t = α_(t-1) M_t,    M_t[i, j] = transition(i, j) + emission_t(j)

in the semiring where × is + and + is logsumexp (or max). Products of matrices associate, so all of
M_1, M_1 M_2, …, M_1 … M_L are found by doubling: after round k, place t holds the product of the
last 2^k matrices up to t. The matrix of the first token holds start(j) + emission(j) in each row,
that of a cell outside the chain is the identity. Each product is kept relative to its maximum, as
α is in `crf.core.recursions`.

No engine uses it, because it does more work than the recursion. The lesson on cost measures it.

Source: Hillis and Steele (1986), "Data parallel algorithms"; Särkkä and García-Fernández (2021),
"Temporal parallelization of inference in hidden Markov models".
"""

import functools
from collections.abc import Callable

import torch
from torch import Tensor

from . import recursions
from .potentials import NEG_INF, Potentials, first_tokens
from .shapes import Float

Add = Callable[[Tensor, Tensor], Tensor]


def multiply(left: Tensor, right: Tensor, add: Add) -> Tensor:
    """`add_k (left[..., i, k] + right[..., k, j])`: a matrix product in the semiring of `add`.

    Args:
        left: [..., S, S] log-scores.
        right: [..., S, S] log-scores.
        add: `torch.logaddexp` or `torch.maximum`.

    Example:
        >>> multiply(torch.zeros(2, 2), torch.zeros(2, 2), torch.logaddexp).exp()
        tensor([[2., 2.],
                [2., 2.]])
    """
    terms = (left[..., :, k, None] + right[..., k, None, :] for k in range(left.shape[-1]))
    return functools.reduce(add, terms)


def step_matrices(p: Potentials) -> Float[Tensor, "B L S S"]:
    """The matrix M_t of each cell."""
    B, L, S = p.emissions.shape
    arriving = p.transitions.expand(B, max(L - 1, 0), S, S)
    arriving = torch.nn.functional.pad(arriving, (0, 0, 0, 0, 1, 0))[:, :L]
    first, inside = first_tokens(p.mask)[:, :, None, None], p.mask[:, :, None, None]
    matrices = torch.where(first, p.start, arriving) + p.emissions[:, :, None, :]
    identity = torch.full_like(matrices[:1, :1], NEG_INF)
    identity.diagonal(dim1=2, dim2=3).zero_()
    return torch.where(inside, matrices, identity) if L else matrices


def scan(p: Potentials, add: Add) -> recursions.Columns:
    """The column of every cell, α or δ; of a cell outside the chain, the column before it.

    Args:
        p: The chains.
        add: `torch.logaddexp` for α, `torch.maximum` for δ.

    Returns:
        [B, L, S] and offsets [B, L]; O(B·L·S²) memory, O(B·L·S³ log L) time in log₂ L rounds.
    """
    products = step_matrices(p)
    offsets = products.new_zeros(products.shape[:2])
    reach, L = 1, products.shape[1]
    while reach < L:
        longer = multiply(products[:, :-reach], products[:, reach:], add)
        top = longer.amax((2, 3), keepdim=True)
        top = top.masked_fill(top == NEG_INF, 0.0)
        products = torch.cat([products[:, :reach], longer - top], 1)
        moved = offsets[:, :-reach] + offsets[:, reach:] + top[:, :, 0, 0]
        offsets = torch.cat([offsets[:, :reach], moved], 1)
        reach *= 2
    # Row 0 will do, because all rows of a product are equal from the chain's first token on.
    return recursions.Columns(products[:, :, 0].clone(), offsets)


def log_partition(p: Potentials) -> Float[Tensor, " B"]:
    """log Z of each chain, as `recursions.log_partition`."""
    return recursions.log_partition_from(p, scan(p, torch.logaddexp))
