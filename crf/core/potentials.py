"""Scores and mask of a chain, cleaned so that no recursion needs a special case.

    p(y | x) = exp(score(x, y)) / Z(x)
    score(x, y) = start[y_1] + sum_t emissions[t, y_t] + sum_t transitions[y_t, y_(t+1)] + end[y_m]

Axis letters, here and everywhere in the package: B batch, L length, S tags (K for the k of k-best).
Scores are log-potentials: any real number, −∞ for "forbidden". They are not probabilities.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from . import torch_tracing
from .shapes import Bool, Float

NEG_INF = float("-inf")


class Potentials(NamedTuple):
    """The scores of a batch of chains. Masked cells hold 0, nan and +∞ do not occur.

    Attributes:
        emissions: [B, L, S] log-scores of each tag at each cell.
        transitions: [S, S] log-scores from row i to column j, or [B, L-1, S, S], one matrix per
            step; matrix t-1 leads into cell t, from the token before it in the chain. As given they
            may be [B, 1, S, S], one matrix per chain, which `clean` repeats.
        start: [S] log-scores of the first tag.
        end: [S] log-scores of the last tag.
        mask: [B, L] bool; the True cells, left to right, are the tokens of the chain.
    """

    emissions: Float[Tensor, "B L S"]
    transitions: Tensor
    start: Float[Tensor, " S"]
    end: Float[Tensor, " S"]
    mask: Bool[Tensor, "B L"]

    @property
    def per_step(self) -> bool:
        """Whether each step has a transition matrix of its own."""
        return self.transitions.dim() == 4

    @property
    def precision(self) -> torch.dtype:
        """Precision of the results: the scores' common one, at least float32."""
        dtype = torch.float32
        for scores in self[:4]:
            if scores.dtype is not dtype:
                dtype = torch.promote_types(dtype, scores.dtype)
        return dtype

    def arriving_transitions(self) -> tuple[Tensor, ...]:
        """The matrix that leads into each cell: L tensors, [S, S] or [B, S, S].

        No matrix leads into cell 0. The first entry is a filler, so that entry t belongs to cell t.
        """
        L = self.emissions.shape[1]
        if torch_tracing.exporting() and isinstance(L, torch.SymInt):
            raise RuntimeError(
                "export: expected what can be one loop of the graph (log_partition, log_prob, "
                "marginals, pair_marginals, viterbi, posterior_decode, sample), got what would be "
                "unrolled to the example's length; ask for one of these, or fix the length"
            )
        if not self.per_step:
            return (self.transitions,) * L
        steps = self.transitions.unbind(1)
        return (self.transitions.new_zeros(()), *steps) if L else ()

    def cells(self) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """The parts of the L cells that a recursion loops over, one tuple for each.

        Returns:
            Its emission scores [B, S], the matrix that leads into it, [S, S] or [B, S, S], whether
            it is in the chain, and whether it is the chain's first token, [B, 1] bool each.
        """
        return list(
            zip(
                self.emissions.unbind(1),
                self.arriving_transitions(),
                self.mask[:, :, None].unbind(1),
                first_tokens(self.mask)[:, :, None].unbind(1),
                strict=True,
            )
        )

    def map_scores(self, change: Callable[[Tensor], Tensor]) -> "Potentials":
        """The same chain with a change made to each of its four tables of scores."""
        emissions, transitions, start, end = map(change, self[:4])
        return Potentials(emissions, transitions, start, end, self.mask)

    def to(self, dtype: torch.dtype) -> "Potentials":
        """The same chain with its scores in another precision."""
        return self.map_scores(lambda scores: scores.to(dtype))

    def in_one_precision(self) -> "Potentials":
        """The same chain with all scores in their common precision, at least float32.

        Every engine gets these, so that it rounds a result or a gradient to that precision, and a
        gradient of half-precision scores is rounded to theirs only once, when it is complete.
        """
        dtype = self.precision
        for scores in self[:4]:
            if scores.dtype is not dtype:
                return self.to(dtype)
        return self


def first_tokens(mask: Bool[Tensor, "B L"]) -> Bool[Tensor, "B L"]:
    """True at the first token of each chain."""
    return mask & (mask.cumsum(1) == 1)


def last_tokens(mask: Bool[Tensor, "B L"]) -> Bool[Tensor, "B L"]:
    """True at the last token of each chain."""
    return mask & (mask.flip(1).cumsum(1).flip(1) == 1)


def without_gradient_at_neg_inf(scores: Tensor) -> Tensor:
    """The same scores, but no gradient flows to −∞, because a forbidden score is no parameter."""
    return torch.where(scores == NEG_INF, NEG_INF, scores)


def in_steps(raw: Potentials) -> Potentials:
    """The same chains; where each has one matrix, it is repeated for the steps."""
    B, L, S = raw.emissions.shape
    if not raw.per_step or raw.transitions.shape[1] == max(L - 1, 0):
        return raw
    return raw._replace(transitions=raw.transitions.expand(B, max(L - 1, 0), S, S))


def clean(raw: Potentials) -> Potentials:
    """Put 0 where a cell or a transition is not in the chain, and stop gradients at −∞.

    So padding, nan or anything else at those places reaches neither a value nor a gradient.
    """
    emissions, transitions, start, end, mask = in_steps(raw)
    emissions = torch.where(mask[:, :, None], emissions, 0.0)
    if transitions.dim() == 4 and transitions.shape[1]:
        used = (mask & ~first_tokens(mask))[:, 1:]
        transitions = torch.where(used[:, :, None, None], transitions, 0.0)
    cleaned = Potentials(emissions, transitions, start, end, mask)
    if not torch.is_grad_enabled():
        return cleaned
    return cleaned.map_scores(lambda x: without_gradient_at_neg_inf(x) if x.requires_grad else x)


def working_precision(device: str, dtype: torch.dtype) -> torch.dtype:
    """What the plain code computes with on a kind of device: float64, or float32 on some GPUs.

    Many CUDA GPUs take 32 or 64 times as long for float64. Columns of float32 whose offsets add up
    in float64 (`sums_in`) are within 1e-5 of it, relative to log Z or −log p. MPS has no float64.
    """
    narrow = device == "mps" or (device == "cuda" and dtype is not torch.float64)
    return torch.float32 if narrow else torch.float64


def sums_in(scores: Tensor) -> torch.dtype:
    """The precision in which numbers of many tokens are added up."""
    return torch.float32 if scores.device.type == "mps" else torch.float64


def working(tensors: Any) -> tuple[Potentials, ...]:
    """The chains with these scores and masks, cleaned, in working precision."""
    dtype = torch.promote_types(tensors[0].dtype, tensors[1].dtype)
    wide = working_precision(tensors[0].device.type, dtype)
    groups = (tensors[k : k + 5] for k in range(0, len(tensors), 5))
    return tuple(clean(Potentials(*x)).to(wide) for x in groups)
