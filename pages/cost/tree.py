"""The sentence as a product of S×S matrices, with brackets anywhere: each bracketing is a tree.

    M_1 M_2 … M_m,    M_t[i, j] = transition(i, j) + emission_t(j),    in the semiring of sum or max

An order of merging says it all: gap g stands between M_(g+1) and M_(g+2); the gap merged last is
the root. `moved` turns a tree at one node, so that any bracketing can be reached.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from crf import scan
from pages.shared.course.problem import Problem

Order = tuple[int, ...]
SHAPES = {"balanced": "Balanced", "left": "From the left", "right": "From the right"}
ADD = {"sum": torch.logaddexp, "max": torch.maximum}


class Product(NamedTuple):
    """A product, or a single matrix."""

    gap: int  # where its two factors meet; −1 for a single matrix
    first: int  # index of its first matrix
    last: int  # index of its last matrix
    # the rounds after which it is known, if all that can be multiplied at once is; 0 for a single
    # matrix
    height: int
    children: tuple[int, ...]  # its factors, as indices among the nodes; none for a single matrix
    matrix: Tensor  # [S, S] log-scores


class Tree(NamedTuple):
    """All nodes, leaves first, the root last, and what it all adds up to."""

    nodes: tuple[Product, ...]  # m matrices and m − 1 products
    total: float  # log Z, or the best path's score

    @property
    def depth(self) -> int:
        """Rounds until the root is known."""
        return self.nodes[-1].height


def shaped(name: str, m: int) -> Order:
    """The order of merging of a bracketing that has a name.

    >>> [shaped(name, 5) for name in SHAPES]
    [(0, 2, 1, 3), (0, 1, 2, 3), (3, 2, 1, 0)]
    """
    gaps = tuple(range(m - 1))
    if name == "balanced":
        return _halved(0, m - 1)
    return gaps if name == "left" else gaps[::-1]


def _halved(first: int, last: int) -> Order:
    """Left and right part first, the gap between them last; the left part is a power of two."""
    if first == last:
        return ()
    half = 1
    while 2 * half < last - first + 1:
        half *= 2
    gap = first + half - 1
    return (*_halved(first, gap), *_halved(gap + 1, last), gap)


def moved(order: Order, gap: int, *, up: bool) -> Order:
    """Turn the tree at a gap: it is merged later, or earlier, and changes places with a neighbour.

    The order stays where nothing is above it, or below.

    >>> moved((0, 1), 0, up=True), moved((0, 1), 1, up=False), moved((0, 1), 1, up=True)
    ((1, 0), (1, 0), (0, 1))
    """
    at = order.index(gap)
    low = max((g for g in order[at + 1 :] if g < gap), default=-1)
    high = min((g for g in order[at + 1 :] if g > gap), default=len(order))
    if up:
        above = [g for g in (low, high) if 0 <= g < len(order)]
        if not above:
            return order
        parent = min(above, key=order.index)
        rest = [g for g in order if g != gap]
        rest.insert(rest.index(parent) + 1, gap)
        return tuple(rest)
    below = [g for g in order[:at] if low < g < high]
    return moved(order, below[-1], up=True) if below else order


def is_order(value: Sequence[Any], m: int) -> bool:
    """Whether these are the gaps of m matrices, each once."""
    return all(type(g) is int for g in value) and sorted(value) == list(range(m - 1))


@lru_cache(maxsize=16)
def multiplied(problem: Problem, order: Order, semiring: str) -> Tree:
    """Multiply the sentence's matrices in this order, in the semiring "sum" or "max"."""
    p = problem.chain().potentials
    nodes = [Product(-1, t, t, 0, (), M) for t, M in enumerate(scan.step_matrices(p)[0])]
    top = list(range(len(nodes)))  # for each matrix, the node that it is in by now
    for gap in order:
        left, right = top[gap], top[gap + 1]
        a, b = nodes[left], nodes[right]
        product = scan.multiply(a.matrix, b.matrix, ADD[semiring])
        height = 1 + max(a.height, b.height)
        nodes.append(Product(gap, a.first, b.last, height, (left, right), product))
        top[a.first : b.last + 1] = [len(nodes) - 1] * (b.last - a.first + 1)
    last = nodes[-1].matrix[0] + p.end  # all rows are the same: the first matrix's are
    total = last.max() if semiring == "max" else torch.logsumexp(last, 0)
    return Tree(tuple(nodes), total.item())


def written(tree: Tree) -> str:
    """The product with its brackets.

    >>> written(multiplied(Problem.blank(["A"], "xyz"), (1, 0), "sum"))
    'M₁ (M₂ M₃)'
    """

    def text(k: int) -> str:
        node = tree.nodes[k]
        if not node.children:
            return "M" + str(node.first + 1).translate(_SMALL)
        left, right = (text(child) for child in node.children)
        return f"({left} {right})"

    whole = text(len(tree.nodes) - 1)
    return whole[1:-1] if whole.startswith("(") else whole


_SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


class Cost(NamedTuple):
    """What one way takes."""

    rounds: int  # steps that have to wait for each other
    operations: int  # multiplications in the semiring, in all


def sequential_cost(m: int, S: int) -> Cost:
    """A vector goes through the matrices, one after the other: S² each."""
    return Cost(m - 1, (m - 1) * S * S)


def tree_cost(tree: Tree, S: int) -> Cost:
    """S×S matrices are multiplied: S³ each."""
    return Cost(tree.depth, sum(bool(node.children) for node in tree.nodes) * S**3)
