"""The loop over the columns of a batch, all rows at once: what each step computes, keeps, discards.

    column ← where(mask[:, t], new, column)

Every α and δ is the core's, of the whole batch. `Loop.kept[t]` is what the loop holds before column
t: for a row that has ended, the column of its last word; for one that has not begun, `start`. `new`
is one step of the core's recursion from there, also where the mask then discards it.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from crf.chain import LinearChain
from crf.decoding import max_matvec
from crf.potentials import first_tokens, last_tokens
from crf.recursions import log_matvec
from crf.results import ViterbiResult
from crf.scoring import score_terms
from pages.batches.batch import Batch


@dataclass(frozen=True)
class Loop:
    """One recursion over a batch."""

    batch: Batch  # the batch, of shape [B, L, S]
    is_max: bool = False  # whether it computes δ with backpointers, and not α

    @cached_property
    def chain(self) -> LinearChain:
        """All rows as one chain."""
        return self.batch.chain()

    @cached_property
    def best(self) -> ViterbiResult:
        """Viterbi's result of the batch: tags [B, L], scores [B], backpointers [B, L, S]."""
        return self.chain.viterbi()

    @cached_property
    def columns(self) -> Tensor:
        """[B, L, S] log α or log δ of the core; 0 in padded cells."""
        return self.best.log_deltas if self.is_max else self.chain.log_alphas

    @cached_property
    def kept(self) -> Tensor:
        """[L + 1, B, S] the loop's value before each column, and after the last."""
        mask, start = self.chain.mask, self.chain.potentials.start
        held = [start.expand(len(mask), -1)]
        for t in range(mask.shape[1]):
            held.append(torch.where(mask[:, t, None], self.columns[:, t], held[-1]))
        return torch.stack(held)

    @cached_property
    def new(self) -> Tensor:
        """[L, B, S] the step's result for every row, including results that it discards."""
        p, first = self.chain.potentials, first_tokens(self.chain.mask)
        steps = []
        for t in range(p.mask.shape[1]):
            held, by = self.kept[t], p.transitions
            arriving = max_matvec(held, by)[0] if self.is_max else log_matvec(held, by)
            waiting = first[:, t, None] | (p.mask[:, : t + 1].sum(1, keepdim=True) == 0)
            steps.append(torch.where(waiting, p.start, arriving) + p.emissions[:, t])
        return torch.stack(steps)

    @cached_property
    def totals(self) -> tuple[float, ...]:
        """[B]: log Z, or the best path's score."""
        found = self.best.scores if self.is_max else self.chain.log_partition
        return tuple(found.tolist())

    @cached_property
    def begins(self) -> tuple[int, ...]:
        """[B]: the column of each row's first word; −1 for a row without words."""
        return _places(first_tokens(self.chain.mask))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """[B]: the column of each row's last word; −1 for a row without words."""
        return _places(last_tokens(self.chain.mask))


def _places(marks: Tensor) -> tuple[int, ...]:
    return tuple(int(row.long().argmax()) if row.any() else -1 for row in marks)


# ---------------------------------------------------------------------- one step as broadcasting


def columns(loop: Loop) -> list[int]:
    """The columns at which every row is past its first word, so that the step is the plain one."""
    begun = [first for first in loop.begins if first >= 0]
    return list(range(max(begun) + 1, loop.batch.shape[1])) if begun else []


def step_sum(loop: Loop, t: int) -> Tensor:
    """[B, S, S], from and to: α [B, S, 1] + transitions [1, S, S] + emissions [B, 1, S].

    Args:
        loop: The recursion.
        t: The step's column, one of `columns`.
    """
    p = loop.chain.potentials
    return loop.kept[t][:, :, None] + p.transitions[None] + p.emissions[:, t][:, None]


def reduced(loop: Loop, t: int, axis: int = 1) -> Tensor:
    """The sum of a step, reduced over an axis; over *from*, dim 1, it is the new column [B, S]."""
    reduce = torch.amax if loop.is_max else torch.logsumexp
    return reduce(step_sum(loop, t), dim=axis)


# ---------------------------------------------------------------------- the score of a batch


class CountedTerms(NamedTuple):
    """[B][L] scores of each row's best path; None where the code must not count what it reads."""

    emissions: list[list[float | None]]
    transitions: list[list[float | None]]
    start: list[list[float | None]]
    end: list[list[float | None]]


def counted_terms(loop: Loop) -> CountedTerms:
    """The terms of each row's best path, where they count."""
    mask = loop.chain.potentials.mask
    first, last = first_tokens(mask), last_tokens(mask)
    terms = score_terms(loop.chain.potentials, loop.best.tags.clamp(min=0))
    found = (
        (terms.emissions, mask), (terms.transitions, mask & ~first),
        (terms.start, first), (terms.end, last),
    )  # fmt: skip
    return CountedTerms(*(
        [[x if here else None for x, here in zip(*row, strict=True)]
         for row in zip(values.tolist(), counts.tolist(), strict=True)]
        for values, counts in found
    ))  # fmt: skip
