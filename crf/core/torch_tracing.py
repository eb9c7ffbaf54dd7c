"""Whether torch runs this code to compile, export or transform it, not for its results."""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.compiler import is_dynamo_compiling


class _WithoutTransforms(torch.autograd.Function):
    """A function without `setup_context`, which torch refuses to transform."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x


def _transforms_refuse() -> bool:
    """Whether transforms are active, by what torch documents; takes 11 µs, not 0.1."""
    try:
        _WithoutTransforms.apply(torch.empty(0))
    except RuntimeError:
        return True
    return False


_transforms_are_active: Callable[[], bool] = getattr(  # because torch has no public name for it
    torch._C, "_are_functorch_transforms_active", _transforms_refuse
)


def eager() -> bool:
    """Whether torch neither traces a graph nor applies a transform."""
    return not (is_dynamo_compiling() or transforming())


def compiling() -> bool:
    """Whether values are symbols that cannot be read, under torch.compile or torch.export."""
    return torch.compiler.is_compiling()


def exporting() -> bool:
    """Whether a graph is traced for `torch.export`, which is to hold for any length."""
    return getattr(torch.compiler, "is_exporting", bool)()  # because torch 2.6 has none


def tracing() -> bool:
    """Whether `torch.jit.trace` runs this."""
    return torch.jit.is_tracing()  # pyright: ignore[reportPrivateImportUsage]


def _a_dual_level_is_open() -> bool:
    """Whether `torch.autograd.forward_ad` follows tangents, by what torch documents."""
    try:
        forward_ad.make_dual(torch.zeros(()), torch.zeros(()))
    except RuntimeError:
        return False
    return True


def transforming() -> bool:
    """Whether `torch.func`, `torch.autograd.forward_ad` or `torch.jit.trace` runs this.

    They see torch's own functions only.
    """
    level = getattr(forward_ad, "_current_level", None)  # because torch has no public name
    dual = _a_dual_level_is_open() if level is None else level >= 0
    return dual or _transforms_are_active() or tracing()
