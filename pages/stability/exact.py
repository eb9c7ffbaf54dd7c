"""What the lesson on stability measures errors against: no float, but decimals and fractions."""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from pages.shared.course.problem import Problem


def exact_log_sum_exp(scores: Sequence[float], digits: int = 50) -> Decimal:
    """log Σ exp(q) of the scores as they are, to as many digits as asked for; no float is involved.

    >>> exact_log_sum_exp([1000.0, 1000.0], digits=30)
    Decimal('1000.69314718055994530941723212')
    """
    with localcontext() as context:
        context.prec = digits
        context.Emin, context.Emax = -(10**9), 10**9
        terms = [Decimal(q).exp() for q in scores if q > -math.inf]
        return sum(terms, Decimal(0)).ln() if terms else Decimal("-Infinity")


def exact_log_partition(problem: Problem, digits: int = 40) -> Decimal:
    """log Z by rational arithmetic: each ψ to so many digits, all sums and products exact.

    For small problems: the fractions grow with every token.

    Args:
        problem: S tags, m tokens; m·S² up to some hundreds.
        digits: How exactly exp(score) and the last logarithm are computed.

    Returns:
        log Z in nats; −Infinity if no path is allowed.
    """
    with localcontext() as context:
        context.prec = digits
        context.Emin, context.Emax = -(10**9), 10**9

        def psi(score: float) -> Fraction:
            return Fraction(Decimal(score).exp()) if score > -math.inf else Fraction(0)

        S = range(len(problem.tags))
        alpha = [psi(problem.start[s]) * psi(problem.emissions[0][s]) for s in S]
        for t in range(1, len(problem.tokens)):
            step, emit = problem.matrix(t), problem.emissions[t]
            alpha = [psi(emit[s]) * sum(alpha[r] * psi(step[r][s]) for r in S) for s in S]
        z = sum((alpha[s] * psi(problem.end[s]) for s in S), Fraction(0))
        if z == 0:
            return Decimal("-Infinity")
        return Decimal(z.numerator).ln() - Decimal(z.denominator).ln()
