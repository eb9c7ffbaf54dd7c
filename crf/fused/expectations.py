"""log Z or log p(tags) of a batch, and the derivatives of their sum: one thread's share."""

from typing import Any, NamedTuple

from . import log_space, scaled
from .compiler import jit
from .groups import clear_gaps, gather, lists_in, longest_first, spare
from .layout import (
    BAD_SCORE,
    BAD_TAG,
    BLOCK,
    COUNTS,
    LANES,
    MASK,
    NO_PATH,
    PER_TOKEN,
    RESULTS,
    TAGS,
    VALUES,
    WEIGHTS,
)
from .scaled import NEG_INF, Chains
from .simd import load, log, shift, spread, store


class Sums(NamedTuple):
    """What is added up over all chains."""

    pairs: Any  # [Q, Q] expected transitions, without their own factor
    transitions: Any  # [S, S] derivatives
    start: Any  # [S] derivatives
    end: Any  # [S] derivatives
    value: Any  # [1] the weighted sum


class GivenPath(NamedTuple):
    """The path whose log-probability is wanted, if one is."""

    tags: Any  # [B, L]
    given: bool


@jit
def _gold(chains, path, cells, m, t):
    """The score that token t adds to the path's."""
    S, tag = chains.S, path.tags[cells[t]]
    score = float(chains.emissions[cells[t] * S + tag])
    if t:
        score += chains.transitions[path.tags[cells[t - 1]] * S + tag]
    else:
        score += chains.start[tag]
    if t == m - 1:
        score += chains.end[tag]
    return score


@jit
def _add_observed(chains, path, cells, m, weight, d_emissions, sums):
    """Add the derivatives of the path's score; at a score of −∞ they are 0."""
    S = chains.S
    for t in range(m):
        tag = path.tags[cells[t]]
        k = cells[t] * S + tag
        if chains.emissions[k] > NEG_INF:
            d_emissions[k] += weight
        if t:
            k = path.tags[cells[t - 1]] * S + tag
            sums.transitions[k] += weight if chains.transitions[k] > NEG_INF else 0.0
        else:
            sums.start[tag] += weight if chains.start[tag] > NEG_INF else 0.0
        if t == m - 1:
            sums.end[tag] += weight if chains.end[tag] > NEG_INF else 0.0


@jit
def _scaled_value(chains, factors, path, lane, m, last, work):
    """log Z, or log p(tags), token by token: what is large cancels before it is added up."""
    cells = shift(work.cells, lane * chains.L)
    value = log(last) + factors.end_top
    if not path.given:
        for t in range(m):
            value += scaled.increment(factors, lane, t, work)
        return value
    value = -value
    for t in range(m):
        gold = _gold(chains, path, cells, m, t)
        value += gold - scaled.increment(factors, lane, t, work)
    return value


@jit
def _in_log_space(chains, path, m, weight, counts, memory, d_emissions, sums):
    """The value of one chain, and its derivatives added."""
    S = chains.S
    if not log_space.forward(chains, m, memory):
        if counts:
            for t in range(m):
                for j in range(S):
                    d_emissions[memory.cells[t] * S + j] = 0
        return NEG_INF
    value = -memory.increments[m] if path.given else memory.increments[m]
    for t in range(m):
        if path.given:
            value += _gold(chains, path, memory.cells, m, t) - memory.increments[t]
        else:
            value += memory.increments[t]
    if counts:
        log_space.backward(chains, m, memory)
        expected = -weight if path.given else weight
        for t in range(m):
            for j in range(S):
                d_emissions[memory.cells[t] * S + j] = expected * memory.betas[t * S + j]
        for k in range(S * S):
            sums.transitions[k] += expected * memory.pairs[k]
        for j in range(S):
            sums.start[j] += expected * memory.betas[j]
            sums.end[j] += expected * memory.betas[(m - 1) * S + j]
        if path.given:
            _add_observed(chains, path, memory.cells, m, weight, d_emissions, sums)
    return value


@jit
def _backward(chains, factors, path, lengths, M, lasts, weights, work, d_emissions, sums):
    """The derivatives of a group, last token first; `lasts` is 0 in the lanes that failed.

    `lasts` becomes 0 in the lanes where the range of a double does not suffice here.
    """
    L, S, Q = chains.L, chains.S, chains.Q
    low, sign = spread(1.0), -1.0 if path.given else 1.0
    scaled.clear(chains, work)
    lane_weights = load(weights, 0) * spread(sign)
    for t in range(M - 1, -1, -1):
        low = scaled.back_to(chains, factors, t, M, lengths, lasts, lane_weights, low, work)
        scaled.put_column(work.marginals, work.cells, L, S, t, d_emissions)
    store(low, work.flags, 0)
    for lane in range(LANES):
        if work.flags[lane] < scaled.SMALLEST:
            lasts[lane] = 0.0
        if lengths[lane] and lasts[lane] == 0.0:
            for k in range(lane, M * Q * LANES, LANES):
                work.alphas[k] = work.psi[k] = 0.0
        elif lengths[lane]:
            last = (lengths[lane] - 1) * LANES
            beta = 1.0 / (lasts[lane] * work.scales[last + lane])  # α of the last is over its c
            for j in range(S):
                sums.start[j] += work.marginals[LANES * j + lane]
                sums.end[j] += work.alphas[last * Q + LANES * j + lane] * factors.end[j] * beta
    scaled.add_pairs(work.alphas, work.psi, M, Q, sums.pairs)


@jit
def _finish(chains, factors, sums):
    """The expected transitions get their own factor, and are added to the derivatives."""
    S, Q = chains.S, chains.Q
    for first in range(0, S, BLOCK):  # in the order of `scaled.place`
        for i in range(S):
            for j in range(first, min(first + BLOCK, S)):
                factor = factors.transitions[scaled.place(i, j, S)]
                if factor > 0.0:
                    sums.transitions[i * S + j] += sums.pairs[i * Q + j] * factor


@jit
def _tags_are_valid(path, cells, m, S):
    valid = True
    for t in range(m):
        tag = path.tags[cells[t]]
        valid &= (tag >= 0) & (tag < S)
    return valid


@jit
def expectations(
    emissions, transitions, start, end, mask, tags, weights, values,
    d_emissions, d_transitions, d_start, d_end, result, totals, scratch, integers,
    B, L, S, options, weight, first, stride,
):  # fmt: skip
    """The values of every stride-th group of chains from `first` on, and their weighted sum's
    derivatives.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values; unused without `MASK`.
        tags: [B, L] the path whose log-probability is wanted; unused without `TAGS`: log Z.
        weights: [B] what each chain counts for; unused without `WEIGHTS`.
        values: [B] filled with `VALUES`: nats, −∞ for an infeasible chain.
        d_emissions: [B, L, S] filled with `COUNTS`.
        d_transitions: [S, S] filled with `RESULTS`, as are the next three.
        d_start: [S].
        d_end: [S].
        result: [1] the weighted sum.
        totals: [S² + 2S + 1] filled: the same four, in doubles.
        scratch: Doubles; see `layout.doubles`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        options: See `layout`.
        weight: What each chain counts for; with `PER_TOKEN`, over the number of all tokens.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        What was found, see `layout`. After a bad score or tag nothing else counts.
    """
    Q = (S + BLOCK - 1) // BLOCK * BLOCK
    masked, with_counts = options & MASK != 0, options & COUNTS != 0
    chains = Chains(emissions, transitions, start, end, B, L, S, Q)
    path = GivenPath(tags, options & TAGS != 0)
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    work, rest = scaled.work_in(scratch, cells, L, Q)
    lasts, lane_weights, lane_values = rest, shift(rest, LANES), shift(rest, 2 * LANES)
    pairs = shift(rest, 3 * LANES)
    rest = shift(pairs, Q * Q)
    terms, row_pairs, increments = rest, shift(rest, S * S), shift(rest, 2 * S * S)
    factors = scaled.factors_of(chains, shift(increments, L + 1))
    if not factors.valid:
        return BAD_SCORE
    tokens = longest_first(mask, masked, B, L, lengths, order, spare(cells, L))
    if options & PER_TOKEN:
        weight /= max(tokens, 1)
    for k in range(S * S + 2 * S + 1):
        totals[k] = 0.0
    for k in range(Q * Q):
        pairs[k] = 0.0
    sums = Sums(
        pairs, totals, shift(totals, S * S), shift(totals, S * S + S),
        shift(totals, S * S + 2 * S),
    )  # fmt: skip
    status = 0
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, masked, group, B, L, lengths, order, lane_lengths, cells)
        for lane in range(LANES):
            lasts[lane] = lane_weights[lane] = 0.0
            if group + lane < B:
                row = order[group + lane]
                lane_weights[lane] = weights[row] if options & WEIGHTS else weight
                if with_counts:
                    clear_gaps(mask, masked, row, L, S, d_emissions)
                if path.given and not _tags_are_valid(
                    path, shift(cells, lane * L), lengths[row], S
                ):
                    return BAD_TAG
        if M:
            scaled.forward(chains, factors, M, work)
        for lane in range(LANES):
            m = lane_lengths[lane]
            if m and work.flags[LANES + lane] != 0.0:
                return BAD_SCORE
            if m and factors.in_range and work.flags[lane] == 0.0:
                lasts[lane] = scaled.last_sum(chains, factors, lane, m, work)
        for lane in range(LANES):
            m, value = lane_lengths[lane], 0.0
            if lasts[lane] > 0.0:
                value = _scaled_value(chains, factors, path, lane, m, lasts[lane], work)
            lane_values[lane] = value
        if M and with_counts:
            _backward(
                chains, factors, path, lane_lengths, M, lasts, lane_weights, work, d_emissions, sums
            )
        for lane in range(LANES):
            m, value, row_cells = lane_lengths[lane], lane_values[lane], shift(cells, lane * L)
            chain_weight = lane_weights[lane]
            if lasts[lane] > 0.0:
                if with_counts and path.given:
                    _add_observed(chains, path, row_cells, m, chain_weight, d_emissions, sums)
            elif m:
                memory = log_space.Memory(
                    row_cells, work.psi, work.alphas, increments, terms, row_pairs
                )
                value = _in_log_space(
                    chains, path, m, chain_weight, with_counts, memory, d_emissions, sums
                )
            if value == NEG_INF:
                status |= NO_PATH
            if chain_weight != 0.0:
                sums.value[0] += chain_weight * value
            if options & VALUES and group + lane < B:
                values[order[group + lane]] = value
    _finish(chains, factors, sums)
    if options & RESULTS:
        for k in range(S * S):
            d_transitions[k] = totals[k]
        for j in range(S):
            d_start[j] = sums.start[j]
            d_end[j] = sums.end[j]
        result[0] = sums.value[0]
    return status
