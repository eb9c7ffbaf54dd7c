"""Best paths, eight chains at a time: the max recursion and the way back, one thread's share.

The sums are those of `crf.decoding`, in the same order, so scores and ties agree bit for bit. No
backpointer is stored: the argmax is found again along the best path alone.

Many tags go by rows of the transitions, read where they stand: of a row that cannot win, however
good its best transition is, no sum is taken.
"""

from .compiler import jit
from .groups import find_tokens, gather, lists_in, longest_first, spare
from .layout import BAD_SCORE, BLOCK, FEW, LANES, MANY, MASK, PACKED, STRIP
from .quick_look import below
from .scaled import INFINITY, NEG_INF, take_column
from .simd import larger, load, look_up, shift, spread, store, store_whole, total, where_less


@jit
def _doubles_of(transitions, S, Q, unit, into):
    """The transitions in doubles, [Q / unit, S, unit], −∞ in the padding; are they valid?

    So many columns stand together as a step takes at once.
    """
    valid, k = True, 0
    for first in range(0, Q, unit):
        for i in range(S):
            for j in range(first, first + unit):
                score = transitions[i * S + j] if j < S else NEG_INF
                valid &= score < INFINITY
                into[k] = score
                k += 1
    return valid


@jit
def _tops_of(transitions, S, lanes, tops):
    """The highest score of each row; are the transitions valid?"""
    bad = spread(0.0)
    for i in range(S):
        top = spread(NEG_INF)
        for left in range(0, S, LANES):
            scores = load(transitions, i * S + min(left, S - LANES))
            bad = where_less(scores, spread(INFINITY), bad, spread(1.0))
            top = larger(scores, top)
        store(top, lanes, 0)
        tops[i] = lanes[0]
        for lane in range(LANES):
            tops[i] = max(tops[i], lanes[lane])
    return total(bad) == 0.0


@jit
def _advance(before, into, column, S, Q, delta):
    """delta[j] = max_i (before[i] + into[i, j]) + column[j]."""
    low = spread(NEG_INF)
    for j in range(0, Q, BLOCK):
        a, b, c, d = low, low, low, low
        for i in range(S):
            x, k = load(before, LANES * i), j * S + i * BLOCK
            a = larger(x + spread(into[k]), a)
            b = larger(x + spread(into[k + 1]), b)
            c = larger(x + spread(into[k + 2]), c)
            d = larger(x + spread(into[k + 3]), d)
        k = LANES * j
        store(a + load(column, k), delta, k)
        store(b + load(column, k + LANES), delta, k + LANES)
        store(c + load(column, k + 2 * LANES), delta, k + 2 * LANES)
        store(d + load(column, k + 3 * LANES), delta, k + 3 * LANES)


@jit
def _take_rows(before, transitions, rows, strip, S, delta):
    """delta[j] = max(delta[j], before[i] + transitions[i, j]) for eight rows i, equal ones too."""
    a, b = load(before, LANES * rows[0]), load(before, LANES * rows[1])
    c, d = load(before, LANES * rows[2]), load(before, LANES * rows[3])
    e, f = load(before, LANES * rows[4]), load(before, LANES * rows[5])
    g, h = load(before, LANES * rows[6]), load(before, LANES * rows[7])
    for left in range(0, S, STRIP):
        first = min(left, S - STRIP)  # some columns are taken twice: the maximum stays what it is
        for k in range(LANES):
            for j in range(0, STRIP, LANES):
                store(load(transitions, rows[k] * S + first + j), strip, k * STRIP + j)
        for j in range(STRIP):
            at = LANES * (first + j)
            top = larger(a + spread(strip[j]), load(delta, at))
            top = larger(b + spread(strip[j + STRIP]), top)
            top = larger(c + spread(strip[j + 2 * STRIP]), top)
            top = larger(d + spread(strip[j + 3 * STRIP]), top)
            top = larger(e + spread(strip[j + 4 * STRIP]), top)
            top = larger(f + spread(strip[j + 5 * STRIP]), top)
            top = larger(g + spread(strip[j + 6 * STRIP]), top)
            store(larger(h + spread(strip[j + 7 * STRIP]), top), delta, at)


@jit
def _advance_by_rows(before, transitions, tops, rows, strip, column, S, delta):
    """The same for many tags: each chain's best row first, then those that may still win.

    Rounding keeps order: no sum of row i is above before[i] + tops[i].
    """
    best, top, here, one = spread(0.0), spread(NEG_INF), spread(0.0), spread(1.0)
    for i in range(S):
        store(spread(NEG_INF), delta, LANES * i)
        bound = load(before, LANES * i) + spread(tops[i])
        best = where_less(top, bound, here, best)
        top = larger(bound, top)
        here += one
    store_whole(best, rows)
    _take_rows(before, transitions, rows, strip, S, delta)
    lowest, found = spread(INFINITY), 0
    for j in range(S):
        score = load(delta, LANES * j)
        lowest = where_less(score, lowest, score, lowest)
    for i in range(S):
        bound = load(before, LANES * i) + spread(tops[i])
        if total(where_less(lowest, bound, one, spread(0.0))) > 0.0:
            rows[found] = i
            found += 1
        if found == LANES or (found > 0 and i == S - 1):
            _take_rows(before, transitions, rows, strip, S, delta)
            found = 0
    for j in range(0, LANES * S, LANES):
        store(load(delta, j) + load(column, j), delta, j)


@jit
def _forward(emissions, transitions, start, into, cells, L, S, Q, M, column, deltas):
    """δ of M tokens; the lanes with nan or +∞ among the emissions are 1 in what is returned."""
    bad, one = spread(0.0), spread(1.0)
    for j in range(S, Q):
        store(spread(NEG_INF), column, LANES * j)
    for t in range(M):
        delta = shift(deltas, t * Q * LANES)
        take_column(emissions, cells, L, S, t, column)
        for j in range(S):
            bad = where_less(load(column, LANES * j), spread(INFINITY), bad, one)
        before = shift(deltas, (t - 1) * Q * LANES)
        if t and S >= MANY:
            rows, tops = shift(spare(cells, L), LANES), shift(into, LANES * STRIP)
            _advance_by_rows(before, transitions, tops, rows, into, column, S, delta)
        elif t:
            _advance(before, into, column, S, Q, delta)
        else:
            for j in range(S):
                store(spread(float(start[j])) + load(column, LANES * j), delta, LANES * j)
    return bad


@jit
def _best(delta, step, lane, scores, unit, S):
    """The lowest i that maximises delta[step · i + lane] + scores[unit · i], and the maximum."""
    best, top = 0, NEG_INF
    for i in range(S):
        candidate = delta[step * i + lane] + scores[unit * i]
        if candidate > top:
            best = i
            top = candidate
    return best, top


@jit
def _take_rows_alone(before, transitions, rows, S, delta):
    """`_take_rows` for one chain, eight columns at a time."""
    a, b, c, d = before[rows[0]], before[rows[1]], before[rows[2]], before[rows[3]]
    e, f, g, h = before[rows[4]], before[rows[5]], before[rows[6]], before[rows[7]]
    for left in range(0, S, LANES):
        j = min(left, S - LANES)
        top = larger(spread(a) + load(transitions, rows[0] * S + j), load(delta, j))
        top = larger(spread(b) + load(transitions, rows[1] * S + j), top)
        top = larger(spread(c) + load(transitions, rows[2] * S + j), top)
        top = larger(spread(d) + load(transitions, rows[3] * S + j), top)
        top = larger(spread(e) + load(transitions, rows[4] * S + j), top)
        top = larger(spread(f) + load(transitions, rows[5] * S + j), top)
        top = larger(spread(g) + load(transitions, rows[6] * S + j), top)
        store(larger(spread(h) + load(transitions, rows[7] * S + j), top), delta, j)


@jit
def _advance_alone_by_rows(before, transitions, tops, rows, S, delta):
    """delta[j] = max_i (before[i] + transitions[i, j]); see `_advance_by_rows`."""
    best, _top = _best(before, 1, 0, tops, 1, S)
    for k in range(LANES):
        rows[k] = best
    for j in range(S):
        delta[j] = NEG_INF
    _take_rows_alone(before, transitions, rows, S, delta)
    lowest, found = INFINITY, 0
    for j in range(S):
        lowest = min(lowest, delta[j])
    for i in range(S):
        if before[i] + tops[i] > lowest:
            rows[found] = i
            found += 1
        if found == LANES or (found > 0 and i == S - 1):
            _take_rows_alone(before, transitions, rows, S, delta)
            found = 0


@jit
def _forward_alone(emissions, transitions, start, into, cells, rows, S, P, m, deltas):
    """δ of one chain, eight tags at a time: [m, P]; whether its emissions are valid."""
    valid = True
    for t in range(m):
        before, delta, at = shift(deltas, (t - 1) * P), shift(deltas, t * P), cells[t] * S
        if t and S >= MANY:
            _advance_alone_by_rows(before, transitions, shift(into, LANES * STRIP), rows, S, delta)
        elif t:
            for j in range(0, P, LANES):
                a, b = spread(NEG_INF), spread(NEG_INF)  # two, as neither waits for the other
                for i in range(0, S - 1, 2):
                    k = j * S + i * LANES
                    a = larger(spread(before[i]) + load(into, k), a)
                    b = larger(spread(before[i + 1]) + load(into, k + LANES), b)
                if S % 2:
                    a = larger(spread(before[S - 1]) + load(into, (j + LANES) * S - LANES), a)
                store(larger(a, b), delta, j)
        for j in range(S):
            score = emissions[at + j]
            valid &= score < INFINITY
            delta[j] = score + (delta[j] if t else start[j])
    return valid


@jit
def _best_of_lanes(delta, into, columns, unit, S):
    """The first part of `_best` for eight chains at once; their scores are in these columns."""
    best, top, here = spread(0.0), spread(NEG_INF), spread(0.0)
    for i in range(S):
        candidate = load(delta, LANES * i) + look_up(shift(into, unit * i), columns)
        best = where_less(top, candidate, here, best)
        top = larger(candidate, top)
        here += spread(1.0)
    return best


@jit
def _column(into, tag, unit, S):
    """The scores into a tag, one every `unit` numbers."""
    return shift(into, tag // unit * unit * S + tag % unit)


@jit
def best_paths(
    emissions, transitions, start, end, mask, tags, scores, packed, tokens, scratch, integers,
    B, L, S, options, first, stride,
):  # fmt: skip
    """Decode every stride-th group of chains from `first` on.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values; unused without `MASK`.
        tags: [B, L] filled with the best path; −1 at masked cells and where no path is allowed.
        scores: [B] filled with its score, −∞ if no path is allowed.
        packed: With `PACKED`, instead of these two: [B, L] the path's tags without gaps, as bytes.
        tokens: And [B] how many; 0 if no path is allowed.
        scratch: Doubles; see `layout.doubles_of_paths`.
        integers: See `layout.integers`.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        options: See `layout`.
        first: The first group.
        stride: How many groups to the next.

    Returns:
        0, or `BAD_SCORE`: then nothing else counts.
    """
    alone = B <= FEW
    unit = LANES if alone else BLOCK
    Q = (S + unit - 1) // unit * unit
    masked, pack = options & MASK != 0, options & PACKED != 0
    lengths, order, lane_lengths, cells = lists_in(integers, B)
    found = spare(cells, L)
    last_tags, columns = shift(found, LANES), shift(found, 2 * LANES)
    many = S >= MANY
    into, rest = scratch, shift(scratch, LANES * (STRIP + S // LANES + 1) if many else S * Q)
    if many:  # no table: a strip of it, and the highest score of each row
        valid = _tops_of(transitions, S, into, shift(into, LANES * STRIP))
    else:
        valid = _doubles_of(transitions, S, Q, unit, into)
    if not (valid and below(start, S) and below(end, S)):
        return BAD_SCORE
    longest_first(mask, masked, B, L, lengths, order, spare(cells, L))
    if alone:
        deltas = rest
        for row in range(B):
            m = lengths[row]
            find_tokens(mask, masked, row, 0, L, cells)
            if not _forward_alone(
                emissions, transitions, start, into, cells, last_tags, S, Q, m, deltas
            ):
                return BAD_SCORE
            tag, score = 0, 0.0
            if m:
                tag, score = _best(shift(deltas, (m - 1) * Q), 1, 0, end, 1, S)
            m = m if score > NEG_INF else 0
            _open(row, L, m, score, pack, tags, scores, tokens)
            for back in range(m):
                t = m - 1 - back
                delta = shift(deltas, t * Q)
                if back and many:
                    tag, _score = _best(delta, 1, 0, shift(transitions, tag), S, S)
                elif back:
                    tag, _score = _best(delta, 1, 0, _column(into, tag, unit, S), unit, S)
                if pack:
                    packed[row * L + t] = tag
                else:
                    tags[cells[t]] = tag
        return 0
    column, flags = rest, shift(rest, Q * LANES)
    deltas = shift(flags, LANES)
    for group in range(first * LANES, B, stride * LANES):
        M = gather(mask, masked, group, B, L, lengths, order, lane_lengths, cells)
        bad = _forward(emissions, transitions, start, into, cells, L, S, Q, M, column, deltas)
        store(bad, flags, 0)
        for lane in range(LANES):
            if group + lane < B:
                if flags[lane] > 0.0:
                    return BAD_SCORE
                m, score = lane_lengths[lane], 0.0
                if m:
                    last = shift(deltas, (m - 1) * Q * LANES)
                    last_tags[lane], score = _best(last, LANES, lane, end, 1, S)
                    if score == NEG_INF:
                        lane_lengths[lane] = 0
                row = order[group + lane]
                _open(row, L, lane_lengths[lane], score, pack, tags, scores, tokens)
        for lane in range(LANES):
            columns[lane] = 0
        for t in range(M - 1, -1, -1):  # the lanes do not wait for each other
            if t < M - 1:
                delta = shift(deltas, t * Q * LANES)
                if many:
                    store_whole(_best_of_lanes(delta, transitions, columns, S, S), found)
                else:
                    store_whole(_best_of_lanes(delta, into, columns, BLOCK, S), found)
            for lane in range(LANES):
                if t < lane_lengths[lane]:
                    tag = last_tags[lane] if t == lane_lengths[lane] - 1 else found[lane]
                    columns[lane] = tag if many else tag // BLOCK * BLOCK * S + tag % BLOCK
                    if pack:
                        packed[order[group + lane] * L + t] = tag
                    else:
                        tags[cells[lane * L + t]] = tag
    return 0


@jit
def _open(row, L, m, score, pack, tags, scores, tokens):
    """A row of the results, without the path."""
    if pack:
        tokens[row] = m
    else:
        scores[row] = score
        for t in range(row * L, row * L + L):
            tags[t] = -1
