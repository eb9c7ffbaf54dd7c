"""Which code computes: the one place where a backend is chosen.

    "plain"  the recursions as in the textbook (`crf.recursions`, `crf.decoding`), on any device.
    "fused"  compiled kernels (`crf.fused`), on the CPU by LLVM: log Z, log-probabilities, entropy,
             divergences and the gradients of these; marginals, pair marginals, best paths, k-best
             lists, samples; on a CUDA GPU by Triton: log Z, log-probabilities and their gradients,
             marginals, best paths. The plain code does what is left: gradients of gradients and of
             marginals; `torch.func`; rare chains whose range is too wide; more than 128 tags on a
             GPU; everything on a machine without the compiler.
    "scan"   log Z and best paths by an associative scan over time (`crf.scan`): fewer steps one
             after another, more work in all. Other questions take the plain code.
    "auto"   "fused" where it can be used, else "plain".

The results are the same. The kernels are compiled once, on the first call that needs them, which
takes seconds, and kept on disk; ask for "plain" where nobody can wait for that.
"""

from typing import Any

from . import fused, modes
from .potentials import Potentials

BACKENDS = ("auto", "plain", "fused", "scan")


def check_backend(backend: Any) -> None:
    """Refuse an unknown backend's name."""
    if backend not in BACKENDS:
        raise ValueError(
            f"backend: expected one of {', '.join(map(repr, BACKENDS))}, got {backend!r}; "
            "'auto' chooses for you"
        )


def choose(backend: str, potentials: Potentials) -> str:
    """The backend that does the work: "plain", "fused" or "scan".

    Args:
        backend: What was asked for, one of `BACKENDS`.
        potentials: The chains.

    Example:
        >>> import torch
        >>> per_step = torch.zeros(1, 2, 5, 5)
        >>> cells = torch.ones(1, 3, dtype=torch.bool)
        >>> choose("auto", Potentials(torch.zeros(1, 3, 5), per_step, *torch.zeros(2, 5), cells))
        'plain'
    """
    if modes.transforming():
        return "plain"
    if backend in ("plain", "scan"):
        return backend
    emissions = potentials.emissions
    if potentials.per_step or not fused.available(emissions.device.type, emissions.shape[2]):
        return "plain"
    return "fused"
