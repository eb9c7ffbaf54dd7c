"""The recursions as compiled kernels: same questions, same answers as the plain code, in less time.

    jit.py, simd.py       how kernels are compiled; the two inner loops in vector instructions
    columns.py            the arithmetic of one column
    scaled.py             forward-backward in scaled probability space
    log_space.py          the same in log space, for the chains whose range is too wide
    expectations.py       log Z, log p(tags) and all derivatives of a batch
    best_paths.py         Viterbi
    sampling.py           samples
    threads.py            rows over threads
    gpu.py                log Z, log p(tags), derivatives and best paths on a GPU, by Triton
    ops.py                all of it as torch operators

Arguments are those of `crf.potentials.Potentials`, before `clean`: masked cells may hold anything.
The emissions are float32 or float64, the transitions [S, S]. log Z and best scores come in float64,
log-probabilities and tables with the shape of the emissions in their precision. numba is imported,
and a kernel compiled or read from its cache on disk, by the first call that needs it. On a GPU,
Triton takes numba's part; samples are the plain code's there.
"""

import functools
import importlib
import importlib.util
import warnings
from typing import Any

import torch
from torch import Tensor

# The package that compiles for a device, and the module of ours that cannot do without it.
_COMPILERS = {"cpu": ("numba", ".expectations"), "cuda": ("triton", ".gpu")}
_INSTALLED = {name: importlib.util.find_spec(name) is not None for name, _ in _COMPILERS.values()}
MOST_TAGS_ON_A_GPU = 128


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


@functools.cache
def _import_error(compiler: str, module: str) -> str | None:
    try:
        importlib.import_module(module, __name__)
    except ImportError as error:
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

    compiling = torch.compiler.is_compiling()
    if torch.is_grad_enabled() and any(x.requires_grad for x in arguments[:4]):
        if compiling:
            return ops.expectations_operator(*arguments)[0].to(dtype)
        return ops.Value.apply(dtype, *arguments)  # pyright: ignore[reportReturnType]
    return (ops.log_prob_operator if compiling else ops.log_prob)(*arguments).to(dtype)


def marginals(
    emissions: Tensor, transitions: Tensor, start: Tensor, end: Tensor, mask: Tensor
) -> Tensor:
    """p(y_t = s | x): [B, L, S], 0 at masked cells. Not differentiable."""
    from . import ops

    expectations = ops.expectations_operator if torch.compiler.is_compiling() else ops.expectations
    with torch.no_grad():
        return expectations(emissions, transitions, start, end, mask, None)[1]


def viterbi(
    emissions: Tensor,
    transitions: Tensor,
    start: Tensor,
    end: Tensor,
    mask: Tensor,
    *,
    tables: bool = True,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Best paths [B, L], scores [B] (float64), and log δ and backpointers [B, L, S], or empty."""
    from . import ops

    viterbi = ops.viterbi_operator if torch.compiler.is_compiling() else ops.viterbi
    with torch.no_grad():
        return viterbi(emissions, transitions, start, end, mask, tables)


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

    uniforms = torch.rand(n, *mask.shape, dtype=torch.float64, generator=generator)
    sample = ops.sample_operator if torch.compiler.is_compiling() else ops.sample
    with torch.no_grad():
        return sample(emissions, transitions, start, end, mask, uniforms)
