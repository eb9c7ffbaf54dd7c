"""What the chain's questions return: small named records."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from torch import Tensor

from .shapes import Bool, Float, Int


class _Record:
    """What all results have in common."""

    def __deepcopy__(self, memo: dict) -> Any:
        """A copy of the values; what is computed when asked for is shared."""
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
    """The best path of each chain, and the table it can be read from.

    Attributes:
        tags: [B, L] the best path; −1 at masked cells and where no path is allowed.
        scores: [B] its score (a log-potential, not a probability); −∞ where no path is allowed.
        tables: What the two properties compute, when one is asked for.
    """

    tags: Int[Tensor, "B L"]
    scores: Float[Tensor, " B"]
    tables: Callable[[], tuple[Tensor, Tensor | None]] = field(repr=False)

    @cached_property
    def _tables(self) -> tuple[Tensor, Tensor | None]:
        return self.tables()

    @property
    def log_deltas(self) -> Float[Tensor, "B L S"]:
        """[B, L, S] the score of the best path that ends in tag s at t; 0 at masked cells."""
        return self._tables[0]

    @property
    def backpointers(self) -> Int[Tensor, "B L S"] | None:
        """[B, L, S] the tag before it on that path; −1 at the first token and at masked cells.

        None if they were not stored.
        """
        return self._tables[1]


@dataclass(frozen=True)
class TopK(_Record):
    """The k best paths of each chain, best first.

    The batch comes first, as everywhere; only samples, and the paths that `score` and `log_prob`
    take, have their number in front: [n, B, L]. So `chain.log_prob(best.tags)` would be wrong (it
    reads k samples where k = B, and an error elsewhere); `best.log_probs` has these numbers, and
    `chain.log_prob(best.tags.transpose(0, 1))` computes them again, [k, B].

    Attributes:
        tags: [B, K, L] the paths; −1 at masked cells and in rows that are not valid.
        scores: [B, K] their scores; −∞ in rows that are not valid.
        valid: [B, K] whether the row holds an allowed path: there may be fewer than k.
        normalise: What `log_probs` computes, when asked for.
    """

    tags: Int[Tensor, "B K L"]
    scores: Float[Tensor, "B K"]
    valid: Bool[Tensor, "B K"]
    normalise: Callable[[], Tensor] = field(repr=False)

    @cached_property
    def log_probs(self) -> Float[Tensor, "B K"]:
        """[B, K] log p(path | x), in nats; −∞ in rows that are not valid."""
        return self.normalise()


@dataclass(frozen=True)
class ExpectedCounts(_Record):
    """How often each score is used by a path, on average over p(y | x), chain by chain.

    Attributes:
        emissions: [B, L, S] p(y_t = s | x): the marginals; 0 at masked cells.
        transitions: [B, S, S] how often j follows i; or [B, L-1, S, S], the pair marginals, where
            each step has transitions of its own.
        start: [B, S] the marginals of the first token.
        end: [B, S] the marginals of the last token.
    """

    emissions: Float[Tensor, "B L S"]
    transitions: Float[Tensor, "B *steps S S"]
    start: Float[Tensor, "B S"]
    end: Float[Tensor, "B S"]
