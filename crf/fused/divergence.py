"""Cross-entropy and KL divergence of two batches of chains: one thread's share.

The recursion of `crf.information`, in scaled probability space. With q(i | j) the probability under
q that tag i stands before j, and α̂ the scaled columns,

    log q(i | j) = log α̂_t(i) + T(i, j) − log N_t(j),    N_t(j) = Σ_i α̂_t(i) exp(T(i, j))
    R_(t+1)(j)   = Σ_i p(i | j) (R_t(i) + local(log p(i | j), log q(i | j)))

The local term is −log q, or log p − log q: both are a term of i, one of (i, j) and one of j.
"""

from . import scaled
from .compiler import jit
from .groups import gather, lists_in, longest_first, spare
from .layout import BLOCK, LANES, MASK, RATIO
from .scaled import Chains
from .simd import load, log, shift, spread, store, where_less


@jit
def _local(x, other, ratio):
    """−log other, or log x − log other; 0 where x is 0."""
    if x > 0.0 and other > 0.0:
        return (log(x) if ratio else 0.0) - log(other)
    return 0.0


@jit
def _local_scores(p, factors, q, other, ratio, out):
    """exp(T_p(i, j)) times the local term of (i, j), where `scaled.place` says; is it finite?"""
    S, finite = p.S, True
    for j in range(p.Q):
        for i in range(S):
            k, local = scaled.place(i, j, S), 0.0
            if factors.transitions[k] > 0.0:
                finite &= other.transitions[k] > 0.0
                local = other.transitions_top - q.transitions[i * S + j]
                if ratio:
                    local += p.transitions[i * S + j] - factors.transitions_top
            out[k] = factors.transitions[k] * local
    return finite


@jit
def _weigh(p, t, work, other_work, ratio, risk, weighed):
    """weighed[i] = α_t(i) (R_t(i) + the term of i); the lanes where q forbids what p allows."""
    at = t * p.Q * LANES
    for k in range(p.S * LANES):
        x, other = work.alphas[at + k], other_work.alphas[at + k]
        weighed[k] = x * (risk[k] + _local(x, other, ratio))
        if x > 0.0 and other == 0.0:
            work.flags[k % LANES] = 1.0


@jit
def _advance(p, factors, other, local, t, work, other_work, ratio, risk, weighed, norms):
    """R_(t+1)."""
    S, Q, zero, one = p.S, p.Q, spread(0.0), spread(1.0)
    alphas, others = shift(work.alphas, t * Q * LANES), shift(other_work.alphas, t * Q * LANES)
    other_norms = shift(norms, Q * LANES)
    for j in range(S):
        norm, other_norm, sum_ = zero, zero, zero
        column = scaled.place(0, j, S)
        for i in range(S):
            k, at = column + i * BLOCK, LANES * i
            x, factor = load(alphas, at), spread(factors.transitions[k])
            norm += x * factor
            other_norm += load(others, at) * spread(other.transitions[k])
            sum_ += load(weighed, at) * factor + x * spread(local[k])
        store(sum_ / where_less(zero, norm, norm, one), risk, LANES * j)
        store(norm, norms, LANES * j)
        store(other_norm, other_norms, LANES * j)
    for k in range(S * LANES):  # the term of j
        risk[k] -= _local(norms[k], other_norms[k], ratio)


@jit
def _last(p, factors, q, other, t, lane, work, other_work, ratio, weighed):
    """The whole expectation of a chain whose last token is t; and whether it is finite."""
    norm, other_norm, sum_, finite = 0.0, 0.0, 0.0, True
    for i in range(p.S):
        at, factor = (t * p.Q + i) * LANES + lane, factors.end[i]
        norm += work.alphas[at] * factor
        other_norm += other_work.alphas[at] * other.end[i]
        if factor > 0.0:
            finite &= other.end[i] > 0.0
            local = other.end_top - q.end[i]
            if ratio:
                local += p.end[i] - factors.end_top
            sum_ += factor * (weighed[LANES * i + lane] + work.alphas[at] * local)
    finite &= (norm > 0.0) & (other_norm > 0.0)
    return sum_ / norm - _local(norm, other_norm, ratio), finite


@jit
def divergence(
    emissions, transitions, start, end,
    other_emissions, other_transitions, other_start, other_end,
    mask, values, done, scratch, integers, B, L, S, options, first, stride,
):  # fmt: skip
    """E over y ~ p of −log q(y), or of log p(y) − log q(y), for every stride-th group of chains.

    Args:
        emissions: [B, L, S] scores of p; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        other_emissions: [B, L, S] scores of q, and so on.
        other_transitions: [S, S].
        other_start: [S].
        other_end: [S].
        mask: [B, L] truth values; unused without `MASK`.
        values: [B] filled: nats.
        done: [B] filled: 1, or 0 where the range of a double does not suffice, where no path is
            allowed, or where p may allow one that q forbids.
        scratch: Doubles; see `layout.doubles_of_divergence`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        options: See `layout`; `RATIO` for the second.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        0.
    """
    Q = (S + BLOCK - 1) // BLOCK * BLOCK
    ratio, masked = options & RATIO != 0, options & MASK != 0
    p = Chains(emissions, transitions, start, end, B, L, S, Q)
    q = Chains(other_emissions, other_transitions, other_start, other_end, B, L, S, Q)
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    work, rest = scaled.work_in(scratch, cells, L, Q)
    other_work, rest = scaled.work_in(rest, cells, L, Q)
    risk, weighed, norms = rest, shift(rest, Q * LANES), shift(rest, 2 * Q * LANES)
    local = shift(norms, 2 * Q * LANES)
    memory = shift(local, Q * Q)
    factors = scaled.factors_of(p, memory)
    other = scaled.factors_of(q, shift(memory, 2 * Q * Q + 2 * Q))
    possible = _local_scores(p, factors, q, other, ratio, local)
    possible &= factors.in_range & other.in_range
    longest_first(mask, masked, B, L, lengths, order, spare(cells, L))
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, masked, group, B, L, lengths, order, lane_lengths, cells)
        scaled.forward(p, factors, M, work)
        scaled.forward(q, other, M, other_work)
        for lane in range(LANES):
            if group + lane < B:
                done[order[group + lane]] = lane_lengths[lane] == 0
                values[order[group + lane]] = 0.0
        for k in range(0, Q * LANES, LANES):
            store(spread(0.0), risk, k)
        for t in range(M if possible else 0):
            _weigh(p, t, work, other_work, ratio, risk, weighed)
            for lane in range(LANES):
                if lane_lengths[lane] == t + 1:
                    value, finite = _last(
                        p, factors, q, other, t, lane, work, other_work, ratio, weighed
                    )
                    row, in_range = order[group + lane], other_work.flags[lane] == 0.0
                    values[row] = value
                    done[row] = finite and in_range and work.flags[lane] == 0.0
            if t + 1 < M:
                _advance(p, factors, other, local, t, work, other_work, ratio, risk, weighed, norms)
    return 0
