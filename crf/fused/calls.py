"""Kernels called with tensors: their pointers, their scratch memory, their threads."""

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from . import layout
from .layout import COUNTS, MASK, PACKED, RATIO, RESULTS, SAME, TAGS, VALUES, WEIGHTS
from .native import SCORES, kernel
from .threads import over_groups

ScoreTensors = tuple[Tensor, Tensor, Tensor, Tensor]  # emissions, transitions, start, end


# A thread keeps so many words of scratch memory between calls: new pages cost more than a short
# call. More are given back.
KEPT = 2**19


# A new tensor like one that is at hand takes half the time of `torch.empty`.
_SCALAR = {
    dtype: torch.empty((), dtype=dtype, device="cpu")
    for dtype in (*SCORES, torch.int64, torch.uint8)
}


class _Kept(threading.local):
    memory: Tensor
    words = place = 0
    whole: Any = None
    lent: Callable[[], Any] = staticmethod(lambda: None)


_kept = _Kept()


def _empty(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """A new tensor where the kernels can write, whatever torch's default device is."""
    return _SCALAR[dtype].new_empty(*shape)


def _scratch(words: int) -> tuple[int, Tensor]:
    """Words of eight bytes for a kernel to work in: their address, and what keeps them."""
    if words > KEPT:
        memory = _empty(words)
        return memory.data_ptr(), memory
    if _kept.words < words:
        _kept.memory = _empty(words)
        _kept.words, _kept.place = words, _kept.memory.data_ptr()
    return _kept.place, _kept.memory


def _lent(shape: torch.Size, dtype: torch.dtype) -> Tensor:
    """A new tensor, in the memory of the last such if that is free again.

    For tables of gradients, each given up before the next: what is given up, the system may take
    back, and to get it again page by page takes longer than to fill it. A tensor made from an array
    holds it for as long as anything uses the memory, so that the array's end says when that is.
    """
    if shape.numel() > KEPT:
        return _empty(*shape, dtype=dtype)
    whole, size = _kept.whole, dtype.itemsize
    if whole is None or whole.shape != shape or whole.itemsize != size or _kept.lent() is not None:
        whole = _kept.whole = _empty(*shape, dtype=dtype).numpy()
    lent = whole.view()
    _kept.lent = weakref.ref(lent)
    return torch.from_numpy(lent)


def as_kernels_take(scores: ScoreTensors) -> ScoreTensors:
    """The scores in one precision, that of the emissions, each without gaps in memory."""
    dtype = scores[0].dtype
    emissions, transitions, start, end = (
        (x if x.dtype == dtype else x.to(dtype)).contiguous() for x in scores
    )
    return emissions, transitions, start, end


def below_infinity(scores: ScoreTensors) -> bool:
    """Whether neither nan nor +∞ is among the scores, those of masked cells too."""
    B, L, S = scores[0].shape
    steps = scores[1].numel() // (S * S)
    return kernel("quick_look", scores[0].dtype)(*_places(scores), B * L, steps, S) == 1


def expectations(
    scores: ScoreTensors,
    mask: Tensor | None,
    tags: Tensor | None,
    wanted: int,
    weight: float = 1.0,
    weights: Tensor | None = None,
) -> tuple[int, Tensor | None, tuple[Tensor, ...], Tensor]:
    """The kernel `expectations`; see there.

    Args:
        scores: As `as_kernels_take` returns them.
        mask: [B, L] bool, without gaps in memory; None: all are tokens.
        tags: [B, L] int64, without gaps in memory; None: the values are log Z.
        wanted: `VALUES`, `COUNTS` (the derivatives), both or neither; and whether the weight is to
            be divided by the number of tokens, `PER_TOKEN`.
        weight: What each chain counts for, if there are no weights.
        weights: [B] float64.

    Returns:
        What was found (see `layout`), the values [B] in float64, the derivatives of the weighted
        sum in the four scores, and that sum.
    """
    emissions = scores[0]
    B, L, S = emissions.shape
    options = wanted | RESULTS | MASK * (mask is not None) | TAGS * (tags is not None)
    found = _empty(B) if wanted & VALUES else None
    if wanted & COUNTS:
        derivatives = tuple(map(torch.empty_like, scores))
    else:
        derivatives = (emissions, *map(torch.empty_like, scores[1:]))
    total = torch.empty_like(_SCALAR[emissions.dtype])
    given = (*_places(scores), _place(mask), _place(tags))
    outputs = (*_places(derivatives), total.data_ptr())
    if weights is not None:
        options |= WEIGHTS
    elif B == 1 and L > 1 and found is None:
        if not _one_chain(emissions, given, outputs, options, weight):
            return 0, None, derivatives, total
    function = kernel("expectations", emissions.dtype)
    places = (*given, _place(weights), _place(found), *outputs)
    doubles, sums, words = _words(B, L, S)

    def part(first: int, stride: int) -> tuple[int, Tensor]:
        place, memory = _scratch(words)
        status = function(
            *places, place + 8 * doubles, place, place + 8 * (doubles + sums), B, L, S,
            options, weight, first, stride,
        )  # fmt: skip
        # The sums of several threads are added up: they must not be written over by then.
        return status, memory[doubles : doubles + sums].clone() if stride > 1 else memory

    parts = over_groups(part, B, B * L * S * S)
    status = parts[0][0]
    if len(parts) > 1:
        for other, _ in parts[1:]:
            status |= other
        both = torch.stack([totals for _, totals in parts]).sum(0)
        both = both.split_with_sizes((S * S, S, S, 1))
        for target, source in zip((*derivatives[1:], total), both, strict=True):
            target.copy_(source.view(target.shape))
    return status, found, derivatives, total


@functools.lru_cache(1024)
def _words(B: int, L: int, S: int) -> tuple[int, int, int]:
    """The scratch memory of `expectations`: doubles, then sums, and with the integers in all."""
    doubles, sums = layout.doubles(L, S), S * S + 2 * S + 1
    return doubles, sums, doubles + sums + layout.integers(B, L)


def _one_chain(
    emissions: Tensor, given: tuple[int, ...], outputs: tuple[int, ...], options: int, weight: float
) -> int:
    """`expectations` of a chain that would fill one lane of eight; not 0: it was not found."""
    _, L, S = emissions.shape
    function, (*derivatives, total) = kernel("step_by_step", emissions.dtype), outputs
    doubles = layout.doubles_step_by_step(L, S, 2)
    place, _memory = _scratch(doubles + L + 1)
    return function(
        *given, place + 8 * (doubles + L), *derivatives, place, place + 8 * doubles, total,
        1, L, S, 0, 0, options | SAME, weight, 0, 1,
    )  # fmt: skip


def _place(x: Tensor | None) -> int:
    return 0 if x is None else x.data_ptr()


def best_paths(scores: ScoreTensors, mask: Tensor | None) -> tuple[int, Tensor, Tensor]:
    """The kernel `best_paths`: what was found, the tags [B, L], their scores [B]."""
    B, L, S = scores[0].shape
    tags, best = _empty(B, L, dtype=torch.int64), _empty(B, dtype=scores[0].dtype)
    places = (*_places(scores), _place(mask), tags.data_ptr(), best.data_ptr(), 0, 0)
    doubles = layout.doubles_of_paths(B, L, S)
    return _over_groups("best_paths", scores, mask, places, doubles), tags, best


def packed_paths(scores: ScoreTensors, mask: Tensor | None) -> tuple[int, Tensor, Tensor]:
    """The same for S ≤ 256: the tags without gaps [B, L], as bytes, and how many [B]."""
    B, L, S = scores[0].shape
    packed, lengths = _empty(B, L, dtype=torch.uint8), _empty(B, dtype=torch.int64)
    places = (*_places(scores), _place(mask), 0, 0, packed.data_ptr(), lengths.data_ptr())
    doubles = layout.doubles_of_paths(B, L, S)
    status = _over_groups("best_paths", scores, mask, places, doubles, PACKED)
    return status, packed, lengths


def sample(scores: ScoreTensors, mask: Tensor, uniforms: Tensor) -> Tensor:
    """The kernel `sampling`; see there."""
    emissions = scores[0]
    B, L, S = emissions.shape
    n = len(uniforms)
    tags, doubles = torch.full_like(uniforms, -1, dtype=torch.int64), layout.doubles(L, S)
    function = kernel("sampling", emissions.dtype)
    places = (*_places(scores), mask.data_ptr(), uniforms.data_ptr(), tags.data_ptr())

    def part(first: int, stride: int) -> int:
        place, _memory = _scratch(doubles + layout.integers(B, L))
        return function(*places, place, place + 8 * doubles, B, L, S, n, first, stride)

    over_groups(part, B, B * L * S * (S + n))
    return tags


def pair_marginals(scores: ScoreTensors, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """The kernel `pairs_of_tags`: the table [B, L - 1, S, S], and which chains it is right for."""
    B, L, S = scores[0].shape
    pairs = scores[0].new_zeros(B, max(L - 1, 0), S, S)
    done = _empty(B, dtype=torch.int64)
    places = (*_places(scores), _place(mask), pairs.data_ptr(), done.data_ptr())
    _over_groups("pairs_of_tags", scores, mask, places, layout.doubles(L, S))
    return pairs, done > 0


def information(
    p: ScoreTensors, q: ScoreTensors, mask: Tensor | None, *, ratio: bool
) -> tuple[Tensor, Tensor]:
    """The kernel `divergence`: the values [B] in float64, and which of them are right."""
    B, L, S = p[0].shape
    values, done = _empty(B), _empty(B, dtype=torch.int64)
    places = (*_places(p), *_places(q), _place(mask), values.data_ptr(), done.data_ptr())
    doubles = layout.doubles_of_divergence(L, S)
    _over_groups("divergence", p, mask, places, doubles, RATIO if ratio else 0)
    return values, done > 0


def covariances(
    scores: ScoreTensors, terms: ScoreTensors, mask: Tensor | None, weights: Tensor
) -> tuple[tuple[Tensor, ...], Tensor]:
    """The kernel `covariances`; see there.

    Args:
        scores: As `as_kernels_take` returns them.
        terms: Those of f, finite, in float64.
        mask: [B, L] bool, without gaps in memory; None: all are tokens.
        weights: [B] float64, what each chain counts for.

    Returns:
        The covariances with the four scores, summed over the chains but for the emissions', and
        which chains they are right for: the others are left out.
    """
    emissions = scores[0]
    B, L, S = emissions.shape
    found, done = torch.empty_like(emissions), _empty(B, dtype=torch.int64)
    function = kernel("covariances", emissions.dtype)
    places = (*_places(scores), *_places(terms), _place(mask), _place(weights), found.data_ptr())
    doubles, options = layout.doubles_of_covariances(L, S), MASK if mask is not None else 0
    words = doubles + layout.integers(B, L)

    def part(first: int, stride: int) -> Tensor:
        totals = _empty(S * S + 2 * S)
        place, _memory = _scratch(words)
        function(
            *places, totals.data_ptr(), done.data_ptr(), place, place + 8 * doubles,
            B, L, S, options, first, stride,
        )  # fmt: skip
        return totals

    totals = torch.stack(over_groups(part, B, 2 * B * L * S * S)).sum(0).to(emissions.dtype)
    transitions, start, end = totals.split_with_sizes((S * S, S, S))
    return (found, transitions.view(S, S), start, end), done > 0


def best_lists(scores: ScoreTensors, mask: Tensor | None, k: int) -> tuple[Tensor, Tensor]:
    """The kernel `best_lists`: the tags [B, K, L], and their scores [B, K] in float64."""
    B, L, S = scores[0].shape
    tags, best = _empty(B, k, L, dtype=torch.int64), _empty(B, k)
    function = kernel("best_lists", scores[0].dtype)
    places = (*_places(scores), _place(mask), tags.data_ptr(), best.data_ptr())
    doubles, options = 2 * S * k + S, MASK if mask is not None else 0

    def part(first: int, stride: int) -> int:
        place, _memory = _scratch(doubles + L * S * k + k + L)
        return function(*places, place, place + 8 * doubles, B, L, S, k, options, first, stride)

    over_groups(part, B, B * L * S * S)
    return tags, best


def per_step(
    scores: ScoreTensors, mask: Tensor, tags: Tensor | None, dtype: torch.dtype, *, counts: bool
) -> tuple[int, Tensor, tuple[Tensor, ...]]:
    """The kernel `step_by_step`; see there.

    Args:
        scores: As `as_kernels_take` returns them, but with transitions for each step.
        mask: [B, L] bool, without gaps in memory.
        tags: [B, L] int64, without gaps in memory; None: the values are log Z.
        dtype: The precision of the values: that of the scores, or float64.
        counts: Whether the derivatives are wanted.

    Returns:
        What was found, the values [B], and, if they are wanted, the derivatives of each chain's
        own: [B, L, S], [B, L - 1, S, S], and [B, 2 S], start and end.
    """
    emissions, transitions = scores[:2]
    B, L, S = emissions.shape
    values, options = emissions.new_empty(B, dtype=dtype), MASK
    derivatives: tuple[Tensor, ...] = ()
    outputs = (0, 0, 0, 0)
    if counts:
        derivatives = (
            torch.empty_like(emissions),
            _lent(transitions.shape, emissions.dtype),
            emissions.new_empty(B, 2 * S),
        )
        one, two, three = (x.data_ptr() for x in derivatives)
        outputs = (one, two, three, three + S * emissions.itemsize)
        options |= COUNTS
    options |= TAGS if tags is not None else 0
    options |= RESULTS if dtype == emissions.dtype else 0
    function = kernel("step_by_step", emissions.dtype)
    given = (*_places(scores), mask.data_ptr(), _place(tags))
    doubles, steps = layout.doubles_step_by_step(L, S, L), transitions.stride()

    def part(first: int, stride: int) -> int:
        place, _memory = _scratch(doubles + L + B)
        cells, wide = place + 8 * doubles, place + 8 * (doubles + L)
        if dtype != emissions.dtype:
            wide = values.data_ptr()
        return function(
            *given, wide, *outputs, place, cells, values.data_ptr(), B, L, S, steps[0], steps[1],
            options, 1.0, first, stride,
        )  # fmt: skip

    status = 0
    for one in over_groups(part, B, B * L * S * S):
        status |= one
    return status, values, derivatives


def weighted(weights: Tensor, derivatives: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The kernel `weighted`: what `per_step` found, overwritten, but start and end, in one sum.

    Args:
        weights: [B] in the derivatives' precision, without gaps in memory.
        derivatives: As `per_step` returns them.
    """
    emissions, transitions, ends = derivatives
    B, L, S = emissions.shape
    start, end = ends.new_empty(S), ends.new_empty(S)
    places = (weights.data_ptr(), *_places((emissions, transitions, ends, start)), end.data_ptr())
    function = kernel("weighted", ends.dtype)

    def part(first: int, stride: int) -> int:
        return function(*places, B, L, S, first, stride)

    over_groups(part, B, B * L * S * S)
    return emissions, transitions, start, end


def _places(scores: tuple[Tensor, ...]) -> tuple[int, int, int, int]:
    emissions, transitions, start, end = scores
    return emissions.data_ptr(), transitions.data_ptr(), start.data_ptr(), end.data_ptr()


def _over_groups(
    name: str, scores: ScoreTensors, mask: Tensor | None, places: tuple[int, ...], doubles: int,
    options: int = 0,
) -> int:  # fmt: skip
    """Call a kernel for all groups of chains; what it reports."""
    B, L, S = scores[0].shape
    options |= MASK if mask is not None else 0
    words = doubles, layout.integers(B, L)
    given = (kernel(name, scores[0].dtype), places, words, (B, L, S, options))
    if B <= layout.LANES:
        return _share(*given, 0, 1)
    status = 0
    for one in over_groups(functools.partial(_share, *given), B, B * L * S * S):
        status |= one
    return status


def _share(
    function: Callable[..., int], places: tuple[int, ...], words: tuple[int, int],
    sizes: tuple[int, ...], first: int, stride: int,
) -> int:  # fmt: skip
    """Call a kernel for the groups first, first + stride, …: one thread's share."""
    doubles, integers = words
    place, _memory = _scratch(doubles + integers)
    return function(*places, place, place + 8 * doubles, *sizes, first, stride)
