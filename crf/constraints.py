"""Which tags may start, follow each other, end, and stand at a position: BIO, BIOES, any table.

One object, applied in one place (`ChainCRF.chain`) by setting forbidden scores to −∞; so loss,
marginals, decoding, k-best and sampling all see the same chain.

    BIO     I-X only after B-X or I-X
    BIOES   B-X and I-X only before I-X or E-X; I-X and E-X only after B-X or I-X; S-X alone

Sources: Ramshaw and Marcus (1995), "Text chunking using transformation-based learning"; Ratinov and
Roth (2009), "Design challenges and misconceptions in named entity recognition".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

_CONTINUES = {"BIO": {"I": "BI"}, "BIOES": {"I": "BI", "E": "BI"}}  # a prefix: what may precede it
_UNFINISHED = {"BIO": "", "BIOES": "BI"}  # prefixes that must be continued


@dataclass(frozen=True)
class Constraints:
    """A table of what is allowed.

    Attributes:
        transitions: [S, S] bool, whether row i may be followed by column j.
        start: [S] bool, whether a chain may start with the tag.
        end: [S] bool, whether a chain may end with the tag.

    Example:
        >>> table = Constraints.bio(["O", "B-PER", "I-PER"])
        >>> table.transitions.int()
        tensor([[1, 1, 0],
                [1, 1, 1],
                [1, 1, 1]], dtype=torch.int32)
        >>> table.start.tolist()
        [True, True, False]
    """

    transitions: Bool[Tensor, "S S"]
    start: Bool[Tensor, " S"]
    end: Bool[Tensor, " S"]

    def __post_init__(self) -> None:
        S = len(self.start) if isinstance(self.start, Tensor) and self.start.dim() == 1 else 0
        for name, shape in {"transitions": (S, S), "start": (S,), "end": (S,)}.items():
            check_allowed(name, getattr(self, name), shape)

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
        transitions = torch.as_tensor(transitions)
        every = torch.ones(len(transitions), dtype=torch.bool, device=transitions.device)
        start = every if start is None else torch.as_tensor(start)
        end = every if end is None else torch.as_tensor(end)
        return cls(transitions, start, end)

    @classmethod
    def bio(cls, labels: Sequence[str]) -> "Constraints":
        """The BIO scheme, from label names such as O, B-PER, I-PER.

        Raises:
            ValueError: A label is none of O, B-…, I-….
        """
        return cls._scheme("BIO", labels)

    @classmethod
    def bioes(cls, labels: Sequence[str]) -> "Constraints":
        """The BIOES scheme, from label names such as O, B-PER, I-PER, E-PER, S-PER.

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


def check_allowed(name: str, table: Any, shape: Sequence[int]) -> None:
    """Refuse what is not a bool tensor of the shape."""
    if not isinstance(table, Tensor) or table.dtype != torch.bool:
        got = f"dtype {table.dtype}" if isinstance(table, Tensor) else type(table).__name__
        raise TypeError(
            f"{name}: expected a bool tensor of shape {list(shape)}, got {got}; "
            "True marks what is allowed"
        )
    if tuple(table.shape) != tuple(shape):
        raise ValueError(
            f"{name}: expected shape {list(shape)}, got {list(table.shape)}; "
            "give one truth value per tag, rows from, columns to"
        )
