"""The sentence as pieces of trellis, one between each two words, joined with brackets anywhere.

    A[i, j] = start(i) + emission_1(i) + transition(i, j) + emission_2(j)      the first piece
    B[i, j] = transition(i, j) + emission_3(j)                                 … and so on

The last piece has the end scores besides. Joining two pieces is a matrix product in the semiring of
sum or max, so the whole sentence's piece has all readings that begin with i and end with j in its
entry [i, j], and log Z is the log-sum of its entries. Each bracketing is a tree.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from crf.core import scan
from pages.shared.course.problem import Problem

SHAPES = ("balanced", "left", "right")
ADD = {"sum": torch.logaddexp, "max": torch.maximum}


class Piece(NamedTuple):
    """A piece of trellis: from a tag of one word to a tag of a later one."""

    first: int  # the word that it begins at
    last: int  # the word that it ends at
    # the rounds after which it is known, if all that can be joined at once is; 0 between neighbours
    round: int
    children: tuple[
        int, ...
    ]  # the two that it was joined from, as indices; none between neighbours
    matrix: Tensor  # [S, S] log-scores


class Tree(NamedTuple):
    """All pieces, those between neighbours first, the whole last, and what it all adds up to."""

    pieces: tuple[Piece, ...]
    total: float  # log Z, or the best path's score; of the words that are joined

    @property
    def rounds(self) -> int:
        """Rounds until the whole is known."""
        return self.pieces[-1].round


def order(shape: str, n: int) -> tuple[int, ...]:
    """The places between n pieces, in the order in which they are joined.

    >>> [order(shape, 5) for shape in SHAPES]
    [(0, 2, 1, 3), (0, 1, 2, 3), (3, 2, 1, 0)]
    """
    places = tuple(range(n - 1))
    if shape == "balanced":
        return _halved(0, n - 1)
    return places if shape == "left" else places[::-1]


def _halved(first: int, last: int) -> tuple[int, ...]:
    """Left and right part first, the place between them last; the left part is a power of two."""
    if first >= last:
        return ()
    half = 1
    while 2 * half < last - first + 1:
        half *= 2
    place = first + half - 1
    return (*_halved(first, place), *_halved(place + 1, last), place)


@lru_cache(maxsize=32)
def joined(problem: Problem, words: int, places: tuple[int, ...], semiring: str) -> Tree:
    """Join the pieces of the first words, at least two, in an order of places.

    The end scores count where these are all words.
    """
    p = problem.chain().potentials
    matrices = list(scan.step_matrices(p)[0, 1:words])
    matrices[0] = (p.start + p.emissions[0, 0])[:, None] + matrices[0]
    if words == len(problem.tokens):
        matrices[-1] = matrices[-1] + p.end
    pieces = [Piece(t, t + 1, 0, (), matrix) for t, matrix in enumerate(matrices)]
    top = list(range(len(pieces)))  # for each piece, the one that it is in by now
    for place in places:
        left, right = top[place], top[place + 1]
        a, b = pieces[left], pieces[right]
        product = scan.multiply(a.matrix, b.matrix, ADD[semiring])
        pieces.append(Piece(a.first, b.last, 1 + max(a.round, b.round), (left, right), product))
        top[a.first : b.last] = [len(pieces) - 1] * (b.last - a.first)
    whole = pieces[-1].matrix.reshape(-1)
    total = whole.max() if semiring == "max" else torch.logsumexp(whole, 0)
    return Tree(tuple(pieces), total.item())


class Cost(NamedTuple):
    """The cost of one way to compute log Z."""

    rounds: int  # steps that have to wait for each other
    products: int  # multiplications in the semiring, in all
    numbers: int  # log-scores that are stored at the same time


def costs(m: int, S: int) -> dict[str, Cost]:
    """The recursion, one tree, and the scan of `crf.core.scan`, for m words and S tags.

    A step of the recursion takes S² products, joining two pieces S³; the first word's scores count
    as a piece. The scan joins, in the round that reaches 2^k further, all but the first 2^k pieces.

    >>> round(costs(1024, 16)["scan"].products / costs(1024, 16)["recursion"].products)
    144
    """
    rounds = math.ceil(math.log2(m)) if m > 1 else 0
    joins = sum(m - 2**k for k in range(rounds))
    return {
        "recursion": Cost(m - 1, (m - 1) * S**2, S),
        "tree": Cost(rounds, (m - 1) * S**3, m * S**2),
        "scan": Cost(rounds, joins * S**3, m * S**2),
    }
