"""Which tags may start, follow each other, end, and stand at a position: BIO, BIOES, any table.

One object, applied in one place (`Constraints.apply`) by setting forbidden scores to −∞; so loss,
marginals, decoding, k-best and sampling all see the same chain.

    BIO     I-X only after B-X or I-X
    BIOES   B-X and I-X only before I-X or E-X; I-X and E-X only after B-X or I-X; S-X alone

Sources: Ramshaw and Marcus (1995), "Text chunking using transformation-based learning"; Ratinov and
Roth (2009), "Design challenges and misconceptions in named entity recognition".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from .potentials import NEG_INF
from .shapes import Bool
from .validation import fits

_CONTINUES = {"BIO": {"I": "BI"}, "BIOES": {"I": "BI", "E": "BI"}}  # a prefix: what may precede it
_UNFINISHED = {"BIO": "", "BIOES": "BI"}  # prefixes that must be continued


@dataclass(frozen=True)
class Constraints:
    """A table of what is allowed.

    Attributes:
        transitions: [S, S] bool, whether row i may be followed by column j.
        start: [S] bool, whether a chain may start with the tag.
        end: [S] bool, whether a chain may end with the tag.
        positions: [L, S] or [B, L, S] bool, whether the tag may stand at the cell; None: all may.

    Example:
        >>> table = Constraints.bio(["O", "B-PER", "I-PER"])
        >>> table.transitions.int()
        tensor([[1, 1, 0],
                [1, 1, 1],
                [1, 1, 1]], dtype=torch.int32)
        >>> table.start.tolist()
        [True, True, False]
        >>> from crf import LinearChain
        >>> scores = torch.zeros(1, 2, 3), torch.zeros(3, 3), torch.zeros(3), torch.zeros(3)
        >>> LinearChain(*table.apply(*scores)).log_partition.exp()  # 9 paths less 4 illegal ones
        tensor([5.])
    """

    transitions: Bool[Tensor, "S S"]
    start: Bool[Tensor, " S"]
    end: Bool[Tensor, " S"]
    positions: Bool[Tensor, "*B L S"] | None = None

    def __post_init__(self) -> None:
        table = self.transitions
        S = len(table) if isinstance(table, Tensor) and table.dim() else 0
        for name, shape in {"transitions": (S, S), "start": (S,), "end": (S,)}.items():
            _check_table(name, getattr(self, name), shape)
        if self.positions is not None:
            batched = not isinstance(self.positions, Tensor) or self.positions.dim() == 3
            _check_table("positions", self.positions, ("B", "L", S) if batched else ("L", S))

    @property
    def num_tags(self) -> int:
        """S, the number of tags."""
        return len(self.start)

    @classmethod
    def table(cls, transitions: Any, start: Any = None, end: Any = None) -> "Constraints":
        """Constraints from plain tables of truth values.

        Args:
            transitions: [S, S], a nested list or bool tensor; row i to column j.
            start: [S], default all allowed.
            end: [S], default all allowed.

        Returns:
            The constraints.

        Raises:
            TypeError: A table holds something else than truth values.
            ValueError: The shapes do not fit.
        """
        try:
            transitions = torch.as_tensor(transitions)
        except (TypeError, ValueError, RuntimeError) as error:
            raise TypeError(
                f"transitions: expected a table [S, S] of truth values, got {transitions!r}; "
                "give a bool tensor or a nested list of True and False"
            ) from error
        num_tags = transitions.shape[0] if transitions.dim() else 0
        every = torch.ones(num_tags, dtype=torch.bool, device=transitions.device)
        start = every if start is None else torch.as_tensor(start)
        end = every if end is None else torch.as_tensor(end)
        return cls(transitions, start, end)

    def at(self, positions: Any) -> "Constraints":
        """The same constraints, and a set of allowed tags at each cell.

        Args:
            positions: [L, S] or [B, L, S] bool; or, for one sequence, a list with a set of tag
                indices per cell, None where every tag is allowed.

        Returns:
            New constraints.

        Raises:
            TypeError: Something else was given.
            ValueError: A shape or a tag index does not fit.

        Example:
            >>> Constraints.none(3).at([{0, 2}, None]).positions
            tensor([[ True, False,  True],
                    [ True,  True,  True]])
        """
        if isinstance(positions, Sequence):
            every = range(self.num_tags)
            sets = [every if tags is None else tags for tags in positions]
            bad = [(t, tag) for t, tags in enumerate(sets) for tag in tags if tag not in every]
            if bad:
                raise ValueError(
                    f"positions: expected tags from 0 to {self.num_tags - 1}, got {bad[0][1]!r} at "
                    f"cell {bad[0][0]}; give tag indices"
                )
            rows = [[tag in tags for tag in every] for tags in sets]
            positions = torch.tensor(rows, dtype=torch.bool, device=self.start.device)
            positions = positions.reshape(len(rows), self.num_tags)
        return replace(self, positions=positions)

    def apply(
        self, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Set forbidden scores to −∞; nothing passed in is changed.

        Args:
            emissions: [B, L, S] log-scores.
            transitions: [S, S] or [B, L-1, S, S] log-scores.
            start: [S] log-scores.
            end: [S] log-scores.

        Returns:
            The four tables, in the order in which `LinearChain` takes them.

        Raises:
            ValueError: The positions' table does not fit the emissions.
        """
        if self.positions is not None:
            batched = self.positions.dim() == 3
            _check_table("positions", self.positions, emissions.shape[0 if batched else 1 :])
            emissions = emissions.masked_fill(~self.positions, NEG_INF)
        return (
            emissions,
            transitions.masked_fill(~self.transitions, NEG_INF),
            start.masked_fill(~self.start, NEG_INF),
            end.masked_fill(~self.end, NEG_INF),
        )

    @classmethod
    def none(cls, num_tags: int) -> "Constraints":
        """No constraint: everything is allowed.

        Args:
            num_tags: S.
        """
        return cls.table(torch.ones(num_tags, num_tags, dtype=torch.bool))

    @classmethod
    def bio(cls, labels: Sequence[str]) -> "Constraints":
        """The BIO scheme, from label names such as O, B-PER, I-PER.

        Args:
            labels: S names, in the order of the tag indices.

        Raises:
            ValueError: A label is none of O, B-…, I-….
        """
        return cls._scheme("BIO", labels)

    @classmethod
    def bioes(cls, labels: Sequence[str]) -> "Constraints":
        """The BIOES scheme, from label names such as O, B-PER, I-PER, E-PER, S-PER.

        Args:
            labels: S names, in the order of the tag indices.

        Raises:
            ValueError: A label is none of O, B-…, I-…, E-…, S-….
        """
        return cls._scheme("BIOES", labels)

    @classmethod
    def _scheme(cls, scheme: str, labels: Sequence[str]) -> "Constraints":
        split = [_split(scheme, index, label) for index, label in enumerate(labels)]
        continues, unfinished = _CONTINUES[scheme], _UNFINISHED[scheme]

        def may_follow(before: tuple[str, str], after: tuple[str, str]) -> bool:
            joins = before[0] in continues.get(after[0], "") and before[1] == after[1]
            return joins or (after[0] not in continues and before[0] not in unfinished)

        return cls.table(
            [[may_follow(before, after) for after in split] for before in split],
            start=[prefix not in continues for prefix, _ in split],
            end=[prefix not in unfinished for prefix, _ in split],
        )


def _split(scheme: str, index: int, label: str) -> tuple[str, str]:
    prefix, _, kind = label.partition("-") if isinstance(label, str) else ("", "", "")
    if label == "O" or (prefix in set(scheme) - {"O"} and kind) or label in set(scheme):
        return prefix, kind
    wanted = ", ".join(["O", *(f"{letter}-TYPE" for letter in scheme if letter != "O")])
    raise ValueError(
        f"labels: expected {scheme} labels ({wanted}), got {label!r} at index {index}; "
        "rename it, or give a plain table with Constraints.table"
    )


def _check_table(name: str, table: Any, shape: Sequence[int | str]) -> None:
    """Refuse what is not a bool tensor of the shape; a letter fits any size."""
    if not isinstance(table, Tensor) or table.dtype != torch.bool:
        got = f"dtype {table.dtype}" if isinstance(table, Tensor) else type(table).__name__
        raise TypeError(
            f"{name}: expected a bool tensor of shape {list(shape)}, got {got}; "
            "True marks what is allowed"
        )
    if not fits(table.shape, shape):
        raise ValueError(
            f"{name}: expected shape [{', '.join(map(str, shape))}], got {list(table.shape)}; "
            "give one truth value per tag (transitions: rows from, columns to)"
        )
