"""The recursions in C (`chains.c`), called with tensors: the same answers in less time.

The extension is optional: `pip install` builds it where there is a compiler, once for each width of
vectors that a processor may have. Without it `about` says why, and the plain code serves.
Arguments are `crf.core.potentials.Potentials` before `clean`: masked cells may hold anything.
"""

import ctypes
import os
import struct
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import torch
from torch import Tensor

from ..core import differentiable, recursions
from ..core.potentials import Potentials, clean, first_tokens, in_steps, last_tokens

_CALL = struct.Struct("20P6qd")  # the fields of a call, as in chains.c
_NOWHERE = (0,) * 14  # for the fields after the tags
_BLOCKS = 16
BAD_SCORE, BAD_TAG, NO_PATH, OUT_OF_RANGE, _FAILED = 1, 2, 4, 8, 16  # what is wrong with a chain
MOST_NOISE = 2**24  # numbers for samples: 128 MiB; the plain code draws them cell by cell
WORTH_A_THREAD = 200_000  # B · L · S²: about what is computed while a thread wakes up


def built(name: str) -> Path | None:
    """The file of an extension; None if it was not built."""
    files = [p for p in Path(__file__).parent.glob(f"{name}.*") if p.suffix in (".so", ".pyd")]
    return files[0] if files else None


def library_at(path: str) -> Any:
    """The library in a file."""
    library = ctypes.CDLL(path)
    if library.crf_call_size() != _CALL.size:
        raise OSError("it was built from another version of the library")
    taken = ctypes.POINTER(ctypes.c_int64)
    library.crf_answer.argtypes = (ctypes.c_char_p, ctypes.c_int64, taken)
    library.crf_finish.argtypes = library.crf_look.argtypes = (ctypes.c_char_p,)
    library.crf_finish.restype = None
    return library


def load() -> tuple[list[Any], str]:
    """The libraries for this processor, the widest vectors first, and a sentence about them."""
    widest = torch.backends.cpu.get_cpu_capability()
    names = ("chains_avx512", "chains_avx2", "chains")
    names = names[{"AVX512": 0, "AVX2": 1}.get(widest, 2) :]
    paths = [path for path in map(built, names) if path is not None]
    if not paths:
        return [], "the C extension was not built: install a C compiler, then the package again"
    try:
        return [library_at(str(path)) for path in paths[:2]], f"{paths[0].name}, for {widest}"
    except (OSError, AttributeError) as error:
        return [], f"the C extension cannot be loaded ({error}): install the package again"


libraries, about = load()


def available() -> bool:
    """Whether the extension was built and can be loaded; `about` says more."""
    return bool(libraries)


# ---------------------------------------------------------------------- threads

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    global _pool, _lock
    _pool, _lock = None, Lock()


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_forget_pool)


def _answer(call: bytes, p: Potentials) -> int:
    """Ask, on as many threads as torch has; what is wrong with the chains, in one number."""
    global _pool
    B, L, S = p.emissions.shape
    single = p.per_step or (B <= 2 and S >= 32)  # one chain at a time; few others leave lanes empty
    library, threads, work = libraries[-1 if B <= 4 and not single else 0], 1, B * L * S * S
    if work >= 2 * WORTH_A_THREAD:
        groups = B if single else (B + 7) // 8
        threads = min(torch.get_num_threads(), groups, _BLOCKS, work // WORTH_A_THREAD)
    if threads <= 1:
        state = library.crf_answer(call, 0, None)
    else:
        with _lock:
            _pool = _pool or ThreadPoolExecutor(_BLOCKS, thread_name_prefix="crf")
        ask, taken = library.crf_answer, ctypes.c_int64()
        others = [_pool.submit(ask, call, thread, taken) for thread in range(1, threads)]
        state = ask(call, 0, taken)
        for other in others:
            state |= 0 if other.cancel() else other.result()  # cancelled: it came too late to help
        library.crf_finish(call)
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
    for x in (emissions, transitions, start, end):
        if not (type(x) in _PLAIN and x.is_cpu and x.is_floating_point()) or x.is_nested:
            return False
    shape = emissions.shape
    if len(shape) != 3 or shape[2] == 0:
        return False
    B, L, S = shape
    tables = transitions.shape
    if tables != (S, S) and tables != (B, 1, S, S) and tables != (B, max(L - 1, 0), S, S):
        return False
    return start.shape == end.shape == (S,) and (
        mask is None or _is_table(mask, torch.bool, (B, L))
    )


def fits_tags(tags: Any, p: Potentials) -> bool:
    """Whether tags [B, L] can be read as well; their values are looked at in C."""
    return _is_table(tags, torch.int64, p.emissions.shape[:2])


def _is_table(x: Any, dtype: torch.dtype, shape: Any) -> bool:
    return type(x) is Tensor and x.dtype is dtype and x.is_cpu and x.shape == shape


def _tensors(p: Potentials, tags: Tensor | None = None) -> list[Any]:
    """The first six fields of a call, in strides that C knows."""
    tensors: list[Any] = [x if x.is_contiguous() else x.contiguous() for x in p[:4]]
    tensors += p.mask, tags
    if p.mask is not None and not p.mask.is_contiguous():
        tensors[4] = p.mask.contiguous()
    if tags is not None:
        tensors[5] = tags.to(torch.int64).contiguous()
    return tensors


def _packed(tensors: list[Any], shape: Any, scale: float, *more: int, some: int = 0) -> bytes:
    """A call: tensors, which must live until it is answered, and where to find further fields."""
    places = [0 if x is None else x.data_ptr() for x in tensors]
    wide = tensors[0].dtype is torch.float64
    own = tensors[1].shape[1] if tensors[1].dim() == 4 else -1
    return _CALL.pack(*places, *more, *_NOWHERE[len(more) :], *shape, wide, own, some, scale)


def _memory(words: int) -> tuple[array, int]:
    """Memory for so many doubles, faster than a tensor, and where it is."""
    memory = array("d", [0.0]) * words
    return memory, memory.buffer_info()[0]


def all_below_infinity(p: Potentials) -> bool:
    """Whether no score at all, at masked cells neither, is nan or +∞."""
    tensors = _tensors(p)
    return bool(libraries[0].crf_look(_packed(tensors, p.emissions.shape, 1.0)))


class Sums(NamedTuple):
    """What a call found."""

    state: int  # what is wrong with any of the chains
    total: Tensor  # Σ_b scale · weights_b · values_b
    gradients: tuple[Tensor, ...]  # of the total in emissions, transitions, start and end, or ()
    memory: array  # behind the two properties
    B: int  # the number of chains

    @property
    def values(self) -> Tensor:
        """[B] log Z, or −log p(tags), float64."""
        if not self.B:
            return torch.zeros(0, dtype=torch.float64, device="cpu")
        return torch.frombuffer(self.memory, dtype=torch.float64, count=self.B)

    @property
    def out_of_range(self) -> Tensor:
        """The chains whose range scaled space cannot hold: they are the plain code's."""
        states = torch.frombuffer(self.memory, dtype=torch.uint8, count=self.B, offset=8 * self.B)
        return torch.nonzero(states == OUT_OF_RANGE).flatten()


def sums_of(
    p: Potentials, tags: Any, gradients: bool, weights: Any, scale: float, *, each: bool = False
) -> Sums:
    """`sums`, but for chains that are out of range."""
    tensors = _tensors(p, tags)
    shape = p.emissions.shape
    B, _, S = shape
    words = B + (B + 7) // 8
    memory, values = _memory(words + min(_BLOCKS, B) * (S + 1) ** 2)
    total, tables = tensors[0].new_empty(()), ()
    if gradients:
        tables = [torch.empty_like(x) for x in tensors[:4]]
        if each:
            tables[1] = tensors[0].new_empty((B, S, S), dtype=torch.float64)
    if weights is not None:
        weights = weights.to(torch.float64).contiguous()
    d_emissions, d_transitions, d_start, d_end = [x.data_ptr() for x in tables] or (0,) * 4
    shared, pairs = (0, d_transitions) if each else (d_transitions, 0)
    call = _packed(
        *(tensors, shape, scale, 0 if weights is None else weights.data_ptr()),
        *(values, values + 8 * B, values + 8 * words, total.data_ptr()),
        *(d_emissions, shared, d_start, d_end, pairs),
    )
    state = _answer(call, p)
    return Sums(state, total, tuple(tables), memory, B)


def sums(
    p: Potentials,
    tags: Tensor | None,
    *,
    gradients: bool,
    weights: Tensor | None = None,
    scale: float = 1.0,
) -> Sums:
    """log Z, or −log p(tags) where tags are given, of each chain; their sum; its gradients.

    Args:
        p: The chains.
        tags: [B, L]; masked cells may hold anything.
        gradients: Whether to find them.
        weights: [B]; None: all 1.
        scale: What all count for.
    """
    found = sums_of(p, tags, gradients, weights, scale)
    return _by_plain_code(found, p, tags, weights, scale) if found.state & OUT_OF_RANGE else found


@torch.no_grad()
def _by_plain_code(result: Sums, p: Potentials, tags: Any, weights: Any, scale: float) -> Sums:
    """With what the plain code finds for the chains that are out of range."""
    rows, values = result.out_of_range, result.values
    part, its = _rows(p, rows), None if tags is None else tags[rows]
    values[rows] = differentiable.plain_values(part, its)
    counts = torch.full_like(values, scale) * (1.0 if weights is None else weights)
    result.total.fill_(torch.where(counts != 0, counts * values, 0.0).sum())
    if result.gradients:
        found = differentiable.plain_gradients(part, its, counts[rows])
        for k, (whole, share) in enumerate(zip(result.gradients, found, strict=True)):
            if k == 0 or (k == 1 and p.per_step):
                whole[rows] = share
            else:
                whole += share
    state = result.state & ~OUT_OF_RANGE
    return result._replace(state=state if values[rows].isfinite().all() else state | NO_PATH)


def _rows(p: Potentials, rows: Tensor) -> Potentials:
    mask = torch.ones_like(p.emissions[..., 0], dtype=torch.bool) if p.mask is None else p.mask
    transitions = p.transitions[rows] if p.per_step else p.transitions
    return p._replace(emissions=p.emissions[rows], transitions=transitions, mask=mask[rows])


def values(p: Potentials, tags: Tensor | None) -> Tensor:
    """log Z of each chain, or −log p(tags): [B] nats, float64; nan where scores or tags are not."""
    return sums(p, tags, gradients=False).values


def gradients(p: Potentials, tags: Tensor | None, weights: Tensor) -> tuple[Tensor, ...]:
    """The gradients of Σ_b weights_b · values_b, in the scores' common precision."""
    return sums(p, tags, gradients=True, weights=weights).gradients


def expected_counts(p: Potentials) -> tuple[Tensor, ...]:
    """log Z [B], and the counts of `recursions.expected_counts`; in float64."""
    p = in_steps(p.to(torch.float64))
    result = sums_of(p, None, True, None, 1.0, each=not p.per_step)
    log_z, marginals, pairs = result.values, *result.gradients[:2]
    if result.state & OUT_OF_RANGE:
        rows = result.out_of_range
        part = clean(_rows(p, rows))
        alphas = recursions.forward(part)
        log_z[rows] = recursions.log_partition_from(part, alphas)
        marginals[rows], pairs[rows] = recursions.expected_counts(part, alphas)[:2]
    first, last = (x(p.mask)[:, :, None] for x in (first_tokens, last_tokens))
    return log_z, marginals, pairs, (marginals * first).sum(1), (marginals * last).sum(1)


def best_paths(p: Potentials) -> tuple[Tensor, Tensor]:
    """The best path of each chain [B, L], −1 where there is none, and its score [B]."""
    B, L, _ = p.emissions.shape
    tags = p.emissions.new_empty((B, L), dtype=torch.int64)
    scores = p.emissions.new_empty(B)
    _best_paths(p, tags.data_ptr(), 0, scores.data_ptr())
    return tags, scores


def packed_paths(p: Potentials) -> list[list[int]] | None:
    """The best paths as lists, [] where there is none; None if a score is no number."""
    B, L, _ = p.emissions.shape
    tags, tokens = array("q", bytes(8 * B * L)), array("q", bytes(8 * B))
    if _best_paths(p, tags.buffer_info()[0], tokens.buffer_info()[0], 0) & BAD_SCORE:
        return None
    return [tags[b * L : b * L + n].tolist() for b, n in enumerate(tokens)]


def _best_paths(p: Potentials, *places: int) -> int:
    """Fill tags, numbers of tokens and scores; return what is wrong with the chains."""
    tensors = _tensors(p)
    return _answer(_packed(tensors, p.emissions.shape, 1.0, *_NOWHERE[:10], *places), p)


def best_lists(p: Potentials, k: int) -> tuple[Tensor, Tensor]:
    """The k best paths of each chain [B, k, L], as `decoding.topk`, and their scores [B, k]."""
    B, L, _ = p.emissions.shape
    tags = p.emissions.new_empty((B, k, L), dtype=torch.int64)
    scores = p.emissions.new_empty((B, k), dtype=torch.float64)
    places = (0, scores.data_ptr(), *_NOWHERE[:8], tags.data_ptr())
    _answer(_packed(_tensors(p), p.emissions.shape, 1.0, *places, some=k), p)
    return tags, scores


def samples(p: Potentials, n: int, generator: torch.Generator | None) -> Tensor | None:
    """n paths [n, B, L] from p(y | x): those of `sampling.sample`, from the same noise.

    None, before any noise is drawn, where there would be too much of it, and where a chain allows
    no path or is out of range.
    """
    shape = B, L, S = p.emissions.shape
    if not 0 < n * B * L * S <= MOST_NOISE or sums_of(p, None, False, None, 1.0).state:
        return None
    noise = torch.empty((L, n, B, S), dtype=torch.float64)
    for one in noise:
        one.exponential_(generator=generator)
    noise.clamp_min_(torch.finfo(noise.dtype).tiny)
    tags = p.emissions.new_empty((n, B, L), dtype=torch.int64)
    memory, values = _memory(B + (B + 7) // 8 + min(_BLOCKS, B) * (S + 1) ** 2)
    sums = values + 8 * (B + (B + 7) // 8)
    places = (0, values, values + 8 * B, sums, *_NOWHERE[:6], tags.data_ptr(), 0, 0)
    _answer(_packed(_tensors(p), shape, 1.0, *places, noise.data_ptr(), some=n), p)
    del memory  # it must live until here
    return tags
