"""Small named records that the methods of a chain return."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from torch import Tensor

from .shapes import Bool, Float, Int


class _Record:
    """The way in which all results are copied."""

    def __deepcopy__(self, memo: dict) -> Any:
        """Copy the values; the functions that compute the rest later are shared."""
        values = [getattr(self, one.name) for one in fields(self)]  # pyright: ignore
        if any(isinstance(x, Tensor) and x.requires_grad for x in values):
            raise RuntimeError(
                f"copy.deepcopy: expected a {type(self).__name__} without a graph of gradients, "
                "which torch does not copy, got one with; make it under torch.no_grad(), or copy "
                "its tensors with .detach().clone()"
            )
        copied = (copy.deepcopy(x, memo) if isinstance(x, Tensor) else x for x in values)
        return type(self)(*copied)


@dataclass(frozen=True)
class ViterbiResult(_Record):
    """Best path of each chain, with its score and the tables of the Viterbi algorithm.

    Attributes:
        tags: [B, L] the best path; −1 at masked cells and where no path is allowed.
        scores: [B] its score (a log-potential, not a probability); −∞ where no path is allowed.
    """

    tags: Int[Tensor, "B L"]
    scores: Float[Tensor, " B"]
    _compute: Callable[[], tuple[Tensor, Tensor | None]] = field(repr=False)

    @cached_property
    def _tables(self) -> tuple[Tensor, Tensor | None]:
        return self._compute()

    @property
    def log_deltas(self) -> Float[Tensor, "B L S"]:
        """Score of the best path that ends in tag s at position t, [B, L, S]; 0 at masked cells."""
        return self._tables[0]

    @property
    def backpointers(self) -> Int[Tensor, "B L S"] | None:
        """Tag before s on the best path that ends in s at position t, [B, L, S].

        −1 at the first token and at masked cells. None if the backpointers were not stored.
        """
        return self._tables[1]


@dataclass(frozen=True)
class TopK(_Record):
    """The k best paths of each chain with their scores, best first; K is k.

    The batch comes first, as everywhere. Only samples, and the paths that `score` and `log_prob`
    take, have their number in front: [n, B, L]. So don't call `chain.log_prob(best.tags)`: where
    k = B it reads the chains as samples, elsewhere it raises. Use `best.log_probs`, or
    `chain.log_prob(best.tags.transpose(0, 1))`, which computes the same numbers as [k, B].

    Attributes:
        tags: [B, K, L] the paths; −1 at masked cells and in rows that are not valid.
        scores: [B, K] their scores; −∞ in rows that are not valid.
        valid: [B, K] whether the row contains an allowed path; a chain may have fewer than k.
    """

    tags: Int[Tensor, "B K L"]
    scores: Float[Tensor, "B K"]
    valid: Bool[Tensor, "B K"]
    _compute: Callable[[], Tensor] = field(repr=False)

    @cached_property
    def log_probs(self) -> Float[Tensor, "B K"]:
        """Log-probability of each path, [B, K], in nats; −∞ in rows that are not valid."""
        return self._compute()


@dataclass(frozen=True)
class ExpectedCounts(_Record):
    """Expected number of times that a path from p(y | x) uses each score, for each chain.

    Attributes:
        emissions: [B, L, S] the marginals p(y_t = s | x); 0 at masked cells.
        transitions: [B, S, S] how often j follows i; where each step has its own transitions,
            [B, L-1, S, S], the pair marginals.
        start: [B, S] the marginals of the first token.
        end: [B, S] the marginals of the last token.
    """

    emissions: Float[Tensor, "B L S"]
    transitions: Float[Tensor, "B *steps S S"]
    start: Float[Tensor, "B S"]
    end: Float[Tensor, "B S"]
