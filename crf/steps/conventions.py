"""Which terms meet in a cell: the recursions as three kinds of textbook write them.

`CONVENTIONS` names the parts of a term, in the order in which the textbook writes them, and what is
added once the terms are merged. A part with a ' belongs to the token that the recursion comes from
and its tag, one without to the cell's own. A part stands in a term only where there is one:

    start         at the first token
    end           at the last token
    emission      at each token
    transition    between two tokens
    previous      a cell of the table, where that token has a column

The total is the cell one token beyond the chain. Columns and tokens count from 0.

Sources: state form: Rabiner (1989), eqs. 20 and 25; message form: Koller and Friedman (2009),
"Probabilistic graphical models", section 10.2; pair form: Collins (2013), "The forward-backward
algorithm".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from . import Part

if TYPE_CHECKING:
    from ..chain import LinearChain
    from . import Trace

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

    def matrix(self, t: int) -> list[list[float]]:
        """[S][S] log-scores of the transitions that lead into token t, from row to column."""
        return self.matrices[t - 1 if self.per_step else 0]


FORMS = ("state", "message", "pair")


class Convention(NamedTuple):
    """One way to write a recursion.

    Attributes:
        tokens: Which of the tokens have a column.
        term: The parts of a term.
        after: The parts that are added after the sum or maximum.
    """

    tokens: slice
    term: str
    after: str = ""

    @property
    def own(self) -> set[str]:
        """The parts of the cell's own token that are in its value."""
        return {name for name in f"{self.term} {self.after}".split() if not name.endswith("'")}

    @property
    def first(self) -> int:
        """The token of the first column."""
        return self.tokens.start or 0

    @property
    def number(self) -> int:
        """The number of the first column in symbols, such as 1 in α_1.

        A column between two tokens has the number of the token that the recursion comes from.
        """
        return 2 if self.tokens.stop else 1

    def at(self, t: int, u: int, m: int) -> tuple[list[str], list[str]]:
        """The parts of a term of token t that comes from token u of m, and those added after."""
        tokens = range(m)
        is_there = {
            "start": t in tokens[:1],
            "start'": u in tokens[:1],
            "end": t in tokens[-1:],
            "end'": u in tokens[-1:],
            "emission": t in tokens,
            "emission'": u in tokens,
            "previous'": u in tokens[self.tokens],
            "transition": t in tokens and u in tokens,
        }

        def parts(names: str) -> list[str]:
            return [name for name in names.split() if is_there[name]]

        return parts(self.term), parts(self.after)


_ALL = slice(None)
CONVENTIONS = {
    ("forward", "state"): Convention(_ALL, "start previous' transition end'", "emission"),
    ("forward", "message"): Convention(
        slice(1, None), "start' previous' emission' transition end'"
    ),
    ("forward", "pair"): Convention(_ALL, "start previous' transition emission end"),
    ("backward", "state"): Convention(_ALL, "start' transition emission' previous' end"),
    ("backward", "message"): Convention(
        slice(None, -1), "start' emission' transition previous' end'"
    ),
    ("backward", "pair"): Convention(_ALL, "start' transition emission' end' previous'"),
}


def convention(algorithm: str, form: str) -> Convention:
    """The convention in which an algorithm's table is written: Viterbi's goes forward."""
    return CONVENTIONS["backward" if algorithm == "backward" else "forward", form]


def convention_of(trace: Trace) -> Convention:
    """The convention in which a trace is written."""
    return convention(trace.algorithm, trace.convention)


Terms = list[tuple[int, list[Part]]]  # each with the row that it comes from


def terms_at(
    x: ChainScores, direction: str, form: str, table: list[list[float]], t: int
) -> Callable[[int], tuple[Terms, list[Part]]]:
    """The terms that meet in each cell of token t, and what is added after them, by its row.

    One token beyond the chain these are the terms of the total, for any row.
    """
    how, forward, tokens = CONVENTIONS[direction, form], direction == "forward", range(x.m)
    u = t - 1 if forward else t + 1
    c = u - how.first

    def transition(s: int, i: int) -> Part:
        i, j = (i, s) if forward else (s, i)
        return Part("transition", x.matrix(max(t, u))[i][j], (i, j))

    parts = {  # the part for the own tag s and the other token's tag i
        "start": lambda s, i: Part("start", x.start[s], (s,)),
        "start'": lambda s, i: Part("start", x.start[i], (i,)),
        "end": lambda s, i: Part("end", x.end[s], (s,)),
        "end'": lambda s, i: Part("end", x.end[i], (i,)),
        "emission": lambda s, i: Part("emission", x.emissions[t][s], (t, s)),
        "emission'": lambda s, i: Part("emission", x.emissions[u][i], (u, i)),
        "previous'": lambda s, i: Part("previous", table[c][i], (c, i)),
        "transition": transition,
    }
    names, last = how.at(t, u, x.m)
    sources = range(x.S) if u in tokens else [OUTSIDE]
    # what has a prime is the same for each own tag
    shared = {
        name: [parts[name](OUTSIDE, i) for i in sources] for name in names if name.endswith("'")
    }

    def cell(s: int) -> tuple[Terms, list[Part]]:
        of_name = [shared.get(name) or [parts[name](s, i) for i in sources] for name in names]
        terms = [(i, [made[k] for made in of_name]) for k, i in enumerate(sources)]
        return terms, [parts[name](s, OUTSIDE) for name in last]

    return cell
