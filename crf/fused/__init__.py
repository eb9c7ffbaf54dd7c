"""The recursions as compiled kernels: same questions, same answers as the plain code, in less time.

    compiler.py, simd.py  how kernels are compiled; vectors of eight numbers
    native.py             the machine code, kept on disk
    layout.py, groups.py  eight chains at a time: their memory, their tokens
    scaled.py             forward-backward in scaled probability space
    log_space.py          the same in log space, for the chains whose range is too wide
    expectations.py       log Z, log p(tags) and all derivatives of a batch
    step_by_step.py       the same for one chain, or where each step has transitions of its own
    weighted.py           these times what each chain counts for
    best_paths.py         Viterbi; best_lists.py: the k best paths
    pairs_of_tags.py      pair marginals
    divergence.py         entropy, cross-entropy, KL divergence
    covariances.py        their derivatives: how expected counts move as the scores do
    sampling.py           samples
    quick_look.py         the look at the values
    calls.py, threads.py  kernels called with tensors, groups over threads
    gpu.py                log Z, log p(tags), derivatives and best paths on a GPU, by Triton
    derivatives.py        what they have found, with gradients
    ops.py                all of it as torch operators

Arguments are those of `crf.potentials.Potentials`, before `clean`: masked cells may hold anything.
The emissions are float32 or float64, the transitions [S, S]. log Z comes in float64, all else in
the emissions' precision. llvmlite is
imported, and a kernel compiled or read from its cache on disk, by the first call that needs it. On
a GPU, Triton takes its part; samples are the plain code's there.
"""

import functools
import importlib
import importlib.util
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .. import modes
from ..potentials import Potentials
from . import calls, derivatives, layout

# The package that compiles for a device, and the module of ours that cannot do without it.
_COMPILERS = {"cpu": ("llvmlite", ".compiler"), "cuda": ("triton", ".gpu")}
_INSTALLED = {name: importlib.util.find_spec(name) is not None for name, _ in _COMPILERS.values()}
MOST_TAGS_ON_A_GPU = 128
below_infinity = calls.below_infinity


def available(device: str, num_tags: int) -> bool:
    """Whether there are kernels for these chains; if a package is missing, a warning says so, once.

    Args:
        device: A type of device, such as "cpu".
        num_tags: S.
    """
    if device not in _COMPILERS or (device == "cuda" and num_tags > MOST_TAGS_ON_A_GPU):
        return False
    compiler, module = _COMPILERS[device]
    if torch.compiler.is_compiling():  # nothing can be imported while a graph is traced
        return _INSTALLED[compiler]
    return _import_error(compiler, module) is None


_here = False  # whether the kernels for the CPU are known to be


@functools.cache
def _import_error(compiler: str, module: str) -> str | None:
    global _here
    try:
        importlib.import_module(module, __name__)
        _here |= compiler == "llvmlite"
    except (ImportError, OSError) as error:  # OSError: LLVM itself cannot be loaded
        _INSTALLED[compiler] = False
        warnings.warn(
            f"the compiled kernels are not available ({error}): the plain code is used, which "
            f"gives the same results more slowly; install {compiler} to have them",
            RuntimeWarning,
            stacklevel=2,
        )
        return str(error)
    return None


def log_partition(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> Tensor:
    """log Z of each chain: [B] nats, float64; differentiable, twice."""
    return _value(torch.float64, emissions, transitions, start, end, mask, None)


def log_prob(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    tags: Tensor,
) -> Tensor:
    """log p(tags) of each chain: [B] nats, in the emissions' precision; differentiable, twice.

    Args:
        emissions: [B, L, S] scores.
        transitions: [S, S] scores.
        start: [S] scores.
        end: [S] scores.
        mask: [B, L] bool.
        tags: [B, L] a path; masked cells may hold anything.
    """
    return _value(emissions.dtype, emissions, transitions, start, end, mask, tags.long())


def _value(dtype: torch.dtype, *arguments: Any) -> Tensor:
    from . import ops

    if torch.compiler.is_compiling():
        return ops.values_operator(*arguments).to(dtype)
    if torch.is_grad_enabled() and any(x.requires_grad for x in arguments[:4]):
        return ops.Values.apply(dtype, *arguments)  # pyright: ignore[reportReturnType]
    return ops.values(*arguments).to(dtype)


def marginals(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> Tensor:
    """p(y_t = s | x): [B, L, S], 0 at masked cells. Not differentiable."""
    from . import ops

    gradients = ops.gradients_operator if torch.compiler.is_compiling() else ops.gradients
    with torch.no_grad():
        weights = emissions.new_ones(len(emissions), dtype=torch.float64)
        return gradients(emissions, transitions, start, end, mask, None, weights)[0]


def viterbi(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> tuple[Tensor, Tensor]:
    """Best paths [B, L], and their scores [B]."""
    from . import ops

    viterbi = ops.viterbi_operator if torch.compiler.is_compiling() else ops.viterbi
    with torch.no_grad():
        return viterbi(emissions, transitions, start, end, mask)


def sample(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    n: int,
    generator: torch.Generator | None = None,
) -> Tensor:
    """n paths for each chain: [n, B, L], −1 at masked cells; on the CPU. Each must be feasible."""
    from . import ops

    uniforms = torch.rand(
        n, *mask.shape, dtype=torch.float64, generator=generator, device=mask.device
    )
    sample = ops.sample_operator if torch.compiler.is_compiling() else ops.sample
    with torch.no_grad():
        return sample(emissions, transitions, start, end, mask, uniforms)


# ---------------------------------------------------------------------- in one call
# Checks, reduction and kernel at once, for what is in order. Of anything else these two return
# None: the long way deals with it, or says what is wrong.


def nll(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor | None,
    tags: Tensor,
    reduction: str,
) -> Tensor | None:
    """The loss of `crf.ChainCRF`, differentiable, twice."""
    if not in_order(emissions, transitions, start, end, mask):
        return None
    B, L, _ = emissions.shape
    if not B or reduction == "none" or not _whole(tags, torch.int64, (B, L)):
        return None
    weight = -1.0 / B if reduction == "mean" else -1.0
    per_token = reduction == "token_mean"
    scores = (emissions, transitions, start, end)
    wanted = layout.PER_TOKEN if per_token else 0
    if torch.is_grad_enabled() and (
        emissions.requires_grad
        or transitions.requires_grad
        or start.requires_grad
        or end.requires_grad
    ):
        wanted |= layout.COUNTS
    status, _, slopes, total = calls.expectations(scores, mask, tags, wanted, weight)
    if status:
        return None
    if not wanted & layout.COUNTS:
        return total
    return derivatives.Sum.apply((total, slopes, weight, per_token, mask, tags), *scores)


def decode(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor | None
) -> list[list[int]] | None:
    """The best paths as lists, one tag per token; [] where no path is allowed."""
    if not in_order(emissions, transitions, start, end, mask):
        return None
    scores = (emissions, transitions, start, end)
    L, S = emissions.shape[1:]
    if S > 256:
        status, tags, _ = calls.best_paths(scores, mask)
        return None if status else [[tag for tag in row if tag >= 0] for row in tags.tolist()]
    status, packed, lengths = calls.packed_paths(scores, mask)
    if status:
        return None
    flat = packed.numpy().tobytes()
    return [list(flat[b * L : b * L + m]) for b, m in enumerate(lengths.tolist())]


def viterbi_of(p: Potentials) -> tuple[Tensor, Tensor]:
    """`viterbi` of what is `in_order`."""
    return calls.best_paths(p[:4], p.mask)[1:]


def topk(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor, k: int
) -> tuple[Tensor, Tensor]:
    """`crf.decoding.topk` of what is `in_order`."""
    return calls.best_lists((emissions, transitions, start, end), mask, k)


def pair_marginals(p: Potentials, plain: Callable[[Potentials], Tensor]) -> Tensor:
    """p(y_t = i, y_(t+1) = j | x) of what is `in_order`: [B, L - 1, S, S].

    Args:
        p: The chains.
        plain: Does the same for chains whose range is too wide.
    """
    pairs, done = calls.pair_marginals(p[:4], p.mask)
    if not done.all():
        pairs[~done] = plain(_rows(p, ~done))
    return pairs


def information(
    p: Potentials, q: Potentials | None, ratio: bool, plain: Callable[..., Tensor]
) -> Tensor:
    """−E[log q(y)], or the KL divergence, y ~ p, of what is `in_order`: [B] float64.

    Args:
        p: The chains.
        q: The chains that they are compared with, in the same precision; None for p itself.
        ratio: Whether it is the divergence.
        plain: Does the same given mask and scores of p (and q), for chains whose range is too wide,
            or where one forbids something; and for derivatives of derivatives.

    Returns:
        The values, differentiable, twice.
    """
    scores = p[:4] if q is None else (*p[:4], *q[:4])
    with torch.no_grad():
        values, done = calls.information(p[:4], p[:4] if q is None else q[:4], p.mask, ratio=ratio)
        if not done.all():
            rows = ~done
            part = [x[rows] if x.dim() == 3 else x for x in scores]
            values[rows] = plain(p.mask[rows], *part)
    if not (torch.is_grad_enabled() and any(x.requires_grad for x in scores)):
        return values
    from .ops import Divergence

    return Divergence.apply((values, done), ratio, plain, p.mask, *scores)  # pyright: ignore


def _rows(p: Potentials, chosen: Tensor) -> Potentials:
    return p._replace(emissions=p.emissions[chosen], mask=p.mask[chosen])


def per_step(p: Potentials, tags: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """log Z, or log p(tags), where each step has transitions of its own: [B] nats.

    Args:
        p: Chains that are `in_order_per_step`.
        tags: [B, L] a path; masked cells may hold anything.
        dtype: The precision of what is returned: that of the scores, or float64.

    Returns:
        The values, differentiable, twice; None where the range of a double does not suffice, or a
        tag is out of range.
    """
    wanted = torch.is_grad_enabled() and any(x.requires_grad for x in p[:4])
    tags = None if tags is None else tags.long().contiguous()
    status, values, slopes = calls.per_step(p[:4], p.mask, tags, dtype, counts=wanted)
    if status:
        return None
    if not wanted:
        return values
    return derivatives.PerStep.apply((values, slopes), p.mask, tags, *p[:4])


def answer(found: Tensor, plain: Callable[..., Tensor], *scores: Tensor) -> Tensor:
    """What a kernel found, with the derivatives of the plain code if they may be asked for.

    Args:
        found: The answer.
        plain: Computes the same from the scores, differentiably.
        scores: The tensors that it depends on.
    """
    if not (torch.is_grad_enabled() and any(x.requires_grad for x in scores)):
        return found
    return derivatives.PlainGradients.apply(found, plain, *scores)  # pyright: ignore


def in_order_per_step(p: Potentials) -> bool:
    """The same of chains whose steps have transitions of their own, each matrix whole."""
    emissions, transitions, start, end, mask = p
    if type(transitions) not in _PLAIN or not in_order(emissions, None, start, end, mask):
        return False
    B, L, S = emissions.shape
    fits = transitions.shape == (B, L - 1, S, S) and transitions.stride()[2:] == (S, 1)
    return fits and transitions.dtype == emissions.dtype and transitions.is_cpu


def in_order(emissions: Any, transitions: Any, start: Any, end: Any, mask: Any) -> bool:
    """Whether the kernels can be called as they are, for these chains.

    That is: here are plain tensors on the CPU of one precision, of shapes that fit, whole.
    """
    if type(emissions) not in _PLAIN or not modes.eager():
        return False
    shape, dtype = emissions.shape, emissions.dtype
    if len(shape) != 3 or dtype not in _PRECISIONS:
        return False
    B, L, S = shape
    return (
        S > 0
        and emissions.is_contiguous()
        and emissions.is_cpu
        and (transitions is None or _whole(transitions, dtype, (S, S)))
        and _whole(start, dtype, (S,))
        and _whole(end, dtype, (S,))
        and (mask is None or _whole(mask, torch.bool, (B, L)))
        and (_here or available("cpu", S))
    )


def _whole(x: Any, dtype: torch.dtype, shape: tuple[int, ...]) -> bool:
    alike = type(x) in _PLAIN and x.dtype is dtype and x.shape == shape
    return alike and x.is_contiguous() and x.is_cpu


_PLAIN = (Tensor, torch.nn.Parameter)
_PRECISIONS = (torch.float32, torch.float64)
