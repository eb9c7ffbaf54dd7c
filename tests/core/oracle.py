"""The reference: every path of one row, enumerated with itertools and summed with math.fsum.

It shares no code with `crf`, knows no recursion (but `exact`, for chains too long to enumerate),
and takes one row of a batch as plain Python lists. `mask` leaves m tokens of its L cells in the
chain; a path is a tuple of m tags; tables have a line per *cell*, with 0 (or −1) outside the chain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from decimal import Decimal, localcontext
from functools import cached_property
from itertools import pairwise, product
from typing import Any

INF = math.inf
Path = tuple[int, ...]


def log_sum(values: Iterable[float]) -> float:
    """The log of the sum of exponentials; −∞ for none."""
    values = list(values)
    top = max(values, default=-INF)
    if top == -INF:
        return -INF
    return top + math.log(math.fsum(math.exp(value - top) for value in values))


def merge(scores: Iterable[float], semiring: str) -> float:
    """log Σ exp, or the largest."""
    return log_sum(scores) if semiring == "sum" else max(scores, default=-INF)


def lowest_argmax(values: Sequence[float]) -> int:
    return values.index(max(values))


class Row:
    """One chain: `transitions` is [S][S], or [L-1][S][S] of which entry t-1 leads into cell t."""

    def __init__(self, emissions, transitions, start, end, mask, *, per_step: bool = False) -> None:
        self.emissions, self.transitions, self.start, self.end = emissions, transitions, start, end
        self.per_step = per_step
        self.S = len(start)
        self.cells = len(mask)
        self.positions = [cell for cell, inside in enumerate(mask) if inside]
        self.m = len(self.positions)

    # Scores of paths, prefixes and suffixes ------------------------------------------------------

    def emission(self, k: int, tag: int) -> float:
        """The emission of the chain's k-th token (from 0)."""
        return self.emissions[self.positions[k]][tag]

    def transition(self, k: int, tag: int, following: int) -> float:
        """The transition from the k-th token into the next one."""
        table = self.transitions[self.positions[k + 1] - 1] if self.per_step else self.transitions
        return table[tag][following]

    def inner(self, tags: Sequence[int], first: int = 0) -> list[float]:
        """The emissions and transitions inside a stretch of tags that begins at token `first`."""
        emissions = [self.emission(first + k, tag) for k, tag in enumerate(tags)]
        steps = pairwise(tags)
        return emissions + [self.transition(first + k, a, b) for k, (a, b) in enumerate(steps)]

    def score(self, path: Sequence[int]) -> float:
        if not path:
            return 0.0
        return math.fsum([self.start[path[0]], *self.inner(path), self.end[path[-1]]])

    @cached_property
    def paths(self) -> dict[Path, float]:
        """Every path with its score, forbidden ones (−∞) included."""
        return {path: self.score(path) for path in product(range(self.S), repeat=self.m)}

    def prefixes(self, k: int, tag: int) -> list[float]:
        """Scores of all ways to reach `tag` at token k: start, transitions, emissions up to k."""
        heads = product(range(self.S), repeat=k)
        return [math.fsum([self.start[(*h, tag)[0]], *self.inner((*h, tag))]) for h in heads]

    def suffixes(self, k: int, tag: int) -> list[float]:
        """Scores of all ways to go on from `tag` at token k: its own emission is not in them."""
        result = []
        for tail in product(range(self.S), repeat=self.m - k - 1):
            own = [] if not tail else [self.transition(k, tag, tail[0])]
            last = (tag, *tail)[-1]
            result.append(math.fsum([*own, *self.inner(tail, first=k + 1), self.end[last]]))
        return result

    def merged(self, algorithm: str, convention: str, column: int, tag: int) -> list[float]:
        """The scores of all prefixes (backward: suffixes) that a cell of a recursion stands for."""
        last = convention == "pair" and column == self.m - 1  # `end` is folded into the last ψ
        if algorithm == "backward":
            return [0.0] if last else self.suffixes(column, tag)
        if convention == "message":  # all that comes before the tag of the next token
            return [
                score + self.transition(column, before, tag)
                for before in range(self.S)
                for score in self.prefixes(column, before)
            ]
        folded = self.end[tag] if last else 0.0
        return [score + folded for score in self.prefixes(column, tag)]

    def table(self, cell: Callable[[int, int], Any], outside: Any = 0.0) -> list[list[Any]]:
        """`cell(k, tag)` for each token of the chain, `outside` at the cells that are not in it."""
        lines = [[outside] * self.S for _ in range(self.cells)]
        for k, position in enumerate(self.positions):
            lines[position] = [cell(k, tag) for tag in range(self.S)]
        return lines

    def spread(self, path: Sequence[int], outside: int = -1) -> list[int]:
        """A path of m tags as a line of L cells."""
        line = [outside] * self.cells
        for position, tag in zip(self.positions, path, strict=True):
            line[position] = tag
        return line

    def gather(self, line: Sequence[int]) -> Path:
        return tuple(line[position] for position in self.positions)

    # The distribution ----------------------------------------------------------------------------

    @cached_property
    def feasible(self) -> bool:
        return max(self.paths.values()) > -INF

    @cached_property
    def log_partition(self) -> float:
        return log_sum(self.paths.values())

    def log_prob(self, path: Sequence[int]) -> float:
        return self.score(path) - self.log_partition if self.feasible else -INF

    @cached_property
    def probabilities(self) -> dict[Path, float]:
        """p(path) of the allowed paths; nothing in an infeasible chain."""
        return {
            path: math.exp(score - self.log_partition)
            for path, score in self.paths.items()
            if score > -INF
        }

    @cached_property
    def log_alphas(self):
        return self.table(lambda k, tag: log_sum(self.prefixes(k, tag)))

    @cached_property
    def log_betas(self):
        return self.table(lambda k, tag: log_sum(self.suffixes(k, tag)))

    @cached_property
    def marginals(self):
        def marginal(k: int, tag: int) -> float:
            return math.fsum(p for path, p in self.probabilities.items() if path[k] == tag)

        return self.table(marginal)

    @cached_property
    def pair_marginals(self):
        """[max(L-1, 0)][S][S]: entry t-1 holds the pair (predecessor in the chain, token t)."""
        zero = [[0.0] * self.S for _ in range(self.S)]
        result = [[list(line) for line in zero] for _ in range(max(self.cells - 1, 0))]
        for k in range(1, self.m):
            table = [[[] for _ in range(self.S)] for _ in range(self.S)]
            for path, p in self.probabilities.items():
                table[path[k - 1]][path[k]].append(p)
            result[self.positions[k] - 1] = [[math.fsum(ps) for ps in line] for line in table]
        return result

    @cached_property
    def entropy(self) -> float:
        log_z = self.log_partition
        return math.fsum(p * (log_z - self.paths[path]) for path, p in self.probabilities.items())

    def cross_entropy(self, other: Row) -> float:
        return math.fsum(-p * other.log_prob(path) for path, p in self.probabilities.items() if p)

    def restricted(self, sets: Sequence[Container[int]]) -> Row:
        """The row where a path must take a tag of each cell's set, other paths are forbidden.

        Only what is read off `paths` knows of it: log Z, marginals, counts, not α, β or δ.
        """
        allowed = [sets[position] for position in self.positions]
        tables = self.emissions, self.transitions, self.start, self.end
        result = Row(
            *tables, [k in self.positions for k in range(self.cells)], per_step=self.per_step
        )
        result.paths = {
            path: score if all(tag in s for tag, s in zip(path, allowed, strict=True)) else -INF
            for path, score in self.paths.items()
        }
        return result

    # Gradients: expected counts, and observed ones -----------------------------------------------

    def expected_counts(self):
        """∂ log Z / ∂ (emissions, transitions in their own shape, start, end)."""
        zero = [0.0] * self.S
        first = self.marginals[self.positions[0]] if self.m else zero
        last = self.marginals[self.positions[-1]] if self.m else zero
        pairs = self.pair_marginals
        if not self.per_step:
            tags = range(self.S)
            pairs = [[math.fsum(table[a][b] for table in pairs) for b in tags] for a in tags]
        return self.marginals, pairs, first, last

    def observed_counts(self, path: Path):
        """The same four tables for one allowed path: how often it uses each entry."""
        return self.restricted([{tag} for tag in self.spread(path)]).expected_counts()

    # Decoding ------------------------------------------------------------------------------------

    @cached_property
    def log_deltas(self):
        return self.table(lambda k, tag: max(self.prefixes(k, tag)))

    @cached_property
    def backpointers(self):
        """−1 at the first token and outside the chain; None where no predecessor is allowed."""

        def pointer(k: int, tag: int) -> int | None:
            if k == 0:
                return -1
            previous = [
                max(self.prefixes(k - 1, a)) + self.transition(k - 1, a, tag) for a in range(self.S)
            ]
            return lowest_argmax(previous) if max(previous) > -INF else None

        return self.table(pointer, outside=-1)

    @cached_property
    def best(self) -> Path | None:
        """The best path; of tied ones the lowest last tag, then the lowest before it, …"""
        if not self.feasible:
            return None
        top = max(self.paths.values())
        return min((p for p, score in self.paths.items() if score == top), key=lambda p: p[::-1])

    @cached_property
    def ranked(self) -> list[float]:
        """Scores of the allowed paths, best first."""
        return sorted((score for score in self.paths.values() if score > -INF), reverse=True)

    def greedy(self) -> Path:
        return tuple(lowest_argmax(self.emissions[position]) for position in self.positions)

    def greedy_left_to_right(self) -> Path:
        path: list[int] = []
        for k in range(self.m):
            before = (
                self.start
                if k == 0
                else [self.transition(k - 1, path[-1], b) for b in range(self.S)]
            )
            path.append(lowest_argmax([before[b] + self.emission(k, b) for b in range(self.S)]))
        return tuple(path)

    # Chains too long to enumerate ----------------------------------------------------------------

    def exact(self, digits: int = 40) -> tuple[float, list[list[float]], float]:
        """log Z, marginals [m][S] and entropy in probability space with `digits` digits.

        Decimal numbers have exponents without practical bound: nothing is scaled, no logarithm is
        taken before the end. A different computation from one in log space, and an exact one.
        """
        with localcontext() as context:
            context.prec, context.Emax, context.Emin = digits, 10**15, -(10**15)
            tags = range(self.S)

            def exp(score: float) -> Decimal:
                return Decimal(score).exp() if score > -INF else Decimal(0)

            tables: dict[int, list[list[Decimal]]] = {}

            def psi(k: int) -> list[list[Decimal]]:
                key = k if self.per_step else 0
                if key not in tables:
                    tables[key] = [[exp(self.transition(k, a, b)) for b in tags] for a in tags]
                return tables[key]

            emission = [[exp(self.emission(k, tag)) for tag in tags] for k in range(self.m)]
            alphas = [[exp(self.start[tag]) * emission[0][tag] for tag in tags]]
            for k in range(1, self.m):
                step, a = psi(k - 1), alphas[-1]
                alphas.append(
                    [
                        emission[k][b] * sum((a[i] * step[i][b] for i in tags), Decimal(0))
                        for b in tags
                    ]
                )
            betas = [[exp(self.end[tag]) for tag in tags]]
            for k in range(self.m - 2, -1, -1):
                step, b = psi(k), betas[-1]
                ahead = [emission[k + 1][j] * b[j] for j in tags]
                betas.append([sum((step[i][j] * ahead[j] for j in tags), Decimal(0)) for i in tags])
            betas.reverse()
            z = sum((alphas[-1][tag] * betas[-1][tag] for tag in tags), Decimal(0))
            marginals = [
                [a[tag] * b[tag] / z for tag in tags] for a, b in zip(alphas, betas, strict=True)
            ]
            # H = log Z − E[score], the expectation of each score it is made of.
            uses = [(self.start, marginals[0]), (self.end, marginals[-1])]
            for k in range(self.m):
                uses.append(([self.emission(k, tag) for tag in tags], marginals[k]))
            for k in range(self.m - 1):
                ahead = [emission[k + 1][b] * betas[k + 1][b] / z for b in tags]
                for a in tags:
                    pairs = [alphas[k][a] * psi(k)[a][b] * ahead[b] for b in tags]
                    uses.append(([self.transition(k, a, b) for b in tags], pairs))
            expected = (
                p * Decimal(score)
                for scores, shares in uses
                for score, p in zip(scores, shares, strict=True)
                if p
            )
            log_z = z.ln()
            entropy = log_z - sum(expected, Decimal(0))
            return float(log_z), [[float(p) for p in line] for line in marginals], float(entropy)
