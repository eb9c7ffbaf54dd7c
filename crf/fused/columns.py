"""What one step of a recursion does to one column of numbers, or to all of them at once.

A column has S numbers and is padded with zeros to a multiple of eight; matrices are padded in both
directions. Arrays are passed whole with a row index: a slice would cost more than the work.
"""

import numpy as np

from .jit import jit
from .simd import (
    LANES,
    ROWS,
    best_sum,
    bits_of,
    from_bits,
    outer_products,
    row_times_matrix,
)

NEG_INF = -np.inf
FINE, INFEASIBLE, OUT_OF_RANGE = 0, 1, 2  # how a recursion went

# In the scaled recursions every number that is not 0 stays above SMALLEST, so that a product of
# three of them is still a normal number, and 0 always means "forbidden", never "too small". A chain
# that would fall below is computed in log space instead.
SMALLEST = 1e-100
LOWEST = -230.0  # a little more than log(SMALLEST)

_MAGIC = 6755399441055744.0  # 1.5 · 2^52: adding it leaves the nearest integer in the low bits
_MAGIC_BITS = 0x4338000000000000
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@jit()
def padded(S):
    """S rounded up to a multiple of eight."""
    return (S + LANES - 1) // LANES * LANES


@jit()
def table(rows, P, value=0.0):
    """A [rows, P] array full of a value, aligned so that eight doubles share a cache line."""
    raw = np.empty(rows * P + LANES)
    skip = -(raw.ctypes.data // 8) % LANES
    for i in range(len(raw)):
        raw[i] = value
    return raw[skip : skip + rows * P].reshape(rows, P)


@jit()
def tokens_of(mask, b, cells):
    """Write the True cells of row b to `cells`; return how many there are."""
    m = 0
    for t in range(mask.shape[1]):
        if mask[b, t]:
            cells[m] = t
            m += 1
    return m


@jit(fastmath={"nnan", "nsz", "reassoc"})
def largest(x, b, t):
    """max_j x[b, t, j], −∞ where all are −∞. There is no nan among the scores."""
    top = x[b, t, 0]
    for j in range(1, x.shape[2]):
        value = x[b, t, j]
        top = value if value > top else top
    return np.float64(top)


@jit(fastmath={"contract"})
def exponentiate(x, n):
    """x[i] = exp(x[i]) for the first n numbers, all ≤ 0; exactly 0 below −700 and for −∞.

    exp(y) = 2^k exp(r) with k = round(y / log 2), |r| ≤ log 2 / 2: exp(r) by its Taylor series, 2^k
    by writing k into the exponent bits. Unlike the system's exp, this is vectorised.
    """
    for i in range(n):
        y = max(x[i], -701.0)
        shifted = y * _LOG2_E + _MAGIC
        k = shifted - _MAGIC
        r = (y - k * _LN2_HIGH) - k * _LN2_LOW
        p = 1 / 6227020800 * r + 1 / 479001600
        p = p * r + 1 / 39916800
        p = p * r + 1 / 3628800
        p = p * r + 1 / 362880
        p = p * r + 1 / 40320
        p = p * r + 1 / 5040
        p = p * r + 1 / 720
        p = p * r + 1 / 120
        p = p * r + 1 / 24
        p = p * r + 1 / 6
        p = p * r + 1 / 2
        p = p * r + 1
        p = p * r + 1
        power = from_bits((bits_of(shifted) - _MAGIC_BITS + 1023) << 52)
        x[i] = p * power if y >= -700.0 else 0.0


@jit()
def multiply(source, s, matrix, S, target, t):
    """target[t, :] = source[s, :] @ matrix, of which the first S rows count, an even number."""
    P, j = matrix.shape[1], 0  # as many lanes at a time as there are registers for
    while P - j >= 4 * LANES:
        row_times_matrix(source, s * P, matrix, j, P, S, target, t * P + j, 4)
        j += 4 * LANES
    if P - j == 3 * LANES:
        row_times_matrix(source, s * P, matrix, j, P, S, target, t * P + j, 3)
    elif P - j == 2 * LANES:
        row_times_matrix(source, s * P, matrix, j, P, S, target, t * P + j, 2)
    elif P - j == LANES:
        row_times_matrix(source, s * P, matrix, j, P, S, target, t * P + j, 1)


@jit()
def sum_of_outer_products(left, right, steps, S, total):
    """total = Σ_t left[t, :]ᵀ right[t + 1, :] over the first `steps` rows; it is [P, P]."""
    P = total.shape[1]
    for i in range(0, S, ROWS):
        for j in range(0, P, LANES):
            outer_products(left, i, right, P + j, P, steps, total, i * P + j)


@jit()
def best_predecessors(deltas, t, transitions, S, values, origins):
    """values[t + 1, j] = max_i (deltas[t, i] + transitions[i, j]); origins: the lowest such i."""
    P = transitions.shape[1]
    for j in range(0, P, LANES):
        best_sum(deltas, t * P, transitions, j, P, S, values, origins, (t + 1) * P + j)


@jit()
def copy(source, s, target, t):
    """target[t, :] = source[s, :]."""
    for j in range(target.shape[1]):
        target[t, j] = source[s, j]


@jit()
def rescale(columns, t, factor):
    """columns[t, :] *= factor."""
    for j in range(columns.shape[1]):
        columns[t, j] *= factor


@jit()
def too_small(columns, rows):
    """Whether a number in the first rows is less than SMALLEST but not 0."""
    flat, found = columns.reshape(columns.size), 0
    for i in range(rows * columns.shape[1]):
        found += (flat[i] > 0.0) & (flat[i] < SMALLEST)
    return found > 0


@jit()
def zero_where_zero(where, columns, rows):
    """columns = 0 wherever `where` is 0, in the first rows."""
    keys, flat = where.reshape(where.size), columns.reshape(columns.size)
    for i in range(rows * columns.shape[1]):
        flat[i] = flat[i] if keys[i] > 0.0 else 0.0


@jit()
def multiply_by(factors, columns, rows):
    """columns *= factors, in the first rows."""
    other, flat = factors.reshape(factors.size), columns.reshape(columns.size)
    for i in range(rows * columns.shape[1]):
        flat[i] *= other[i]
