"""Which terms meet in a cell: the recursions as three kinds of textbook write them.

Each function below is one line of a textbook. It lists the terms of a cell, each as the row that it
comes from and the numbers that are added up in it, and what is added once they are merged. Columns
and tokens count from 0, m is the number of tokens; `old(c, i)` is the cell of column c, row i.

Sources: state form: Rabiner (1989), eqs. 20 and 25; message form: Koller and Friedman (2009),
"Probabilistic graphical models", section 10.2; pair form: Collins (2013), "The forward-backward
algorithm".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .steps import Part

if TYPE_CHECKING:
    from .chain import LinearChain

OUTSIDE = -1  # the row of START and END


class ChainScores(NamedTuple):
    """One chain's scores as Python floats, without the cells outside the chain."""

    positions: tuple[int, ...]  # m numbers, the tokens' cells in the padded row
    emissions: list[list[float]]  # [m][S] log-scores
    matrices: list[list[list[float]]]  # the transitions' log-scores: one [S][S], or m − 1 of them
    per_step: bool  # whether there is one for each step
    start: list[float]  # [S] log-scores
    end: list[float]  # [S] log-scores

    @classmethod
    def of(cls, chain: LinearChain, row: int) -> ChainScores:
        """The scores of one row of a batch."""
        p = chain.potentials
        positions = [t for t, in_chain in enumerate(p.mask[row].tolist()) if in_chain]
        matrices = [p.transitions.tolist()]
        if p.per_step:
            matrices = [p.transitions[row, t - 1].tolist() for t in positions[1:]]
        emissions = [p.emissions[row, t].tolist() for t in positions]
        return cls(
            tuple(positions), emissions, matrices, p.per_step, p.start.tolist(), p.end.tolist()
        )

    @property
    def m(self) -> int:
        """The number of tokens in the chain."""
        return len(self.positions)

    @property
    def S(self) -> int:  # noqa: N802
        """The number of tags."""
        return len(self.start)

    def first(self, s: int) -> Part:
        """start(s)."""
        return Part("start", self.start[s], (s,))

    def last(self, s: int) -> Part:
        """end(s)."""
        return Part("end", self.end[s], (s,))

    def emit(self, t: int, s: int) -> Part:
        """emission_t(s)."""
        return Part("emission", self.emissions[t][s], (t, s))

    def go(self, t: int, i: int, j: int) -> Part:
        """transition(i, j), leading into token t."""
        return Part("transition", self.matrices[t - 1 if self.per_step else 0][i][j], (i, j))


Terms = list[tuple[int, list[Part]]]
Old = Callable[[int, int], Part]


class Convention(NamedTuple):
    """One way to write a recursion.

    Attributes:
        columns: The columns in the order in which they are computed, for m tokens.
        cell: (scores, old, column, row) → the terms that meet, and what is added after them.
        total: (scores, old) → the terms of the total.
    """

    columns: Callable[[int], range]
    cell: Callable[[ChainScores, Old, int, int], tuple[Terms, list[Part]]]
    total: Callable[[ChainScores, Old], Terms]


def _forward_state_cell(x: ChainScores, old: Old, t: int, s: int) -> tuple[Terms, list[Part]]:
    if t == 0:
        return [(OUTSIDE, [x.first(s)])], [x.emit(0, s)]
    return [(i, [old(t - 1, i), x.go(t, i, s)]) for i in range(x.S)], [x.emit(t, s)]


def _forward_state_total(x: ChainScores, old: Old) -> Terms:
    return [(i, [old(x.m - 1, i), x.last(i)]) for i in range(x.S)]


def _forward_message_cell(x: ChainScores, old: Old, c: int, s: int) -> tuple[Terms, list[Part]]:
    def before(i: int) -> Part:
        return old(c - 1, i) if c else x.first(i)

    return [(i, [before(i), x.emit(c, i), x.go(c + 1, i, s)]) for i in range(x.S)], []


def _forward_message_total(x: ChainScores, old: Old) -> Terms:
    def before(i: int) -> Part:
        return old(x.m - 2, i) if x.m > 1 else x.first(i)

    return [(i, [before(i), x.emit(x.m - 1, i), x.last(i)]) for i in range(x.S)]


def _forward_pair_cell(x: ChainScores, old: Old, t: int, s: int) -> tuple[Terms, list[Part]]:
    if t == 0:
        return [(OUTSIDE, [x.first(s), *_own_psi(x, 0, s)])], []
    return [(i, [old(t - 1, i), x.go(t, i, s), *_own_psi(x, t, s)]) for i in range(x.S)], []


def _forward_pair_total(x: ChainScores, old: Old) -> Terms:
    return [(i, [old(x.m - 1, i)]) for i in range(x.S)]


def _backward_state_cell(x: ChainScores, old: Old, t: int, s: int) -> tuple[Terms, list[Part]]:
    if t == x.m - 1:
        return [(OUTSIDE, [x.last(s)])], []
    return [(j, [x.go(t + 1, s, j), x.emit(t + 1, j), old(t + 1, j)]) for j in range(x.S)], []


def _backward_state_total(x: ChainScores, old: Old) -> Terms:
    return [(j, [x.first(j), x.emit(0, j), old(0, j)]) for j in range(x.S)]


def _backward_message_cell(x: ChainScores, old: Old, c: int, s: int) -> tuple[Terms, list[Part]]:
    def after(j: int) -> Part:
        return old(c + 1, j) if c < x.m - 2 else x.last(j)

    return [(j, [x.emit(c + 1, j), x.go(c + 1, s, j), after(j)]) for j in range(x.S)], []


def _backward_message_total(x: ChainScores, old: Old) -> Terms:
    def after(j: int) -> Part:
        return old(0, j) if x.m > 1 else x.last(j)

    return [(j, [x.first(j), x.emit(0, j), after(j)]) for j in range(x.S)]


def _backward_pair_cell(x: ChainScores, old: Old, t: int, s: int) -> tuple[Terms, list[Part]]:
    if t == x.m - 1:
        return [(OUTSIDE, [])], []
    return [(j, [x.go(t + 1, s, j), *_own_psi(x, t + 1, j), old(t + 1, j)]) for j in range(x.S)], []


def _backward_pair_total(x: ChainScores, old: Old) -> Terms:
    return [(j, [x.first(j), *_own_psi(x, 0, j), old(0, j)]) for j in range(x.S)]


def _own_psi(x: ChainScores, t: int, s: int) -> list[Part]:
    """What of ψ(·, s, t) does not depend on the tag before; `end` is folded into the last one."""
    return [x.emit(t, s), *([x.last(s)] if t == x.m - 1 else [])]


CONVENTIONS = {
    ("forward", "state"): Convention(lambda m: range(m), _forward_state_cell, _forward_state_total),
    ("forward", "message"): Convention(
        lambda m: range(m - 1), _forward_message_cell, _forward_message_total
    ),
    ("forward", "pair"): Convention(lambda m: range(m), _forward_pair_cell, _forward_pair_total),
    ("backward", "state"): Convention(
        lambda m: range(m - 1, -1, -1), _backward_state_cell, _backward_state_total
    ),
    ("backward", "message"): Convention(
        lambda m: range(m - 2, -1, -1), _backward_message_cell, _backward_message_total
    ),
    ("backward", "pair"): Convention(
        lambda m: range(m - 1, -1, -1), _backward_pair_cell, _backward_pair_total
    ),
}
