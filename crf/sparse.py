"""Sparse features: names and values per token, as weighted sums of the rows of a table.

    scores of a token = Σ_f value_f · weights[row of f]

A token's features are what CRFsuite takes: a list of names, or a dict of names and values.

Source: Okazaki (2007), "CRFsuite: a fast implementation of conditional random fields", whose Python
binding names nested items the same way.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import embedding_bag

Item = Iterable[str] | Mapping[str, Any]


def attributes(item: Item) -> Iterator[tuple[str, float]]:
    """The names and values of a token's features, nested ones joined by colons.

    Args:
        item: A list of names, each of value 1, or a dict of names to a number or truth value, to a
            string ("name:string" of value 1), or to a list or dict of further features.

    Raises:
        TypeError: It is something else.

    Example:
        >>> list(attributes({"word": "Fish", "upper": True, "length": 4, "is": ["a", "b"]}))
        [('word:Fish', 1.0), ('upper', 1.0), ('length', 4.0), ('is:a', 1.0), ('is:b', 1.0)]
    """
    if isinstance(item, Mapping):
        for name, value in item.items():
            if isinstance(value, str):
                yield f"{name}:{value}", 1.0
            elif isinstance(value, (int, float, np.number, np.bool_)):
                yield str(name), float(value)
            else:
                for inner, number in attributes(value):
                    yield f"{name}:{inner}", number
    elif isinstance(item, (str, bytes)) or not isinstance(item, Iterable):
        raise TypeError(f"expected a list of names or a dict, got {type(item).__name__}")
    else:
        for name in item:
            if not isinstance(name, str):
                raise TypeError(f"expected names that are strings, got {type(name).__name__}")
            yield name, 1.0


class Entries(NamedTuple):
    """The features of all tokens, one after another.

    Attributes:
        rows: [n] of each feature, the row of its weights.
        values: [n] its value.
        counts: [tokens] how many features each token has.
    """

    rows: np.ndarray
    values: np.ndarray
    counts: np.ndarray

    @classmethod
    def none(cls, tokens: int) -> "Entries":
        """Tokens without features."""
        return cls(np.zeros(0, int), np.zeros(0, np.float32), np.zeros(tokens, int))


def encode(
    X: Sequence[Sequence[Item]],
    rows: dict[str, int],
    *,
    grow: bool = False,
    beginnings: tuple[str, ...] = ("",),
) -> Entries:
    """The features of the tokens as numbers.

    Args:
        X: A list of items per sequence.
        rows: The row of each name; features with other names are left out.
        grow: Give other names a row, too.
        beginnings: Take only names that begin with one of these.

    Raises:
        TypeError: An item is no features of a token.
        ValueError: A value is not a finite number.
    """
    found: list[int] = []
    values: list[float] = []
    counts: list[int] = []
    for b, sequence in enumerate(X):
        for t, item in enumerate(sequence):
            before = len(found)
            try:
                if beginnings == ("",) and isinstance(item, list):  # the quick way
                    if grow:
                        found.extend([rows.setdefault(name, len(rows)) for name in item])
                    else:
                        found.extend([rows[name] for name in item if name in rows])
                    values.extend([1.0] * (len(found) - before))
                else:
                    for name, value in attributes(item):
                        if not math.isfinite(value):
                            raise ValueError(f"expected a finite value of {name!r}, got {value}")
                        if value and name.startswith(beginnings) and (grow or name in rows):
                            found.append(rows.setdefault(name, len(rows)))
                            values.append(value)
            except (TypeError, ValueError) as error:
                raise type(error)(
                    f"X: sequence {b}, token {t}: {error}; give a list of names, or a dict of "
                    "names to numbers, strings, lists"
                ) from None
            counts.append(len(found) - before)
    if grow and (bad := [name for name in rows if not isinstance(name, str)]):
        raise TypeError(f"X: expected names that are strings, got {bad[0]!r}; use str(name)")
    return Entries(np.array(found, int), np.array(values, np.float32), np.array(counts, int))


def drop_rare(
    entries: Entries, rows: dict[str, int], lowest: int
) -> tuple[Entries, dict[str, int]]:
    """Leave out the features that occur less often than that, and number the rows anew."""
    kept = np.bincount(entries.rows, minlength=len(rows)) >= lowest
    new = np.cumsum(kept) - 1
    stays = kept[entries.rows]
    token = np.repeat(np.arange(len(entries.counts)), entries.counts)[stays]
    counts = np.bincount(token, minlength=len(entries.counts))
    names = {name: int(new[row]) for name, row in rows.items() if kept[row]}
    return Entries(new[entries.rows[stays]], entries.values[stays], counts), names


class Bags(NamedTuple):
    """The features of a batch's cells: a sparse matrix [cells, U], by cell and by feature.

    Attributes:
        rows: [U] the rows of the weights that occur.
        by_cell: Places in `rows` [n], where each cell's begin [cells], their values [n].
        by_row: The cells [n], where each row's begin [U], their values [n].
    """

    rows: Tensor
    by_cell: tuple[Tensor, Tensor, Tensor]
    by_row: tuple[Tensor, Tensor, Tensor]

    @classmethod
    def of(cls, entries: Entries, tokens: np.ndarray, cells: np.ndarray, size: int) -> "Bags":
        """The bags of some tokens.

        Args:
            entries: Of all tokens.
            tokens: [m] which of them.
            cells: [m] the cell of each, ascending.
            size: How many cells there are.
        """
        counts = entries.counts[tokens]
        ends = np.cumsum(entries.counts)[tokens]
        chosen = np.repeat(ends - np.cumsum(counts), counts) + np.arange(counts.sum())
        rows, places = np.unique(entries.rows[chosen], return_inverse=True)
        values, cell = entries.values[chosen], np.repeat(cells, counts)
        order = np.argsort(places, kind="stable")
        return cls(
            torch.from_numpy(rows),
            _bags(places, cell, size, values),
            _bags(cell[order], places[order], len(rows), values[order]),
        )

    def times(self, weights: Tensor) -> Tensor:
        """[cells, K] of the weights [U, K] of the rows that occur."""
        return _sums(self.by_cell, weights)

    def gradient(self, of_cells: Tensor) -> Tensor:
        """[U, K], the derivatives in those weights, of the derivatives [cells, K] in the sums."""
        return _sums(self.by_row, of_cells)


def _bags(places: np.ndarray, bag: np.ndarray, size: int, values: np.ndarray) -> Any:
    begins = np.searchsorted(bag, np.arange(size))
    return torch.from_numpy(places), torch.from_numpy(begins), torch.from_numpy(values)


def _sums(bags: tuple[Tensor, Tensor, Tensor], table: Tensor) -> Tensor:
    places, begins, values = bags
    if not len(places):
        return table.new_zeros(len(begins), table.shape[1])
    return embedding_bag(places, table, begins, mode="sum", per_sample_weights=values)


class AdagradTable:
    """Weights that Adagrad learns, some rows at a time.

    Attributes:
        values: [R, K] the weights.
        squares: [R, K] the sums of their squared gradients.
        seen: [R] in how many batches a row occurred. Each applies its share of the penalties.
    """

    def __init__(self, values: Tensor) -> None:
        self.values = values
        self.squares = torch.zeros_like(values)
        self.seen = values.new_zeros(len(values))

    def grow(self, size: int) -> None:
        """Add rows of zeros."""
        for name in ("values", "squares", "seen"):
            old = getattr(self, name)
            new = old.new_zeros(size - len(old), *old.shape[1:])
            setattr(self, name, torch.cat([old, new]) if len(new) else old)

    def step(self, rows: Tensor, gradient: Tensor, rate: float, c1: float, c2: float) -> None:
        """One step of Adagrad; proximal in c1 ‖w‖₁, a gradient in c2 ‖w‖².

        Args:
            rows: [U] which rows, each once.
            gradient: [U, K] of the loss in them.
            rate: The length of the first step.
            c1: Weight of the L1 penalty over all batches.
            c2: Weight of the L2 penalty over all batches.

        Source: Duchi, Hazan and Singer (2011), figure 1 and section 5.1.
        """
        weights, share = self.values[rows], 1 / self.seen[rows, None]
        if c2:
            gradient = gradient + 2 * c2 * share * weights
        squares = self.squares[rows].addcmul_(gradient, gradient)
        self.squares[rows] = squares
        rates = rate / (squares.sqrt() + 1e-8)
        weights -= rates * gradient
        if c1:
            weights = weights.sign() * (weights.abs() - rates * c1 * share).clamp(min=0)
        self.values[rows] = weights
