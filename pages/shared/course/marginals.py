"""The marginals, from a forward and a backward trace of one chain.

    p(y_t = s | x) = α̂_t(s) β_t(s) / Z
    p(y_t = a, y_(t+1) = b | x) = α̂_t(a) ψ(a, b) ψ(b, x, t+1) β_(t+1)(b) / Z

In message form no cell has the token's own emission in it, so it stands between the two:
α_(t−1)(s) ψ(s, x, t) β_(t+1)(s). In the max semiring the product is the potential of the best path
through the cell.

Sources: Rabiner (1989), eqs. 27 and 37; Koller and Friedman (2009), section 10.2.
"""

import math
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from crf.lab.reference import logsumexp as log_sum
from crf.steps import Trace
from crf.steps.conventions import convention_of


class Factor(NamedTuple):
    """One of the numbers whose product belongs to a tag of a token."""

    role: str  # "forward", "emission", "backward"; where there is no message "start" or "end"
    log_value: float  # a log-score


class Marginals:
    """The products α · β of every column, and the probabilities that they are.

    Raises:
        ValueError: The two do not belong together.
    """

    def __init__(self, alpha: Trace, beta: Trace) -> None:
        form = (alpha.convention, alpha.semiring, alpha.tokens, alpha.tags)
        if form != (beta.convention, beta.semiring, beta.tokens, beta.tags):
            forms = [f"{one.convention} {one.semiring}" for one in (alpha, beta)]
            raise ValueError(f"alpha, beta: expected traces in one convention, got {forms}")
        self.alpha, self.beta = alpha, beta
        self.m, self.S = len(alpha.tokens), len(alpha.tags)

    @property
    def log_total(self) -> float:
        """log Z in nats (max: the best path's score), as the forward recursion found it."""
        return self.alpha.log_total

    def factors(self, t: int, s: int) -> list[Factor]:
        """The factors of tag s at token t, as the convention writes them."""
        alpha, beta = self.alpha, self.beta
        if "emission" in convention_of(alpha).own:
            return [Factor("forward", alpha.table[t][s]), Factor("backward", beta.table[t][s])]
        last = self.m - 1
        return [
            Factor("forward", alpha.table[t - 1][s]) if t else Factor("start", alpha.start[s]),
            Factor("emission", alpha.emissions[t][s]),
            Factor("backward", beta.table[t][s]) if t < last else Factor("end", beta.end[s]),
        ]

    def product(self, t: int, s: int) -> float:
        """Their product, a log-score: all paths through tag s of token t (max: the best one)."""
        return sum(factor.log_value for factor in self.factors(t, s))

    @cached_property
    def products(self) -> list[list[float]]:
        """[m][S] log-scores."""
        return [[self.product(t, s) for s in range(self.S)] for t in range(self.m)]

    @cached_property
    def column_totals(self) -> list[float]:
        """[m] log Σ_s of each column's products (max: the largest): log Z in every column."""
        merge = log_sum if self.alpha.semiring == "sum" else max
        return [merge(column) for column in self.products]

    def residual(self, t: int) -> float:
        """Difference between column t's total and `log_total`, in nats: rounding only."""
        total = self.column_totals[t]
        return 0.0 if total == self.log_total else abs(total - self.log_total)

    @cached_property
    def unary(self) -> list[list[float]]:
        """[m][S] probabilities p(y_t = s | x); 0 where no path is allowed."""
        return [[self._share(product) for product in column] for column in self.products]

    def pair_factors(self, t: int, a: int, b: int) -> tuple[float, float, float, float]:
        """Log-scores of α̂_t(a), ψ(a, b), ψ(b, x, t+1) and β_(t+1)(b), in state form."""
        alpha = self.alpha
        steps = alpha.per_step_transitions
        matrix = alpha.transitions if steps is None else steps[t]
        if matrix is None or alpha.convention != "state":
            raise ValueError(f"pairs: expected traces in state form, got {alpha.convention} form")
        emission, after = alpha.emissions[t + 1][b], self.beta.table[t + 1][b]
        return alpha.table[t][a], matrix[a][b], emission, after

    def pairs(self, t: int) -> list[list[float]]:
        """[S][S] probabilities p(y_t = a, y_(t+1) = b | x), a the row; in state form."""
        every = range(self.S)
        return [[self._share(sum(self.pair_factors(t, a, b))) for b in every] for a in every]

    def _share(self, product: float) -> float:
        """exp(product − log Z); rounding may not take it above 1."""
        return 0.0 if product == -math.inf else min(math.exp(product - self.log_total), 1.0)


def entropy(probabilities: Iterable[float]) -> float:
    """−Σ p log p in nats, where p = 0 contributes 0.

    >>> entropy([0.5, 0.5, 0.0]) == math.log(2), entropy([1.0])
    (True, 0.0)
    """
    return math.fsum(-p * math.log(p) for p in probabilities if p > 0) + 0.0
