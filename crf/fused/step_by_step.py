"""Chains with transitions of their own at each step: one after another, eight tags at a time.

Forward and backward are those of `scaled`; a column is a row of S numbers here, rounded up to P.
The rows of a matrix are not: what a vector holds beyond a row meets ψ = 0.
"""

from typing import Any, NamedTuple

from .compiler import jit
from .groups import clear_gaps, find_tokens
from .layout import (
    BAD_TAG,
    COUNTS,
    LANES,
    MASK,
    OUT_OF_RANGE,
    PER_TOKEN,
    RESULTS,
    SAME,
    TAGS,
)
from .quick_look import below
from .scaled import LN2_HIGH, LN2_LOW, LOWEST, NEG_INF, SMALLEST, exponential, exponential_in_range
from .simd import (
    exponents,
    fetch,
    inverse_power,
    larger,
    largest,
    load,
    log,
    shift,
    smaller,
    spread,
    store,
    total,
    where_less,
)

LINE = 8  # so many doubles come from memory at once, or 16 floats


class Work(NamedTuple):
    """Scratch memory for one chain."""

    matrices: Any  # [L, S² + 16] exp(T) into each token, then zeros; `SAME`: one, then the pairs
    psi: Any  # [L, P] exp(e), then ψ β / c
    alphas: Any  # [L, P]
    scales: Any  # [L] 1 / c
    increments: Any  # [L] what each token adds to log Z
    end: Any  # [P] exp(end)
    beta: Any  # [P]
    row: Any  # [P]


@jit
def _exponentials(scores, n, row, out):
    """exp(scores − their maximum), n of them, and 0 in the rest of the last eight.

    Returns the maximum, and whether all is in range.
    """
    highest, in_range = 0.0, True
    if n < LANES:
        for lane in range(LANES):
            row[lane] = scores[lane] if lane < n else NEG_INF
        highest, in_range = _exponentials_of(row, LANES, out)
    else:
        highest, in_range = _exponentials_of(scores, n, out)
    return highest, in_range


@jit
def _exponentials_of(scores, n, out):
    """The same for n ≥ 8: the last eight overlap those before."""
    zero, one, far = spread(0.0), spread(1.0), spread(0.0)
    top = load(scores, n - LANES)
    bottom = top
    for k in range(0, n - LANES, LANES):
        top, bottom = larger(load(scores, k), top), smaller(load(scores, k), bottom)
    highest, lowest = largest(top), -largest(zero - bottom)
    highest = 0.0 if highest == NEG_INF else highest
    store(zero, out, (n - 1) // LANES * LANES)
    if lowest - highest >= LOWEST:  # nothing is forbidden, nor too far: there is nothing to look at
        for k in range(0, n, LANES):
            at = min(k, n - LANES)
            store(exponential_in_range(load(scores, at) - spread(highest)), out, at)
    else:
        for k in range(0, n, LANES):
            at = min(k, n - LANES)
            y = load(scores, at) - spread(highest)
            far = where_less(spread(NEG_INF), y, where_less(y, spread(LOWEST), one, far), far)
            store(exponential(y), out, at)
    return highest, total(far) == 0.0


@jit
def _forward(emissions, transitions, start, end, cells, m, L, S, P, step, same, work):
    """α of m tokens and its scales; Σ_s α_m(s) exp(end(s)), and is all in range?"""
    in_range, scale, sum_ = True, 1.0, spread(0.0)
    shared, fine = 0.0, True
    one, low = spread(1.0), spread(1.0)
    for t in range(m):
        psi, alpha = shift(work.psi, t * P), shift(work.alphas, t * P)
        matrix = shift(work.matrices, 0 if same else t * (S * S + 2 * LANES))
        before = shift(work.alphas, (t - 1) * P)
        top, fine = _exponentials(shift(emissions, cells[t] * S), S, work.row, psi)
        in_range &= fine
        if t == 0:
            shared, fine = _exponentials(start, S, work.row, alpha)
        elif t == 1 or not same:
            arriving = shift(transitions, (cells[t] % L - 1) * step)
            shared, fine = _exponentials(arriving, S * S, work.row, matrix)
            store(spread(0.0), matrix, (S * S + LANES - 1) // LANES * LANES)
        in_range &= fine
        work.increments[t] = (top + shared) + work.increments[t]
        sum_ = spread(0.0)
        for j in range(0, P, LANES):
            a, b = load(alpha, j), spread(0.0)
            if t:
                a = spread(0.0)
                for i in range(0, S - 1, 2):
                    a += spread(before[i]) * load(matrix, i * S + j)
                    b += spread(before[i + 1]) * load(matrix, (i + 1) * S + j)
                if S % 2:
                    a += spread(before[S - 1]) * load(matrix, (S - 1) * S + j)
            a = (a + b) * load(psi, j) * spread(scale)
            low = where_less(spread(0.0), a, where_less(a, low, a, low), low)
            store(a, alpha, j)
            sum_ += a
        whole = spread(total(sum_))
        store(where_less(spread(SMALLEST), whole, inverse_power(whole), one), work.row, 0)
        scale = work.row[0]
        work.scales[t] = scale
        store(exponents(whole), work.row, 0)
        if t + 1 < m:
            work.increments[t + 1] = work.row[0] * LN2_HIGH + work.row[0] * LN2_LOW
    top, fine = _exponentials(end, S, work.row, work.end)
    store(low, work.row, 0)
    last = 0.0
    for lane in range(LANES):
        in_range &= work.row[lane] >= SMALLEST
    for j in range(S):
        last += work.alphas[(m - 1) * P + j] * work.end[j]
    work.increments[0] += top
    return last, in_range & fine


@jit
def _backward(
    cells, m, L, S, P, last, sign, same, work, d_emissions, d_transitions, d_start, d_end
):
    """The derivatives of sign · log Z; is all in range?"""
    low, zero, pairs = spread(1.0), spread(0.0), shift(work.matrices, S * S + 2 * LANES)
    for k in range(0, S * S if same else 0, LANES):
        store(zero, pairs, k)
    for j in range(P):
        work.beta[j] = work.end[j] / last
    for t in range(m - 1, -1, -1):
        alpha, psi = shift(work.alphas, t * P), shift(work.psi, t * P)
        sum_ = zero
        for j in range(0, P, LANES):
            a = load(alpha, j)
            beta = where_less(zero, a, load(work.beta, j), zero)  # no prefix reaches the others
            low = where_less(zero, beta, where_less(beta, low, beta, low), low)
            store(beta, work.beta, j)
            sum_ += a * beta
        share = 1.0 / total(sum_)  # rounding adds up over a long chain
        marginals = shift(d_emissions, cells[t] * S)
        for j in range(0, P, LANES):
            part = load(alpha, j) * load(work.beta, j) * spread(sign * share)
            if j + LANES <= S:
                store(part, marginals, j)
            else:
                store(part, work.row, 0)
                for k in range(j, S):
                    marginals[k] = work.row[k - j]
        for j in range(S if t == 0 else 0):
            d_start[j] = marginals[j]
        for j in range(S if t == m - 1 else 0):
            d_end[j] = marginals[j]
        if t:
            before = shift(work.alphas, (t - 1) * P)
            matrix = shift(work.matrices, 0 if same else t * (S * S + 2 * LANES))
            table = shift(d_transitions, (cells[t] % L - 1) * S * S)
            factor = spread(share * work.scales[t - 1])
            for j in range(0, P, LANES):
                store(load(psi, j) * load(work.beta, j) * factor, psi, j)
            if t > 1 and not same:  # so that the next table is near when it is written
                following = shift(d_transitions, (cells[t - 1] % L - 1) * S * S)
                for k in range(0, S * S, LINE):
                    fetch(following, k)
            for i in range(S):
                sum_, weight = zero, spread(sign * before[i])
                fits = i * S + P <= S * S  # then the next rows cover what is over
                whole = P if fits else S // LANES * LANES
                if same:  # added up without their own factor, and with 0 in what is over
                    for j in range(0, P, LANES):
                        ahead = load(psi, j)
                        sum_ += load(matrix, i * S + j) * ahead
                        store(load(pairs, i * S + j) + weight * ahead, pairs, i * S + j)
                    whole = P
                for j in range(P if same else 0, whole, LANES):
                    flow = load(matrix, i * S + j) * load(psi, j)
                    sum_ += flow
                    store(flow * weight, table, i * S + j)
                for j in range(whole, P, LANES):
                    flow = load(matrix, i * S + j) * load(psi, j)
                    sum_ += flow
                    store(flow * weight, work.row, 0)
                    for k in range(j, S):
                        table[i * S + k] = work.row[k - j]
                work.beta[i] = total(sum_)
    for k in range(S * S if same else 0):
        d_transitions[k] = work.matrices[k] * pairs[k] if m > 1 else 0.0
    store(low, work.row, 0)
    in_range = True
    for lane in range(LANES):
        in_range &= work.row[lane] >= SMALLEST
    return in_range


@jit
def _clear_unused(d_transitions, row, cells, L, S):
    """d_transitions[row] = 0 at what leads into no token, or into the first."""
    t = 1 if cells[0] == row * L else 0  # the chain's token that is looked for
    for c in range(1, L):
        cell = row * L + c
        if t < L and cells[t] == cell:
            t += 1
        if t < 2 or cells[t - 1] != cell:
            at = (row * (L - 1) + c - 1) * S * S
            for k in range(at, at + S * S):
                d_transitions[k] = 0.0


@jit
def _add_observed(
    emissions, transitions, start, end, tags, cells, m, L, S, step, same, weight,
    d_emissions, d_transitions, d_start, d_end,
):  # fmt: skip
    """Add the derivatives of the path's score; at a score of −∞ they are 0."""
    for t in range(m):
        tag = tags[cells[t]]
        k = cells[t] * S + tag
        d_emissions[k] += weight if emissions[k] > NEG_INF else 0.0
        if t:
            at, k = 0 if same else cells[t] % L - 1, tags[cells[t - 1]] * S + tag
            d_transitions[at * S * S + k] += weight if transitions[at * step + k] > NEG_INF else 0.0
        else:
            d_start[tag] += weight if start[tag] > NEG_INF else 0.0
        if t == m - 1:
            d_end[tag] += weight if end[tag] > NEG_INF else 0.0


@jit
def _value(emissions, transitions, start, end, tags, given, cells, m, L, S, step, last, work):
    """log Z, or log p(tags), token by token."""
    value = -log(last) if given else log(last)
    for t in range(m):
        if given:
            tag = tags[cells[t]]
            gold = float(emissions[cells[t] * S + tag])
            if t:
                at = (cells[t] % L - 1) * step
                gold += transitions[at + tags[cells[t - 1]] * S + tag]
            else:
                gold += start[tag]
            if t == m - 1:
                gold += end[tag]
            value += gold - work.increments[t]
        else:
            value += work.increments[t]
    return value


@jit
def step_by_step(
    emissions, transitions, start, end, mask, tags, values,
    d_emissions, d_transitions, d_start, d_end, scratch, cells,
    result, B, L, S, to_next_row, to_next_step, options, weight, first, stride,
):  # fmt: skip
    """log Z or log p(tags) of every stride-th chain from `first` on, and its derivatives.

    With `SAME`, for one chain: all its steps have the transitions [S, S].

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [B, L - 1, S, S] scores, with so many from row to row and from step to step;
            what leads into a cell without a token before it does not matter.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values; unused without `MASK`.
        tags: [B, L] the path whose log-probability is wanted; unused without `TAGS`: log Z.
        values: [B] filled: nats.
        d_emissions: [B, L, S] filled with `COUNTS`.
        d_transitions: [B, L - 1, S, S] filled with `COUNTS`.
        d_start: [B, S] filled with `COUNTS`; a row's are 2 S further than those of the one before.
        d_end: [B, S] likewise.
        scratch: Doubles; see `layout.doubles_step_by_step`.
        cells: [L] integers.
        result: [B] filled with `RESULTS`: the values, times `weight`, in the scores' precision.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        to_next_row: How many scores further a chain's transitions are those of the next.
        to_next_step: And a step's.
        options: See `layout`.
        weight: What a chain's derivatives are times; with `PER_TOKEN`, over its number of tokens.
        first: The first chain.
        stride: How many chains to the next.

    Returns:
        0, `BAD_TAG`, or `OUT_OF_RANGE` where the range of a double does not suffice or no path is
        allowed; with `SAME` also where a score is nan or +∞, the path forbidden, or no token there:
        then nothing else counts.
    """
    same = options & SAME != 0
    if same and not (below(start, S) and below(end, S) and below(transitions, S * S)):
        return OUT_OF_RANGE
    P = (S + LANES - 1) // LANES * LANES
    masked, given, counts = options & MASK != 0, options & TAGS != 0, options & COUNTS != 0
    matrices, psi = scratch, shift(scratch, (2 if same else L) * (S * S + 2 * LANES))
    alphas, scales = shift(psi, L * P), shift(psi, 2 * L * P)
    increments, columns = shift(scales, L), shift(scales, 2 * L)
    work = Work(
        matrices, psi, alphas, scales, increments,
        columns, shift(columns, P), shift(columns, 2 * P),
    )  # fmt: skip
    for row in range(first, B, stride):
        find_tokens(mask, masked, row, 0, L, cells)
        m, values[row] = 0, 0.0
        for t in range(L):
            m += cells[t] >= 0
        if same and m == 0:
            return OUT_OF_RANGE
        share = weight / max(m, 1) if options & PER_TOKEN else weight
        for t in range(m if same else 0):
            if not below(shift(emissions, cells[t] * S), S):
                return OUT_OF_RANGE
        for t in range(m if given else 0):
            if tags[cells[t]] < 0 or tags[cells[t]] >= S:
                return BAD_TAG
        d_first, d_last = shift(d_start, row * 2 * S), shift(d_end, row * 2 * S)
        for j in range(S if counts and m == 0 else 0):
            d_first[j] = d_last[j] = 0.0
        if counts:
            clear_gaps(mask, masked, row, L, S, d_emissions)
            if not same:
                _clear_unused(d_transitions, row, cells, L, S)
        if m:
            increments[0] = 0.0
            matrix = shift(transitions, row * to_next_row)
            last, in_range = _forward(
                emissions, matrix, start, end, cells, m, L, S, P, to_next_step, same, work
            )
            if not in_range or last == 0.0:
                return OUT_OF_RANGE
            values[row] = _value(
                emissions, matrix, start, end, tags, given, cells, m, L, S, to_next_step, last, work
            )
            if same and values[row] == NEG_INF:  # the path is forbidden
                return OUT_OF_RANGE
            if counts:
                d_matrix = shift(d_transitions, row * (L - 1) * S * S)
                if not _backward(
                    cells, m, L, S, P, last, -share if given else share, same, work,
                    d_emissions, d_matrix, d_first, d_last,
                ):  # fmt: skip
                    return OUT_OF_RANGE
                if given:
                    _add_observed(
                        emissions, matrix, start, end, tags, cells, m, L, S, to_next_step,
                        same, share, d_emissions, d_matrix, d_first, d_last,
                    )  # fmt: skip
        if options & RESULTS:
            result[row] = share * values[row]
    return 0
