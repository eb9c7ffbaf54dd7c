"""How the expected counts of a batch move as its scores do: one thread's share.

    Cov(f(y), how often y uses a score),    y ~ p,    f(y) = the sum of the terms that y uses

is the gradient of E[f(y)], and the Hessian of log Z times f. By forward-backward in dual numbers:
beside each quantity x of `scaled`, its derivative ẋ as the scores move along f,

    α̇_t(s) = ψ_t(s) Σ_i (α̇_(t-1)(i) + α_(t-1)(i) f(i, s)) exp(T(i, s)) / c_(t-1) + α_t(s) f_t(s)
    β̇_t(i) = Σ_s exp(T(i, s)) (ẇ_(t+1)(s) + w_(t+1)(s) f(i, s)) / c_t
    w_t(s) = ψ_t(s) β_t(s),     ẇ_t(s) = ψ_t(s) (β̇_t(s) + f_t(s) β_t(s))

α̇ and β̇ are taken less multiples of α and β, which make their means 0: that leaves the covariances,
and the numbers small.

Sources: Mann and McCallum (2007), "Efficient computation of entropy gradient for semi-supervised
conditional random fields"; Pearlmutter (1994), "Fast exact multiplication by the Hessian".
"""

from typing import Any, NamedTuple

from . import scaled
from .compiler import jit
from .groups import clear_gaps, gather, lists_in, longest_first, spare
from .layout import BLOCK, LANES, MASK
from .scaled import NEG_INF, SMALLEST, Chains
from .simd import load, shift, spread, store, where_less


class SummedTerms(NamedTuple):
    """What f adds up: finite numbers."""

    emissions: Any  # [B, L, S]
    transitions: Any  # [S, Q] times exp(T), where `scaled.place` says
    transposed: Any  # [S, Q], likewise
    start: Any  # [S]
    end: Any  # [S]


class Dots(NamedTuple):
    """Scratch memory for the derivatives of eight chains."""

    alphas: Any  # [L, Q, 8]
    weighted: Any  # [L, Q, 8] f_t, then ẇ_t
    beta: Any  # [Q, 8]
    ends: Any  # [Q, 8] the covariances of the last tags


@jit
def _weigh_transitions(terms, S, Q, factors, out):
    """Fill `SummedTerms.transitions` and, after them, `SummedTerms.transposed`."""
    for i in range(S):
        for j in range(Q):
            k = scaled.place(i, j, S)
            out[k] = factors.transitions[k] * (terms[i * S + j] if j < S else 0.0)
            k = scaled.place(i, j, S)
            out[Q * Q + k] = factors.transposed[k] * (terms[j * S + i] if j < S else 0.0)


@jit
def _times(column, matrix, other, its, S, Q, out):
    """out[j] = Σ_i column[i] matrix[i, j] + other[i] its[i, j]."""
    for j in range(0, Q, BLOCK):
        a, b, c, d = spread(0.0), spread(0.0), spread(0.0), spread(0.0)
        for i in range(S):
            x, y, k = load(column, LANES * i), load(other, LANES * i), j * S + i * BLOCK
            a += x * spread(matrix[k]) + y * spread(its[k])
            b += x * spread(matrix[k + 1]) + y * spread(its[k + 1])
            c += x * spread(matrix[k + 2]) + y * spread(its[k + 2])
            d += x * spread(matrix[k + 3]) + y * spread(its[k + 3])
        k = LANES * j
        store(a, out, k)
        store(b, out, k + LANES)
        store(c, out, k + 2 * LANES)
        store(d, out, k + 3 * LANES)


@jit
def _share(part, whole):
    """part / whole, 0 where the whole is."""
    return where_less(spread(0.0), whole, part / whole, spread(0.0))


@jit
def _forward(chains, factors, terms, M, work, dots):
    """Fill α̇, and f_t in the place of ẇ_t."""
    L, S, Q, zero, scale = chains.L, chains.S, chains.Q, spread(0.0), spread(1.0)
    for t in range(M):
        at, before = t * Q * LANES, (t - 1) * Q * LANES
        alpha, dot, f = shift(work.alphas, at), shift(dots.alphas, at), shift(dots.weighted, at)
        psi = shift(work.psi, at)
        scaled.take_column(terms.emissions, work.cells, L, S, t, f)
        for k in range(S * LANES, Q * LANES, LANES):
            store(zero, f, k)
        if t:
            _times(
                shift(dots.alphas, before), factors.transitions,
                shift(work.alphas, before), terms.transitions, S, Q, dot,
            )  # fmt: skip
        else:
            for j in range(Q):
                share = factors.start[j] * terms.start[j] if j < S else 0.0
                store(spread(share), dot, LANES * j)
        sum_, dot_sum = zero, zero
        for k in range(0, Q * LANES, LANES):
            a, term = load(alpha, k), load(f, k)
            term = where_less(spread(NEG_INF), term, term, zero)  # a chain that is shorter
            d = load(dot, k) * load(psi, k) * scale + a * term
            store(term, f, k)
            store(d, dot, k)
            sum_ += a
            dot_sum += d
        mean, scale = _share(dot_sum, sum_), load(work.scales, LANES * t)
        for k in range(0, Q * LANES, LANES):
            store(load(dot, k) - mean * load(alpha, k), dot, k)


@jit
def _meet(chains, t, weights, low, work, dots):
    """At token t: the covariances of its tags, times `weights`, in the place of the marginals.

    In the places of ψ and f: w and ẇ. In those of α and α̇, what pairs take: times weights / c.
    Returns the smallest β so far.
    """
    Q, at, zero = chains.Q, t * chains.Q * LANES, spread(0.0)
    alphas, psi = shift(work.alphas, at), shift(work.psi, at)
    dot_alphas, weighted = shift(dots.alphas, at), shift(dots.weighted, at)
    sum_, dot_sum = zero, zero
    for k in range(0, Q * LANES, LANES):
        alpha, beta = load(alphas, k), load(work.beta, k)
        sum_ += alpha * beta
        dot_sum += load(dot_alphas, k) * beta + alpha * load(dots.beta, k)
    mean, share = _share(dot_sum, sum_), _share(spread(1.0), sum_)
    scale = load(work.scales, LANES * t) * weights
    for k in range(0, Q * LANES, LANES):
        alpha, dot_alpha = load(alphas, k), load(dot_alphas, k)
        beta = where_less(zero, alpha, load(work.beta, k) * share, zero)
        dot_beta = where_less(zero, alpha, load(dots.beta, k) * share - mean * beta, zero)
        low = where_less(zero, beta, where_less(beta, low, beta, low), low)
        store((dot_alpha * beta + alpha * dot_beta) * weights, work.marginals, k)
        local = load(psi, k)
        store(local * (dot_beta + load(weighted, k) * beta), weighted, k)
        store(local * beta, psi, k)
        store((dot_alpha - mean * alpha) * scale, dot_alphas, k)
        store(alpha * scale, alphas, k)
    return low


@jit
def _backward(chains, factors, terms, lengths, M, lasts, weights, work, dots, d_emissions):
    """The covariances of all tokens' tags; those of the last tags in `dots.ends`.

    `lasts` is 0 in the lanes that do not count, and becomes 0 where the range of a double does not
    suffice.
    """
    L, S, Q = chains.L, chains.S, chains.Q
    low, lane_weights = spread(1.0), load(weights, 0)
    scaled.clear(chains, work)
    for k in range(0, Q * LANES, LANES):
        store(spread(0.0), dots.beta, k)
    for t in range(M - 1, -1, -1):
        if t < M - 1:
            scaled.step_back(chains, factors, t + 1, work)
            at, scale = (t + 1) * Q * LANES, load(work.scales, LANES * t)
            _times(
                shift(dots.weighted, at), factors.transposed,
                shift(work.psi, at), terms.transposed, S, Q, dots.beta,
            )  # fmt: skip
            for k in range(0, Q * LANES, LANES):
                store(load(dots.beta, k) * scale, dots.beta, k)
        for lane in range(LANES):
            if lengths[lane] == t + 1 and lasts[lane] > 0.0:
                scaled.enter(chains, factors, lane, t + 1, 1.0 / lasts[lane], work)
                for j in range(S):
                    k = LANES * j + lane
                    dots.beta[k] = work.beta[k] * terms.end[j]
        low = _meet(chains, t, lane_weights, low, work, dots)
        scaled.put_column(work.marginals, work.cells, L, S, t, d_emissions)
        for lane in range(LANES):
            if lengths[lane] == t + 1:
                for k in range(lane, Q * LANES, LANES):
                    dots.ends[k] = work.marginals[k]
    store(low, work.flags, 0)
    for lane in range(LANES):
        if work.flags[lane] < SMALLEST:
            lasts[lane] = 0.0


@jit
def _leave_out(chains, lane, m, M, work, dots, d_emissions):
    """Undo what was found of the chain in a lane."""
    for k in range(lane, M * chains.Q * LANES, LANES):
        work.alphas[k] = work.psi[k] = dots.alphas[k] = dots.weighted[k] = 0.0
    for t in range(m):
        at = work.cells[lane * chains.L + t] * chains.S
        for k in range(at, at + chains.S):
            d_emissions[k] = 0.0


@jit
def covariances(
    emissions, transitions, start, end, f_emissions, f_transitions, f_start, f_end,
    mask, weights, d_emissions, totals, done, scratch, integers, B, L, S, options, first, stride,
):  # fmt: skip
    """The covariances of f(y) with the counts, of every stride-th group of chains.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        f_emissions: [B, L, S] the terms of f, finite numbers.
        f_transitions: [S, S].
        f_start: [S].
        f_end: [S].
        mask: [B, L] truth values; unused without `MASK`.
        weights: [B] what each chain counts for; where that is 0, nothing is computed.
        d_emissions: [B, L, S] filled: each chain's, times its weight.
        totals: [S² + 2S] filled: those of transitions, start and end, summed over the chains.
        done: [B] filled: 1, or 0 where the range of a double does not suffice or no path is
            allowed; such chains are left out.
        scratch: Doubles; see `layout.doubles_of_covariances`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        options: See `layout`.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        0.
    """
    Q = (S + BLOCK - 1) // BLOCK * BLOCK
    masked = options & MASK != 0
    chains = Chains(emissions, transitions, start, end, B, L, S, Q)
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    work, rest = scaled.work_in(scratch, cells, L, Q)
    column = Q * LANES
    dot_alphas, weighted, rest = rest, shift(rest, L * column), shift(rest, 2 * L * column)
    dots = Dots(dot_alphas, weighted, rest, shift(rest, column))
    lasts, lane_weights = shift(rest, 2 * column), shift(rest, 2 * column + LANES)
    pairs, dot_pairs = shift(lane_weights, LANES), shift(lane_weights, LANES + Q * Q)
    f, memory = shift(dot_pairs, Q * Q), shift(dot_pairs, 3 * Q * Q)
    factors = scaled.factors_of(chains, memory)
    _weigh_transitions(f_transitions, S, Q, factors, f)
    terms = SummedTerms(f_emissions, f, shift(f, Q * Q), f_start, f_end)
    longest_first(mask, masked, B, L, lengths, order, spare(cells, L))
    for k in range(S * S + 2 * S):
        totals[k] = 0.0
    for k in range(Q * Q):
        pairs[k] = dot_pairs[k] = 0.0
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, masked, group, B, L, lengths, order, lane_lengths, cells)
        scaled.forward(chains, factors, M, work)
        _forward(chains, factors, terms, M, work, dots)
        for lane in range(LANES):
            m, lasts[lane], lane_weights[lane] = lane_lengths[lane], 0.0, 0.0
            if group + lane < B:
                row = order[group + lane]
                clear_gaps(mask, masked, row, L, S, d_emissions)
                lane_weights[lane] = weights[row]
                if m and factors.in_range and work.flags[lane] == 0.0:
                    lasts[lane] = scaled.last_sum(chains, factors, lane, m, work)
                if lane_weights[lane] == 0.0:
                    lasts[lane] = 0.0
        _backward(
            chains, factors, terms, lane_lengths, M, lasts, lane_weights, work, dots, d_emissions
        )
        for lane in range(LANES):
            m, good = lane_lengths[lane], lasts[lane] > 0.0
            if group + lane < B:
                done[order[group + lane]] = good or m == 0 or lane_weights[lane] == 0.0
            if good:
                for j in range(S):
                    totals[S * S + j] += work.marginals[LANES * j + lane]
                    totals[S * S + S + j] += dots.ends[LANES * j + lane]
            elif m:
                _leave_out(chains, lane, m, M, work, dots, d_emissions)
        scaled.add_pairs(work.alphas, work.psi, M, Q, pairs)
        scaled.add_pairs(dots.alphas, work.psi, M, Q, dot_pairs)
        scaled.add_pairs(work.alphas, dots.weighted, M, Q, dot_pairs)
    for i in range(S):
        for j in range(S):
            k, at = scaled.place(i, j, S), i * Q + j
            totals[i * S + j] = (
                factors.transitions[k] * dot_pairs[at] + terms.transitions[k] * pairs[at]
            )
    return 0
