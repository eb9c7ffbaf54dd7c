"""Parameters on the meta device that get initial values together with their memory.

Libraries make a model on the meta device and then fill it with saved values, or with empty memory
where nothing was saved (`to_empty`, Hugging Face's `from_pretrained`). They get that memory from
`torch.empty_like`, which returns initial values for these parameters. Other libraries (FSDP) call
`reset_parameters`.
"""

from typing import Any

import torch
from torch import nn

RANGE = 0.1


class MetaParameter(nn.Parameter):
    """A parameter on the meta device; with memory, its values lie uniformly from −0.1 to 0.1."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        with torch._C.DisableTorchFunctionSubclass():  # torch's documented way to call the rest
            result = func(*args, **(kwargs or {}))
            if func is torch.empty_like and not result.is_meta and result.is_floating_point():
                result.uniform_(-RANGE, RANGE)
        return result


def parameter(*shape: int) -> nn.Parameter:
    """A parameter without values, on torch's default device."""
    memory = torch.empty(shape)
    return MetaParameter(memory) if memory.is_meta else nn.Parameter(memory)
