"""The k best paths of each chain, one chain after another: one thread's share.

The recursion of `crf.decoding.topk`; its sums and ties are the same.
"""

from .compiler import jit
from .groups import find_tokens
from .layout import LANES, MASK
from .scaled import NEG_INF
from .simd import larger, load, shift, spread, store


@jit
def _insert(score, place, at, k, scores, places):
    """Put a score among the k best, which are in order, behind its equals; it beats the last."""
    for rank in range(at + k - 1, at, -1):
        above, here = scores[rank - 1], scores[rank]
        place_above, place_here = places[rank - 1], places[rank]
        scores[rank] = max(here, min(above, score))
        enters = place if score > here else place_here
        places[rank] = place_above if score > above else enters
    if score > scores[at]:
        scores[at] = score
        places[at] = place


@jit
def _clear(at, k, scores, places):
    for rank in range(at, at + k):
        scores[rank] = NEG_INF
        places[rank] = 0


@jit
def _bounds(before, transitions, S, K, bounds):
    """bounds[j]: what the K best paths into tag j reach at least, as a single tag before it
    offers K of them already.
    """
    for first in range(0, S if S >= LANES else 0, LANES):
        j, top = min(first, S - LANES), spread(NEG_INF)
        for i in range(S):
            top = larger(spread(before[i * K + K - 1]) + load(transitions, i * S + j), top)
        store(top, bounds, j)
    for j in range(S if S < LANES else 0):
        bounds[j] = NEG_INF
        for i in range(S):
            bounds[j] = max(bounds[j], before[i * K + K - 1] + transitions[i * S + j])


@jit
def best_lists(
    emissions, transitions, start, end, mask, tags, scores, scratch, places,
    B, L, S, K, options, first, stride,
):  # fmt: skip
    """Decode every stride-th chain from `first` on.

    Args:
        emissions: [B, L, S] scores; what masked cells hold does not matter.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] truth values; unused without `MASK`.
        tags: [B, K, L] filled, best first; −1 at masked cells, and where there are no more paths.
        scores: [B, K] filled, −∞ where there are no more.
        scratch: [2 S K + S] doubles.
        places: [L S K + K + L] integers.
        B: How many chains.
        L: How many cells each has.
        S: How many tags.
        K: How many paths.
        options: See `layout`.
        first: The first chain.
        stride: How many chains to the next.

    Returns:
        0.
    """
    width = S * K
    last, cells = shift(places, L * width), shift(places, L * width + K)
    bounds = shift(scratch, 2 * width)
    for row in range(first, B, stride):
        find_tokens(mask, options & MASK != 0, row, 0, L, cells)
        for k in range(row * K * L, (row + 1) * K * L):
            tags[k] = -1
        best, m = shift(scores, row * K), 0
        _clear(0, K, best, last)
        for t in range(L):
            if cells[t] >= 0:
                m = t + 1
                before = shift(scratch, (t + 1) % 2 * width)
                after, origins = shift(scratch, t % 2 * width), shift(places, t * width)
                if t:
                    _bounds(before, transitions, S, K, bounds)
                for j in range(S):
                    at, bound = j * K, bounds[j]
                    _clear(at, K, after, origins)
                    if t == 0:
                        after[at] = start[j]
                    for rank in range(K if t else 0):  # of tag 0, which are in order
                        after[at + rank] = before[rank] + transitions[j]
                        origins[at + rank] = rank
                    for i in range(1, S if t else 1):
                        step = transitions[i * S + j]
                        top = before[i * K] + step
                        if top >= bound and top > after[at + K - 1]:
                            for rank in range(i * K, i * K + K):
                                score = before[rank] + step
                                if score >= bound and score > after[at + K - 1]:
                                    _insert(score, rank, at, K, after, origins)
                    for rank in range(at, at + K):
                        after[rank] += emissions[cells[t] * S + j]
        if m == 0:
            best[0] = 0.0
        else:
            prefixes = shift(scratch, (m - 1) % 2 * width)
            for place in range(width):
                score = prefixes[place] + end[place // K]
                if score > best[K - 1]:
                    _insert(score, place, 0, K, best, last)
        for rank in range(K):
            place = last[rank]
            path = shift(tags, (row * K + rank) * L - row * L)
            for t in range(m - 1, -1 if best[rank] > NEG_INF else m, -1):
                path[cells[t]] = place // K
                place = places[t * width + place]
    return 0
