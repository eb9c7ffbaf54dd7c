"""Which tags may start, end, follow one another, or appear at a position: BIO, BIOES, any table.

Forbidden scores are set to −∞ in one place, `Constraints.apply`. So the loss, marginals, decoding,
k-best lists and samples all use the same chain. `crf.schemes` describes the label schemes.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from .core.potentials import NEG_INF
from .core.shapes import Bool
from .core.validation import check_truths, fits
from .schemes import SCHEMES, foreign, scheme_of_tags, split

_OTHER_NAMES = {"IOB2": "BIO", "IOBES": "BIOES", "BIOUL": "BILOU"}

CellSets = Sequence[Set[int] | None]  # of one sentence: the allowed tags of each, None for all
Allowed = Tensor | CellSets | Sequence[CellSets]  # `Constraints.at` says what each form means


@dataclass(frozen=True)
class Constraints:
    """Which tags may start, end, follow one another, or appear at a position.

    Attributes:
        transitions: [S, S] bool, whether tag j (column) may follow tag i (row).
        start: [S] bool, whether a chain may start with the tag.
        end: [S] bool, whether a chain may end with the tag.
        positions: [L, S] or [B, L, S] bool, whether the tag may appear at the cell; None allows
            every tag at every cell.

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
            check_truths(name, getattr(self, name), shape)
        if self.positions is not None:
            batched = not isinstance(self.positions, Tensor) or self.positions.dim() == 3
            check_truths("positions", self.positions, ("B", "L", S) if batched else ("L", S))

    @property
    def num_tags(self) -> int:
        """S, the number of tags."""
        return len(self.start)

    @classmethod
    def table(cls, transitions: Any, start: Any = None, end: Any = None) -> "Constraints":
        """Make constraints from plain tables of truth values.

        Args:
            transitions: [S, S], a nested list or bool tensor; row i to column j.
            start: [S], default all allowed.
            end: [S], default all allowed.

        Raises:
            TypeError: A table contains something other than truth values.
            ValueError: The shapes do not fit.
        """
        try:
            transitions = _as_tensor(transitions)
        except (TypeError, ValueError, RuntimeError) as error:
            raise TypeError(
                f"transitions: expected a table [S, S] of truth values, got {transitions!r}; "
                "give a bool tensor or a nested list of True and False"
            ) from error
        num_tags = transitions.shape[0] if transitions.dim() else 0
        start, end = (
            transitions.new_ones(num_tags, dtype=torch.bool) if ends is None else _as_tensor(ends)
            for ends in (start, end)
        )
        return cls(transitions, start, end)

    def at(self, positions: Allowed) -> "Constraints":
        """Return the same constraints with a set of allowed tags at each cell.

        Args:
            positions: [B, L, S] bool, or [L, S] for all sequences; or, for one sequence, a list
                with a set of tag indices per cell, None where every tag is allowed; or, for a
                batch, a list of such lists, in which cells after the last are free.

        Raises:
            TypeError: It is neither a bool tensor nor a list of sets.
            ValueError: A shape or a tag index does not fit.

        Example:
            >>> Constraints.none(3).at([{0, 2}, None]).positions
            tensor([[[ True, False,  True],
                     [ True,  True,  True]]])
        """
        return replace(self, positions=as_positions("positions", positions, self.num_tags))

    def to(self, device: torch.device | str) -> "Constraints":
        """Return the same constraints on another device.

        Args:
            device: Target device.
        """
        tables = (self.transitions, self.start, self.end, self.positions)
        return Constraints(*(None if x is None else x.to(device) for x in tables))  # pyright: ignore

    def apply(
        self, emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the scores with −∞ where something is forbidden; the arguments stay unchanged.

        Args:
            emissions: [B, L, S] log-scores.
            transitions: [S, S] or [B, L-1, S, S] log-scores.
            start: [S] log-scores.
            end: [S] log-scores.

        Returns:
            The four tables, in the order in which `LinearChain` takes them.

        Raises:
            ValueError: The shapes of `positions` and of the emissions do not match.

        Example:
            >>> scores = torch.zeros(1, 2, 2), torch.zeros(2, 2), torch.zeros(2), torch.zeros(2)
            >>> Constraints.table([[True, False], [True, True]]).apply(*scores)[1]
            tensor([[0., -inf],
                    [0., 0.]])
        """
        if self.positions is not None:
            batched = self.positions.dim() == 3
            check_truths("positions", self.positions, emissions.shape[0 if batched else 1 :])
            emissions = emissions.masked_fill(~self.positions, NEG_INF)
        return (
            emissions,
            transitions.masked_fill(~self.transitions, NEG_INF),
            start.masked_fill(~self.start, NEG_INF),
            end.masked_fill(~self.end, NEG_INF),
        )

    @classmethod
    def none(cls, num_tags: int) -> "Constraints":
        """Make constraints that allow everything.

        Args:
            num_tags: S.
        """
        return cls.table(torch.ones(num_tags, num_tags, dtype=torch.bool, device="cpu"))

    @classmethod
    def of(cls, labels: Sequence[str] | Mapping[Any, Any], scheme: str = "auto") -> "Constraints":
        """Make the constraints of a label scheme: IO, IOB1, BIO, BIOES, BILOU or BMES.

        Args:
            labels: S names, in the order of the tag indices; or a dictionary in any order, from
                name to index or from index to name, such as `label2id` and `id2label` of a Hugging
                Face configuration. No token may have `[PAD]` or `<pad>`; other names in
                brackets, such as `[CLS]`, are treated as O.
            scheme: The scheme's name, as in `crf.schemes`, or IOB2, IOBES or BIOUL. "auto"
                recognises the scheme from the names; it takes IOB1 rather than BIO where a type has
                an I but no B.

        Returns:
            Constraints for S tags, in the order of the indices.

        Raises:
            TypeError: The labels are not a list or dictionary of names.
            ValueError: The scheme is unknown, or a label is not one of the scheme's.

        Example:
            >>> table = Constraints.of({"[PAD]": 3, "O": 0, "L-PER": 2, "B-PER": 1, "U-PER": 4})
            >>> table.transitions[1].tolist(), table.end.tolist()
            ([False, False, True, False, False], [True, False, True, False, True])
        """
        names = _in_order(labels)
        plain = ["O" if _is_special(name) else name for name in names]
        scheme = _recognise(plain) if scheme == "auto" else _OTHER_NAMES.get(scheme, scheme)
        if scheme not in SCHEMES:
            raise ValueError(
                f"scheme: expected one of auto, {', '.join(SCHEMES)}, got {scheme!r}; choose one"
            )
        _check_labels(plain, scheme)

        def may_follow(before: str, after: str) -> bool:
            (left, kind), (right, other) = split(before), split(after)
            in_span = left in "BI"
            if scheme in ("IO", "IOB1"):
                return right != "B" or (in_span and kind == other)
            if right in "IE":
                return in_span and kind == other
            return not in_span or scheme == "BIO"

        stands = [not (_is_special(name) and name[1:-1].lower() == "pad") for name in names]
        S = range(len(names))
        return cls.table(
            [[stands[i] and stands[j] and may_follow(plain[i], plain[j]) for j in S] for i in S],
            start=[stands[j] and may_follow("O", plain[j]) for j in S],
            end=[stands[i] and may_follow(plain[i], "O") for i in S],
        )

    @classmethod
    def bio(cls, labels: Sequence[str] | Mapping[Any, Any]) -> "Constraints":
        """Make the constraints of BIO, from label names such as O, B-PER, I-PER.

        Args:
            labels: S names, as `of` takes them.

        Raises:
            TypeError: The labels are not a list or dictionary of names.
            ValueError: A label is not O, B-… or I-….
        """
        return cls.of(labels, "BIO")

    @classmethod
    def bioes(cls, labels: Sequence[str] | Mapping[Any, Any]) -> "Constraints":
        """Make the constraints of BIOES, from label names such as O, B-PER, I-PER, E-PER, S-PER.

        Args:
            labels: S names, as `of` takes them.

        Raises:
            TypeError: The labels are not a list or dictionary of names.
            ValueError: A label is not O, B-…, I-…, E-… or S-….
        """
        return cls.of(labels, "BIOES")


def as_positions(
    name: str, positions: Any, num_tags: int, emissions: Tensor | None = None
) -> Tensor:
    """Return sets of allowed tags at each cell as a table of truth values.

    Args:
        name: The argument's name, for errors.
        positions: See `Constraints.at`.
        num_tags: S.
        emissions: [B, L, S] scores whose shape and device the table must have; None for any.

    Returns:
        [L, S] or [B, L, S] bool.

    Raises:
        TypeError: It is neither a bool tensor nor a list of sets.
        ValueError: A shape or a tag index does not fit.
    """
    device = None if emissions is None else emissions.device
    if isinstance(positions, Sequence):
        rows = positions if _is_batch(positions) else [positions]
        sizes = [max(map(len, rows), default=0)] if emissions is None else emissions.shape[:2]
        _check_rows(name, rows, sizes)
        table = torch.ones(len(rows), sizes[-1], num_tags, dtype=torch.bool, device="cpu")
        for b, row in enumerate(rows):
            for t, tags in enumerate(row):
                if tags is not None:
                    _check_cell(name, tags, (b, t), num_tags)
                    table[b, t] = False
                    table[b, t, list(tags)] = True
        positions = table if device is None else table.to(device)
    cells = ("B", "L", num_tags) if emissions is None else emissions.shape
    for_all = isinstance(positions, Tensor) and fits(positions.shape, cells[1:])
    check_truths(name, positions, cells[1 if for_all else 0 :], device)
    return positions


def _is_batch(rows: Sequence[Any]) -> bool:
    """Whether it is a list of sentences, not of the cells of one; tags may be a set or a list."""
    inner = (row for row in rows if isinstance(row, Sequence))
    return any(not isinstance(cell, int) for row in inner for cell in row)


def _check_rows(name: str, rows: Sequence[Any], sizes: Sequence[int]) -> None:
    """Refuse another number of sentences, and a sentence of more cells, than there are."""
    if len(sizes) == 2 and len(rows) != sizes[0]:
        one = "a list for one sentence" if len(rows) == 1 else f"lists for {len(rows)} sentences"
        raise ValueError(
            f"{name}: expected a list of sets for each of the {sizes[0]} sentences, got {one}; "
            "give a list of such lists, or a bool tensor [B, L, S]"
        )
    for b, row in enumerate(rows):
        full = len(rows) == 1 and len(sizes) == 2
        if len(row) > sizes[-1] or (full and len(row) != sizes[-1]):
            raise ValueError(
                f"{name}: expected {sizes[-1]} cells, got {len(row)} in sentence {b}; give a set "
                "of tag indices per cell, or None where every tag is allowed"
            )


def _check_cell(name: str, tags: Any, cell: tuple[int, int], num_tags: int) -> None:
    """Refuse what is not a set of tag indices."""
    where = f"at sentence {cell[0]}, cell {cell[1]}"
    if isinstance(tags, str) or not isinstance(tags, Collection):
        raise TypeError(
            f"{name}: expected a set of tag indices, got {type(tags).__name__} {where}; give "
            "sets such as {0, 2}, or None where every tag is allowed"
        )
    for tag in tags:
        if isinstance(tag, bool) or not isinstance(tag, int) or not 0 <= tag < num_tags:
            raise ValueError(
                f"{name}: expected tags from 0 to {num_tags - 1}, got {tag!r} {where}; give tag "
                "indices"
            )


def check_labels(names: Sequence[str] | None, num_tags: int, scheme: str | None) -> None:
    """Refuse labels of another number, or, where a scheme is given, of another scheme."""
    if names is None or len(names) != num_tags:
        raise ValueError(
            f"labels: expected {num_tags} names, one for each tag, got "
            f"{0 if names is None else len(names)}; give them in the order of the tags"
        )
    if scheme is None:
        return
    if scheme not in SCHEMES:
        raise ValueError(
            f"scheme: expected one of {', '.join(SCHEMES)}, got {scheme!r}; None takes all"
        )
    wrong = foreign([name for name in names if not _is_special(name)], scheme)
    if wrong is not None:
        raise ValueError(
            f"labels: expected {scheme} labels, got {wrong!r}; name their scheme, or give None"
        )


def _as_tensor(table: Any) -> Tensor:
    """Make a tensor of a table, plain values on the CPU even where the default device is meta."""
    return table if isinstance(table, Tensor) else torch.tensor(table, device="cpu")


def _in_order(labels: Any) -> list[str]:
    """Return the names of a list or dictionary in the order of their indices."""
    if isinstance(labels, str) or not isinstance(labels, Sequence | Mapping):
        raise TypeError(
            f"labels: expected a list of names, or a dictionary label2id, got "
            f"{type(labels).__name__}; give the names in the order of their indices"
        )
    names = list(labels)
    if isinstance(labels, Mapping):
        pairs = list(labels.items())
        if any(isinstance(name, str) for name in labels.values()):  # id2label
            pairs = [(name, index) for index, name in pairs]
        indices = [int(index) if str(index).isdecimal() else index for _, index in pairs]
        by_index = {index: name for index, (name, _) in zip(indices, pairs, strict=True)}
        if set(by_index) != set(range(len(pairs))):
            raise ValueError(
                f"labels: expected a dictionary from names to the indices 0 to {len(pairs) - 1}, "
                f"each once, got the indices {indices!r}; number the labels from 0"
            )
        names = [by_index[index] for index in range(len(pairs))]
    for index, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError(
                f"labels: expected names, got {type(name).__name__} at index {index}; give strings"
            )
    return names


def _is_special(name: str) -> bool:
    """Whether the label is in brackets, as [CLS] and <pad> are."""
    return len(name) > 2 and name[0] + name[-1] in ("[]", "<>")


def _recognise(names: Sequence[str]) -> str:
    """Return the scheme of labels, none of which is special."""
    scheme = scheme_of_tags(names) if set(names) - {"O"} else "BIO"
    if scheme is None:
        _check_labels(names, "BIMELSU", "BIO, IOB1, BIOES, BILOU or BMES")
        raise ValueError(
            f"labels: expected the letters of one scheme ({', '.join(SCHEMES)}), got "
            f"{', '.join(names)}; rename them, or give a plain table with Constraints.table"
        )
    parts = [split(name) for name in names]
    begun, inside = ({kind for role, kind in parts if role == letter} for letter in "BI")
    return "IOB1" if scheme == "BIO" and inside - begun else scheme


def _check_labels(names: Sequence[str], scheme: str, expected: str | None = None) -> None:
    """Refuse the first label that is not one of the scheme's."""
    letters = [letter for letter in scheme if letter not in "O1"]
    for index, name in enumerate(names):
        letter, dash, kind = name.partition("-")
        if name != "O" and (letter not in letters or bool(dash) != bool(kind)):
            examples = ", ".join(["O", *(f"{letter}-TYPE" for letter in letters)])
            raise ValueError(
                f"labels: expected {expected or scheme} labels ({examples}), got {name!r} at index "
                f"{index}; rename it, or give a plain table with Constraints.table"
            )
