"""Forward and backward in scaled probability space, eight chains at a time, one to a lane.

    α_t(s) = ψ_t(s) Σ_i α_(t-1)(i) exp(T(i, s)) / c_(t-1)
    β_t(i) = Σ_s exp(T(i, s)) ψ_(t+1)(s) β_(t+1)(s) / c_t,     so that Σ_s α_t(s) β_t(s) = 1
    log Z = Σ_t log c_t + log Σ_s α_m(s) exp(end(s)),          the sum without the last c

with ψ_t(s) = exp(e_t(s)), and maxima taken out of all scores before exp and added to log Z. The
scale c_t is the power of two below the sum of α_t: dividing by it is exact. A lane is flagged where
the range of a double does not suffice; `log_space` does that chain again.

Source: Rabiner (1989), "A tutorial on hidden Markov models", section V.A.
"""

import math
from typing import Any, NamedTuple

from . import groups
from .compiler import jit
from .layout import BLOCK, LANES
from .simd import (
    exponents,
    inverse_power,
    larger,
    load,
    polynomial,
    remainder,
    shift,
    spread,
    store,
    times_power,
    total,
    transpose,
    transpose_back,
    where_less,
)

NEG_INF, INFINITY = float("-inf"), float("inf")

# Every number that is not 0 stays above SMALLEST, so that a product of three of them is still a
# normal number, and 0 always means "forbidden", never "too small".
SMALLEST = 1e-100
LOWEST = -230.0  # a little more than log(SMALLEST)
STEPS_TO_ROUND = 64  # after so many, the marginals' sum is made 1 again
STEPS_TO_SUM = 32  # columns that are still near the processor

_LN2 = 0.6931471805599453
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def _series(degree: int, taken: int) -> tuple[float, ...]:
    """exp(x) for |x| ≤ h = log 2 / 2: Taylor's series, of which the highest terms are given up.

    To leave out a x^n is to be wrong by up to a h^n. To take away that multiple of the Chebyshev
    polynomial T_n(x / h) which has this very term, 2^(n-1) times less, for |T_n| ≤ 1. So degree 11
    is as exact as Taylor's 13: both are wrong by less than 5e-18.

    Source: Lanczos (1956), "Applied Analysis", chapter VII.
    """
    h, terms = _LN2 / 2, [1 / math.factorial(k) for k in range(taken + 1)]
    for n in range(taken, degree, -1):
        before, chebyshev = [1.0], [0.0, 1.0]  # T_0, T_1, …: T_(k+1)(u) = 2 u T_k(u) − T_(k-1)(u)
        for _ in range(n - 1):
            after = [0.0, *(2 * c for c in chebyshev)]
            for k, c in enumerate(before):
                after[k] -= c
            before, chebyshev = chebyshev, after
        much = terms.pop() * h**n / 2 ** (n - 1)
        terms = [a - much * chebyshev[k] / h**k for k, a in enumerate(terms)]
    return tuple(terms)


_SERIES = _series(11, 13)


class Chains(NamedTuple):
    """The scores; see `crf.potentials.Potentials`. Masked cells may hold anything."""

    emissions: Any  # [B, L, S]
    transitions: Any  # [S, S]
    start: Any  # [S]
    end: Any  # [S]
    B: int
    L: int
    S: int
    Q: int  # S rounded up


class Factors(NamedTuple):
    """exp of the scores that all chains share, each less its maximum, padded with zeros."""

    transitions: Any  # [S, Q], where `place` says
    transposed: Any  # [S, Q], likewise
    start: Any  # [Q]
    end: Any  # [Q]
    transitions_top: float
    start_top: float
    end_top: float
    in_range: bool
    valid: bool  # neither nan nor +∞ is among the scores


class Work(NamedTuple):
    """Scratch memory for eight chains."""

    cells: Any  # [8, L] the cells of each chain's tokens, counted from [0, 0]; −1 after the last
    psi: Any  # [L, Q, 8]
    alphas: Any  # [L, Q, 8]
    tops: Any  # [L, 8] the emissions' maxima
    scales: Any  # [L, 8] 1 / c
    logs: Any  # [L, 8] log₂ c
    beta: Any  # [Q, 8]
    marginals: Any  # [Q, 8]
    flags: Any  # [2, 8] not 0: out of range; nan or +∞ among the emissions


@jit
def work_in(memory, cells, L, Q):
    """The scratch memory, laid out; and what is left of it."""
    column = Q * LANES
    psi, alphas = memory, shift(memory, L * column)
    tops = shift(alphas, L * column)
    scales, logs = shift(tops, L * LANES), shift(tops, 2 * L * LANES)
    beta = shift(logs, L * LANES)
    marginals, flags = shift(beta, column), shift(beta, 2 * column)
    work = Work(cells, psi, alphas, tops, scales, logs, beta, marginals, flags)
    return work, shift(flags, 2 * LANES)


@jit
def place(i, j, rows):
    """Where row i and column j of a matrix are: so many columns stand together as are summed."""
    return j // BLOCK * BLOCK * rows + i * BLOCK + j % BLOCK


@jit
def exponential(x):
    """exp(x) for x ≤ 0; exactly 0 below LOWEST and for −∞.

    exp(x) = 2^k exp(r) with k = round(x / log 2), |r| ≤ log 2 / 2: exp(r) by a polynomial, 2^k by
    adding k to the exponent bits. That k log 2 is rounded moves x by less than a third of what
    rounding x itself does.
    """
    return where_less(x, spread(LOWEST), spread(0.0), exponential_in_range(x))


@jit
def exponential_in_range(x):
    """The same for LOWEST ≤ x ≤ 0."""
    r, k = remainder(x, _LN2)
    return times_power(polynomial(r, _SERIES), k)


@jit
def _exp_scores(scores, rows, S, Q, out):
    """exp(scores − their maximum); the maximum (0 if all are −∞); whether range and values do."""
    top, in_range, valid, k = NEG_INF, True, True, 0
    for i in range(rows * S):
        score = float(scores[i])
        valid &= score < INFINITY
        top = max(top, score)
    top = 0.0 if top == NEG_INF else top
    for first in range(0, Q, BLOCK):  # in the order of `place`
        for i in range(rows):
            for j in range(first, first + BLOCK):
                y = float(scores[i * S + j]) - top if j < S else NEG_INF
                in_range &= (y >= LOWEST) | (y == NEG_INF)
                out[k] = y
                k += 1
    for k in range(0, rows * Q, LANES):  # the last may be half of what follows
        store(exponential(load(out, k)), out, k)
    return top, in_range, valid


@jit
def factors_of(chains, memory):
    """The factors that belong to these scores, in memory for 2 Q² + 2 Q doubles."""
    S, Q = chains.S, chains.Q
    transitions, transposed = memory, shift(memory, Q * Q)
    start, end = shift(memory, 2 * Q * Q), shift(memory, 2 * Q * Q + Q)
    transitions_top, fine_1, valid_1 = _exp_scores(chains.transitions, S, S, Q, transitions)
    start_top, fine_2, valid_2 = _exp_scores(chains.start, 1, S, Q, start)
    end_top, fine_3, valid_3 = _exp_scores(chains.end, 1, S, Q, end)
    for i in range(0, Q, BLOCK):
        for j in range(0, Q, BLOCK):
            for row in range(i, min(i + BLOCK, S)):
                for column in range(j, min(j + BLOCK, S)):
                    transposed[place(column, row, S)] = transitions[place(row, column, S)]
        for row in range(S, i + BLOCK):
            for column in range(S):
                transposed[place(column, row, S)] = 0.0
    in_range, valid = fine_1 and fine_2 and fine_3, valid_1 and valid_2 and valid_3
    return Factors(
        transitions, transposed, start, end, transitions_top, start_top, end_top, in_range, valid
    )


@jit
def _starts(cells, L, S, t):
    """Where token t of each of the eight chains has its row, in the place of `spare`.

    A chain that is shorter stands in for the first: that is the longest.
    """
    starts = groups.spare(cells, L)
    for lane in range(LANES):
        starts[lane] = cells[(lane if cells[lane * L + t] >= 0 else 0) * L + t] * S
    return starts


@jit
def take_column(emissions, cells, L, S, t, column):
    """The emissions of token t of all eight chains; −∞ in the lanes of those that are shorter."""
    starts = _starts(cells, L, S, t)
    for j in range(0, S if S >= LANES else 0, LANES):
        transpose(emissions, starts, min(j, S - LANES), column)
    for lane in range(LANES):
        if cells[lane * L + t] < 0:
            for j in range(S):
                column[LANES * j + lane] = NEG_INF
        elif S < LANES:
            for j in range(S):
                column[LANES * j + lane] = float(emissions[starts[lane] + j])


@jit
def put_column(column, cells, L, S, t, table):
    """The other way: a column of numbers becomes the rows of the tokens t; table is [B, L, S]."""
    starts = _starts(cells, L, S, t)
    for j in range(0, S if S >= LANES else 0, LANES):
        transpose_back(column, min(j, S - LANES), table, starts)
    for lane in range(LANES if S < LANES else 0):
        for j in range(S if cells[lane * L + t] >= 0 else 0):
            table[starts[lane] + j] = column[LANES * j + lane]


@jit
def _local_factors(chains, M, work):
    """ψ of M tokens; which lanes have scores too far apart, and which have nan or +∞."""
    S, Q = chains.S, chains.Q
    zero, one, low = spread(0.0), spread(1.0), spread(LOWEST)
    far, bad = zero, zero
    for t in range(M):
        column = shift(work.psi, t * Q * LANES)
        take_column(chains.emissions, work.cells, chains.L, S, t, column)
        top = spread(NEG_INF)
        for j in range(S):
            score = load(column, LANES * j)
            top = larger(score, top)
            bad = where_less(score, spread(INFINITY), bad, one)
        top = where_less(spread(NEG_INF), top, top, zero)
        store(top, work.tops, LANES * t)
        for j in range(S):
            y = load(column, LANES * j) - top
            far = where_less(y, low, where_less(spread(NEG_INF), y, one, far), far)
            store(exponential(y), column, LANES * j)
        for j in range(S, Q):
            store(zero, column, LANES * j)
    store(far, work.flags, 0)
    store(bad, work.flags, LANES)


@jit
def _too_small(x, flags):
    """1 in the lanes where 0 < x < SMALLEST, in the others what the flags are."""
    flagged = where_less(x, spread(SMALLEST), spread(1.0), flags)
    return where_less(spread(0.0), x, flagged, flags)


@jit
def _smaller_but_not_zero(low, x):
    return where_less(spread(0.0), x, where_less(x, low, x, low), low)


@jit
def forward(chains, factors, M, work):
    """Fill ψ, α and c for eight chains of up to M tokens; α is 0 after a chain's last token."""
    S, Q = chains.S, chains.Q
    _local_factors(chains, M, work)
    matrix = factors.transitions
    scale, far = spread(1.0), load(work.flags, 0)
    for t in range(M):
        before = shift(work.alphas, (t - 1) * Q * LANES)
        alpha = shift(work.alphas, t * Q * LANES)
        psi = shift(work.psi, t * Q * LANES)
        sum_ = spread(0.0)
        for j in range(0, Q, BLOCK):
            a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
            if t:
                for i in range(S):
                    x, k = load(before, LANES * i), j * S + i * BLOCK
                    a += x * spread(matrix[k])
                    b += x * spread(matrix[k + 1])
                    c += x * spread(matrix[k + 2])
                    d += x * spread(matrix[k + 3])
            else:
                a, b = spread(factors.start[j]), spread(factors.start[j + 1])
                c, d = spread(factors.start[j + 2]), spread(factors.start[j + 3])
            k = LANES * j
            a *= load(psi, k) * scale
            b *= load(psi, k + LANES) * scale
            c *= load(psi, k + 2 * LANES) * scale
            d *= load(psi, k + 3 * LANES) * scale
            store(a, alpha, k)
            store(b, alpha, k + LANES)
            store(c, alpha, k + 2 * LANES)
            store(d, alpha, k + 3 * LANES)
            sum_ += (a + b) + (c + d)
            far = _too_small(a, _too_small(b, _too_small(c, _too_small(d, far))))
        scale = where_less(spread(SMALLEST), sum_, inverse_power(sum_), spread(1.0))
        store(scale, work.scales, LANES * t)
        store(exponents(sum_), work.logs, LANES * t)
    store(far, work.flags, 0)


@jit
def last_sum(chains, factors, lane, m, work):
    """Σ_s α_m(s) exp(end(s)) of the chain in a lane."""
    found, last = 0.0, (m - 1) * chains.Q * LANES + lane
    for j in range(chains.S):
        found += work.alphas[last + LANES * j] * factors.end[j]
    return found


@jit
def increment(factors, lane, t, work):
    """What token t adds to log Z; after the last, log Σ_s α_m(s) exp(end(s)) does."""
    at = LANES * t + lane
    shared = factors.transitions_top if t else factors.start_top
    scaled = work.logs[at - LANES] * LN2_HIGH + work.logs[at - LANES] * LN2_LOW if t else 0.0
    return (work.tops[at] + shared) + scaled


@jit
def enter(chains, factors, lane, m, share, work):
    """Put β_m = exp(end) · share into a lane."""
    for j in range(chains.S):
        work.beta[LANES * j + lane] = factors.end[j] * share


@jit
def clear(chains, work):
    """β = 0 in all lanes."""
    for j in range(chains.Q):
        store(spread(0.0), work.beta, LANES * j)


@jit
def meet(chains, t, weights, low, work):
    """At token t: marginals · weights; ψ_t β_t in the place of ψ_t, α_t · weights / c_t in α_t's.

    A tag that no prefix reaches counts for nothing, and its β must not grow without bound: its ψ is
    0. Returns the smallest β so far.
    """
    Q = chains.Q
    alphas, psi = shift(work.alphas, t * Q * LANES), shift(work.psi, t * Q * LANES)
    zero, scale = spread(0.0), load(work.scales, LANES * t)
    for k in range(0, Q * LANES, LANES):
        alpha = load(alphas, k)
        beta = where_less(zero, alpha, load(work.beta, k), zero)
        low = _smaller_but_not_zero(low, beta)
        store(load(psi, k) * beta, psi, k)
        weighted = alpha * weights
        store(weighted * scale, alphas, k)
        store(weighted * beta, work.marginals, k)
    return low


@jit
def step_back(chains, factors, t, work):
    """β_(t-1) from ψ_t β_t."""
    S, Q = chains.S, chains.Q
    matrix, weighted = factors.transposed, shift(work.psi, t * Q * LANES)
    scale = load(work.scales, LANES * (t - 1))
    for j in range(0, Q, BLOCK):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for i in range(S):
            x, k = load(weighted, LANES * i), j * S + i * BLOCK
            a += x * spread(matrix[k])
            b += x * spread(matrix[k + 1])
            c += x * spread(matrix[k + 2])
            d += x * spread(matrix[k + 3])
        k = LANES * j
        store(a * scale, work.beta, k)
        store(b * scale, work.beta, k + LANES)
        store(c * scale, work.beta, k + 2 * LANES)
        store(d * scale, work.beta, k + 3 * LANES)


@jit
def round_off(chains, t, work):
    """Make Σ_s α_t(s) β_t(s) 1 again, where it is not 0."""
    Q = chains.Q
    alphas, sum_ = shift(work.alphas, t * Q * LANES), spread(0.0)
    for k in range(0, Q * LANES, LANES):
        sum_ += load(alphas, k) * load(work.beta, k)
    factor = where_less(spread(0.0), sum_, spread(1.0) / sum_, spread(1.0))
    for k in range(0, Q * LANES, LANES):
        store(load(work.beta, k) * factor, work.beta, k)


@jit
def back_to(chains, factors, t, M, lengths, lasts, weights, low, work):
    """From what token t + 1 left, if it is not the last: β_t; then `meet`, whose result it is.

    `lasts` are those of `last_sum`, or 0 in the lanes that failed.
    """
    if t < M - 1:
        step_back(chains, factors, t + 1, work)
    for lane in range(LANES):
        if lengths[lane] == t + 1 and lasts[lane] > 0.0:
            enter(chains, factors, lane, t + 1, 1.0 / lasts[lane], work)
    if (M - 1 - t) % STEPS_TO_ROUND == 0:
        round_off(chains, t, work)
    return meet(chains, t, weights, low, work)


@jit
def add_pairs(left, right, M, Q, pairs):
    """pairs[i, j] += Σ_t left_t(i) right_(t+1)(j), over the lanes too: [Q, Q]."""
    for first in range(0, M - 1, STEPS_TO_SUM):
        last = min(first + STEPS_TO_SUM, M - 1)
        for i in range(0, Q, BLOCK):
            for j in range(0, Q, BLOCK):
                _add_block(left, i, right, j, first, last, Q, pairs)


@jit
def _add_block(left, i, right, j, first, last, Q, pairs):
    """Four rows and four columns of the sum."""
    a0, a1, a2, a3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    b0, b1, b2, b3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    c0, c1, c2, c3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    d0, d1, d2, d3 = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
    for t in range(first, last):
        x, y = (t * Q + i) * LANES, ((t + 1) * Q + j) * LANES
        a, b = load(left, x), load(left, x + LANES)
        c, d = load(left, x + 2 * LANES), load(left, x + 3 * LANES)
        w0, w1 = load(right, y), load(right, y + LANES)
        w2, w3 = load(right, y + 2 * LANES), load(right, y + 3 * LANES)
        a0, a1, a2, a3 = a0 + a * w0, a1 + a * w1, a2 + a * w2, a3 + a * w3
        b0, b1, b2, b3 = b0 + b * w0, b1 + b * w1, b2 + b * w2, b3 + b * w3
        c0, c1, c2, c3 = c0 + c * w0, c1 + c * w1, c2 + c * w2, c3 + c * w3
        d0, d1, d2, d3 = d0 + d * w0, d1 + d * w1, d2 + d * w2, d3 + d * w3
    _add_row(pairs, i * Q + j, a0, a1, a2, a3)
    _add_row(pairs, (i + 1) * Q + j, b0, b1, b2, b3)
    _add_row(pairs, (i + 2) * Q + j, c0, c1, c2, c3)
    _add_row(pairs, (i + 3) * Q + j, d0, d1, d2, d3)


@jit
def _add_row(pairs, k, x0, x1, x2, x3):
    pairs[k] += total(x0)
    pairs[k + 1] += total(x1)
    pairs[k + 2] += total(x2)
    pairs[k + 3] += total(x3)
