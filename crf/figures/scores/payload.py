"""The tables of a chain's scores: texts and colours; and the scores themselves, to be changed.

scores = ChainTables.of(chain, 0, tags, tokens)
scores.with_score("emissions", (0, 1), 2.5).chain()
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..colours import score_background
from ..numbers import exact, format_score
from ..words import words

if TYPE_CHECKING:
    import torch

    from ...chain import LinearChain

FOLDER = Path(__file__).parent  # has its words
NEG_INF = -math.inf
DEPTHS = {"emissions": 2, "transitions": 2, "step": 3, "start": 1, "end": 1}  # table → indices


class HasScores(Protocol):
    """Scores of one chain with names, as nested sequences of log-scores."""

    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def tokens(self) -> Sequence[str]: ...
    @property
    def emissions(self) -> Any: ...
    @property
    def transitions(self) -> Any: ...
    @property
    def start(self) -> Any: ...
    @property
    def end(self) -> Any: ...
    @property
    def per_step(self) -> bool: ...


@dataclass(frozen=True)
class ChainTables:
    """The scores of one chain."""

    tags: tuple[str, ...]  # [S] names
    tokens: tuple[str, ...]  # [m] words
    emissions: Any  # [m][S] log-scores
    transitions: Any  # [S][S] log-scores, or [m - 1][S][S] where each step has its own
    start: Any  # [S] log-scores
    end: Any  # [S] log-scores
    per_step: bool  # whether each step has transitions of its own

    @classmethod
    def of(
        cls, chain: LinearChain, row: int, tags: Sequence[str], tokens: Sequence[str]
    ) -> ChainTables:
        """Take the scores of one row of a batch, of the cells that are in the chain.

        Args:
            chain: Any chain.
            row: Which of the batch.
            tags: [S] names.
            tokens: [L] words for every cell, or [m] for those in the chain.
        """
        from ...steps.conventions import ChainScores

        scores = ChainScores.of(chain, row)
        if len(tokens) != scores.m:
            tokens = [tokens[t] for t in scores.positions]
        transitions = _frozen(scores.matrices if scores.per_step else scores.matrices[0])
        return cls(
            tuple(tags),
            tuple(tokens),
            _frozen(scores.emissions),
            transitions,
            _frozen(scores.start),
            _frozen(scores.end),
            scores.per_step,
        )

    def chain(self) -> LinearChain:
        """Make the chain of these scores, in double precision."""
        import torch

        from ...chain import LinearChain

        def tensor(table: Any) -> torch.Tensor:
            return torch.tensor(table, dtype=torch.float64)

        S = len(self.tags)
        transitions = tensor(self.transitions)
        if self.per_step:
            transitions = transitions.reshape(1, -1, S, S)
        emissions = tensor(self.emissions).reshape(1, -1, S)
        return LinearChain(emissions, transitions, tensor(self.start), tensor(self.end))

    def with_score(self, table: str, index: Sequence[int], value: float) -> ChainTables:
        """Change one score of a copy.

        Args:
            table: A key of `DEPTHS`; "step" is a transition of one step.
            index: Where, as many as the table has indices.
            value: The log-score.

        Raises:
            ValueError: There is no such score, or the value is nan or +∞.
        """
        is_there = len(index) == DEPTHS.get(table)
        if not is_there or (table == "transitions" and self.per_step):
            raise ValueError(f"table: no score is called {table!r} with {len(index)} indices")
        if table == "step" and not self.per_step:
            raise ValueError("table: all steps share their transitions; change 'transitions'")
        if math.isnan(value) or value == math.inf:
            raise ValueError(f"value: expected a finite number or -inf, got {value}; write -inf")
        name = "transitions" if table == "step" else table
        return replace(self, **{name: _changed(getattr(self, name), index, value)})


def tables(scores: HasScores, *, fixed: bool = True, full: Sequence[str] = ()) -> dict[str, Any]:
    """Write the tables: texts and colours, by table.

    Args:
        scores: What is written; the colours are strongest at the largest score in size.
        fixed: Whether tags and tokens cannot be renamed, added or removed.
        full: "tag" or "token", of which no more can be added.
    """
    matrices: Any = scores.transitions if scores.per_step else (scores.transitions,)
    every = _flat((scores.emissions, scores.transitions, scores.start, scores.end))
    largest = max((abs(value) for value in every if value > NEG_INF), default=0.0)

    def cells_of(table: Any) -> Any:
        return [cells_of(x) for x in table] if isinstance(table, tuple) else _cell(table, largest)

    names = [f"{t}: {a} → {b}" for t, (a, b) in enumerate(pairwise(scores.tokens), 1)]
    return {
        "tags": list(scores.tags),
        "tokens": list(scores.tokens),
        "emissions": cells_of(scores.emissions),
        "perStep": scores.per_step,
        "transitions": [
            {
                "name": names[t] if scores.per_step else "",
                "cells": cells_of(matrix),
            }
            for t, matrix in enumerate(matrices)
        ],
        "start": cells_of(scores.start),
        "end": cells_of(scores.end),
        "words": words(FOLDER),
        "fixed": fixed,
        "full": list(full),
    }


def _cell(value: float, largest: float) -> list[str | None]:
    """As short as it fits the cell, with all digits, and its colour; hatched where that is None."""
    full = exact(value).replace("-inf", "−∞").replace("-", "−")
    text = min(full, format_score(value), key=len) if len(full) > 6 else full
    if value == NEG_INF:
        return [text, text, None]
    return [text, full, score_background(value, largest)]


def _frozen(table: Any) -> Any:
    return tuple(map(_frozen, table)) if isinstance(table, list) else table


def _flat(table: Any) -> list[float]:
    if isinstance(table, (tuple, list)):
        return [value for entry in table for value in _flat(entry)]
    return [table]


def _changed(table: Any, index: Sequence[int], value: float) -> Any:
    if not index:
        return value
    first, *rest = index
    if not 0 <= first < len(table):
        raise ValueError(f"index: expected 0 to {len(table) - 1}, got {first}")
    return (*table[:first], _changed(table[first], rest, value), *table[first + 1 :])
