"""Comparison of a tensor with the oracle's lists, and with another tensor."""

from __future__ import annotations

import torch
from torch import Tensor

# An absolute bound for what is near 0, and the rounding of the result itself (about one unit in the
# last place): nothing in between, whatever the spread of the scores.
TOLERANCES = {
    torch.float64: {"atol": 1e-10, "rtol": 1e-14},
    torch.float32: {"atol": 2e-7, "rtol": 1.2e-7},
}


def close(actual: Tensor, expected, **tolerances: float) -> None:
    """`actual` equals the nested lists, or the tensor, `expected` to the precision of its dtype."""
    assert not actual.isnan().any(), "nan"
    wanted = torch.as_tensor(expected, dtype=torch.float64).reshape(actual.shape)
    allowed = TOLERANCES[actual.dtype] | tolerances
    torch.testing.assert_close(
        actual.detach().double(), wanted.detach(), atol=allowed["atol"], rtol=allowed["rtol"]
    )


def same(actual: Tensor, expected) -> None:
    """Integers or booleans, equal one by one."""
    wanted = torch.as_tensor(expected, dtype=actual.dtype).reshape(actual.shape)
    assert torch.equal(actual, wanted), f"{actual.tolist()} != {wanted.tolist()}"


def oracle(case, name: str) -> list:
    """One attribute of the oracle, for every row."""
    return [getattr(row, name) for row in case.rows]
