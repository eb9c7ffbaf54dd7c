"""Why torch may run this code other than to have its results: to compile, export, transform it."""

from typing import Any

import torch
from torch.compiler import is_dynamo_compiling

_transforms_are_active = torch._C._are_functorch_transforms_active  # looked up once, not each time


def eager() -> bool:
    """Whether this runs as it stands: no graph is traced, no transformation applied."""
    return not (is_dynamo_compiling() or _transforms_are_active())


def compiling() -> bool:
    """Whether values are symbols, which cannot be looked at: torch.compile, or torch.export."""
    return torch.compiler.is_compiling()


def exporting() -> bool:
    """Whether a graph is traced for `torch.export`, which is to hold for any length."""
    return getattr(torch.compiler, "is_exporting", bool)()  # torch 2.6 has none


def transforming() -> bool:
    """Whether `torch.func` runs this: `grad`, `jvp`, `vmap`, … see torch's own functions only."""
    return _transforms_are_active()


def graph_is_kept() -> bool:
    """In a backward pass: whether what it needs must stay as it is, for another or for `vmap`."""
    autograd: Any = torch._C
    kept = getattr(autograd._autograd, "_get_current_graph_task_keep_graph", None)
    return kept is None or kept() or transforming()
