"""Why torch may run this code other than to have its results: to compile, export, transform it."""

import torch


def compiling() -> bool:
    """Whether values are symbols, which cannot be looked at: torch.compile, or torch.export."""
    return torch.compiler.is_compiling()


def exporting() -> bool:
    """Whether a graph is traced for `torch.export`, which is to hold for any length."""
    return getattr(torch.compiler, "is_exporting", bool)()  # torch 2.6 has none


def transforming() -> bool:
    """Whether `torch.func` runs this: `grad`, `jvp`, `vmap`, … see torch's own functions only."""
    return torch._C._are_functorch_transforms_active()
