"""Torch's `scan`, a loop that stays one loop in an exported graph; and which token comes before."""

from typing import Any

import torch
from torch import Tensor

from .shapes import Bool, Int

try:
    from torch._higher_order_ops.scan import scan
except ImportError as error:
    raise ImportError(
        f"Exporting needs torch's scan, which torch {torch.__version__} does not have where torch "
        "2.6 to 2.13 have it; export with one of those."
    ) from error


def previous_tokens(mask: Bool[Tensor, "B L"]) -> Int[Tensor, "B L"]:
    """The cell of the chain token before each cell, as `scoring.previous_tokens`."""

    def step(before: Any, cell: Any) -> Any:
        in_chain, t = cell
        return torch.where(in_chain, t, before), before.clone()

    cells = torch.arange(mask.shape[1], device=mask.device)[:, None].expand_as(mask.T)
    return scan(step, torch.zeros_like(cells[0]), (mask.T.contiguous(), cells.contiguous()))[1].T
