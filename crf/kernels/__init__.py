"""The recursions in C (`chains.c`), called with tensors: the same answers in less time.

The extension is optional: `pip install` builds it where there is a compiler, once for each width of
vectors that a processor may have. Without it `missing()` says why, and the plain code serves.
Arguments are `crf.potentials.Potentials` before `clean`: masked cells may hold anything.
"""

import ctypes
import functools
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .. import differentiable, recursions
from ..potentials import Potentials, clean

PER_TOKEN, EACH, _GRADIENTS, _PACKED = 2, 4, 8, 16  # options of a call, as in chains.c
_WIDE, _BLOCKS = 1, 16
BAD_SCORE, BAD_TAG, NO_PATH, OUT_OF_RANGE, _FAILED = 1, 2, 4, 8, 16  # what it reports of a chain
WORTH_A_THREAD = 200_000  # B · L · S²: about what is computed while a thread wakes up
_POINTERS = (
    "emissions transitions start end mask tags weights values states d_emissions d_transitions "
    "d_start d_end total sums paths tokens scores"
).split()


class Call(ctypes.Structure):
    """One question, field by field as in chains.c."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _POINTERS),
        *((name, ctypes.c_int64) for name in ("B", "L", "S", "row", "cell", "options")),
        ("scale", ctypes.c_double),
    )


def _built(name: str) -> Path | None:
    found = [p for p in Path(__file__).parent.glob(f"{name}.*") if p.suffix in (".so", ".pyd")]
    return found[0] if found else None


def library_at(path: str) -> Any:
    """The library in a file."""
    library = ctypes.CDLL(path)
    for function in (library.crf_answer, library.crf_look):
        function.argtypes = (ctypes.c_void_p, *[ctypes.c_int64] * 3)
    return library


def _load() -> tuple[list[Any], str]:
    """The libraries for this processor, the widest vectors first, and a sentence about them."""
    path = _built("chains")
    if path is None:
        return [], "the C extension was not built: install a C compiler, then the package again"
    try:
        libraries, width = [library_at(str(path))], 128
        for more, name in ((256, "chains_avx2"), (512, "chains_avx512")):
            path = _built(name)
            if path is not None and libraries[-1].crf_width() >= more:
                libraries.insert(0, library_at(str(path)))
                width = more
    except (OSError, AttributeError) as error:
        return [], f"the C extension cannot be loaded ({error}): install the package again"
    return libraries[:2], f"built for vectors of {width} bits"


_libraries, about = _load()


def available() -> bool:
    """Whether the extension was built and can be loaded; `about` says more."""
    return bool(_libraries)


# ---------------------------------------------------------------------- threads

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    global _pool, _lock
    _pool, _lock = None, Lock()


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_forget_pool)


def _answer(call: Call, *, sums: bool) -> int:
    """Ask, on as many threads as torch has; what is reported of the chains, in one number."""
    global _pool
    few = call.B <= 4  # these would not fill the lanes of the widest vectors
    ask, place = _libraries[-1 if few else 0].crf_answer, ctypes.addressof(call)
    parts, work = 1, call.B * call.L * call.S * call.S
    if work >= 2 * WORTH_A_THREAD:
        parts = min(torch.get_num_threads(), (call.B + 7) // 8, _BLOCKS, work // WORTH_A_THREAD)
    if parts <= 1:
        state = ask(place, 0, 1, sums)
    else:
        with _lock:
            _pool = _pool or ThreadPoolExecutor(_BLOCKS, thread_name_prefix="crf")
        others = [_pool.submit(ask, place, part, parts, sums) for part in range(1, parts)]
        state = ask(place, 0, parts, sums)
        for other in others:
            state |= other.result()
        state |= ask(place, parts, parts, sums)  # adds up
    if state & _FAILED:
        raise MemoryError("the kernels: there is no memory for a group of chains")
    return state


# ---------------------------------------------------------------------- questions


_PLAIN = (Tensor, torch.nn.Parameter)


def fits(p: Any) -> bool:
    """Whether these are tensors that can be read here and now, of shapes that make a batch.

    Args:
        p: Potentials, unchecked; the mask may be None: all cells are tokens.
    """
    emissions, transitions, start, end, mask = p
    if type(emissions) not in _PLAIN or emissions.dim() != 3:
        return False
    B, L, S = emissions.shape
    shapes = ((B, L, S), (S, S), (S,), (S,))
    for x, shape in zip((emissions, transitions, start, end), shapes, strict=True):
        if not (type(x) in _PLAIN and x.is_cpu and x.shape == shape and x.is_floating_point()):
            return False
    if mask is None:
        return S > 0
    is_mask = type(mask) is Tensor and mask.dtype is torch.bool and mask.is_cpu
    return S > 0 and is_mask and mask.shape == (B, L)


def precision(scores: Any) -> torch.dtype:
    """The precision of the results: the scores' common one, at least float32."""
    dtype = scores[0].dtype
    if dtype in (torch.float32, torch.float64) and all(x.dtype is dtype for x in scores):
        return dtype
    return functools.reduce(torch.promote_types, (x.dtype for x in scores), torch.float32)


def _asked(p: Potentials, tags: Tensor | None = None) -> tuple[Call, list[Any], torch.dtype]:
    """The question as C takes it, the tensors that must live until it is answered, and the dtype.

    Here every precision, stride and kind of mask becomes one of those that C knows.
    """
    dtype = precision(p[:4])
    emissions, *rest = (x if x.dtype is dtype else x.to(dtype) for x in p[:4])
    if emissions.stride(2) != 1:
        emissions = emissions.contiguous()
    given: list[Any] = [*rest, p.mask, None if tags is None else tags.to(torch.int64)]
    kept = [emissions, *(x if x is None or x.is_contiguous() else x.contiguous() for x in given)]
    call = Call(*(None if x is None else x.data_ptr() for x in kept))
    (call.B, call.L, call.S), (call.row, call.cell, _) = emissions.shape, emissions.stride()
    call.scale, call.options = 1.0, _WIDE if dtype is torch.float64 else 0
    return call, kept, dtype


def _empty(*shape: int, dtype: torch.dtype) -> Tensor:
    return torch.empty(shape, dtype=dtype, device="cpu")


def all_below_infinity(p: Potentials) -> bool:
    """Whether no score at all, at masked cells neither, is nan or +∞."""
    call, _kept, _ = _asked(p)
    return bool(_libraries[0].crf_look(ctypes.addressof(call), 0, 0, 0))


class Sums(NamedTuple):
    """What a call found: see chains.c."""

    state: int
    states: Tensor
    values: Tensor
    total: Tensor | None
    gradients: tuple[Tensor, ...]


def sums(
    p: Potentials,
    tags: Tensor | None,
    *,
    gradients: bool,
    weights: Tensor | None = None,
    scale: float = 1.0,
    options: int = 0,
) -> Sums:
    """log Z, or −log p(tags) where tags are given, of each chain; their sum; its gradients.

    Args:
        p: The chains.
        tags: [B, L]; masked cells may hold anything.
        gradients: Whether to find those of Σ_b scale · weights_b · values_b.
        weights: [B] float64; None: all 1.
        scale: What all count for.
        options: `PER_TOKEN` divides by the number of tokens; `EACH` wants the gradients in the
            transitions chain by chain, [B, S, S] float64.
    """
    call, kept, dtype = _asked(p, tags)
    B, L, S = p.emissions.shape
    values, states = _empty(B, dtype=torch.float64), _empty(B, dtype=torch.uint8)
    total, found = _empty(dtype=dtype), ()
    call.values, call.states, call.total = values.data_ptr(), states.data_ptr(), total.data_ptr()
    call.scale, call.options = scale, call.options | options
    if weights is not None:
        kept.append(weights.to(torch.float64).contiguous())
        call.weights = kept[-1].data_ptr()
    if gradients:
        call.options |= _GRADIENTS
        shape = (B, S, S) if options & EACH else (S, S)
        found = (
            _empty(B, L, S, dtype=dtype),
            _empty(*shape, dtype=torch.float64 if options & EACH else dtype),
            _empty(S, dtype=dtype),
            _empty(S, dtype=dtype),
        )
        kept.append(_empty(min(_BLOCKS, B), S * S + 2 * S, dtype=torch.float64))
        call.d_emissions, call.d_transitions, call.d_start, call.d_end, call.sums = (
            x.data_ptr() for x in (*found, kept[-1])
        )
    return Sums(_answer(call, sums=True), states, values, total, found)


def values(p: Potentials, tags: Tensor | None) -> Tensor:
    """log Z of each chain, or −log p(tags): [B] nats, float64; nan where scores or tags are not."""
    found = sums(p, tags, gradients=False)
    for rows in _too_wide(found):
        its = None if tags is None else tags[rows]
        found.values[rows] = differentiable.plain_values(_rows(p, rows), its)
    return found.values


def gradients(p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
    """The gradients of Σ_b weights_b · values_b, in the scores' common precision."""
    found = sums(p, tags, gradients=True, weights=weights)
    for rows in _too_wide(found):
        its = None if tags is None else tags[rows]
        of_rows = differentiable.plain_gradients(_rows(p, rows), its, weights[rows])
        found.gradients[0][rows] = of_rows[0].to(found.gradients[0].dtype)
        for whole, part in zip(found.gradients[1:], of_rows[1:], strict=True):
            whole += part
    return found.gradients


def expected_counts(p: Potentials) -> tuple[Tensor, Tensor, Tensor]:
    """log Z [B], marginals [B, L, S], uses of each transition [B, S, S]; in float64."""
    p = p.to(torch.float64)
    found = sums(p, None, gradients=True, options=EACH)
    log_z, marginals, pairs = found.values, *found.gradients[:2]
    for rows in _too_wide(found):
        part = clean(_rows(p, rows))
        alphas = recursions.forward(part)
        log_z[rows] = recursions.log_partition_from(part, alphas)
        marginals[rows], pairs[rows] = recursions.expected_counts(part, alphas)[:2]
    return log_z, marginals, pairs


def _too_wide(found: Sums) -> list[Tensor]:
    """The chains whose range scaled space cannot hold, in a list of one; else an empty list."""
    if not found.state & OUT_OF_RANGE:
        return []
    return [torch.nonzero(found.states == OUT_OF_RANGE).flatten()]


def _rows(p: Potentials, rows: Tensor) -> Potentials:
    return p._replace(emissions=p.emissions[rows], mask=p.mask[rows])


def best_paths(p: Potentials) -> tuple[Tensor, Tensor]:
    """The best path of each chain [B, L], −1 where there is none, and its score [B]."""
    B, L, _ = p.emissions.shape
    tags = _empty(B, L, dtype=torch.int64)
    return tags, _paths(p, tags, None)[1]


def packed_paths(p: Potentials) -> list[list[int]] | None:
    """The best paths of chains of at most 256 tags as lists; None if a score is no number."""
    B, L, _ = p.emissions.shape
    tags, tokens = _empty(B, L, dtype=torch.uint8), _empty(B, dtype=torch.int64)
    if _paths(p, tags, tokens)[0] & BAD_SCORE:
        return None
    flat = tags.numpy().tobytes()
    return [list(flat[b * L : b * L + n]) for b, n in enumerate(tokens.tolist())]


def _paths(p: Potentials, tags: Tensor, tokens: Tensor | None) -> tuple[int, Tensor]:
    """What is reported of the chains, and the best paths' scores [B]; tags are filled."""
    call, _kept, dtype = _asked(p)
    scores, states = _empty(len(tags), dtype=dtype), _empty(len(tags), dtype=torch.uint8)
    call.paths, call.scores, call.states = tags.data_ptr(), scores.data_ptr(), states.data_ptr()
    if tokens is not None:
        call.tokens, call.options = tokens.data_ptr(), call.options | _PACKED
    return _answer(call, sums=False), scores
