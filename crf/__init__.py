"""Linear-chain conditional random fields: everything one may ask of them, exactly, in PyTorch.

    from crf import ChainCRF, LinearChain

`LinearChain` is the distribution p(y | x) of a batch of chains; `ChainCRF` the `nn.Module` that
learns its transitions. `crf.trace` shows a recursion step by step; `crf.tagger` is a trained
application. PyTorch is imported only when one of the names below is asked for.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .chain import LinearChain, TopK, ViterbiResult
    from .constraints import Constraints
    from .module import ChainCRF

__all__ = ["ChainCRF", "Constraints", "LinearChain", "TopK", "ViterbiResult"]

_HOME = {"ChainCRF": "module", "Constraints": "constraints"}


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_HOME.get(name, 'chain')}"), name)
    if not name.startswith("_") and find_spec(f"{__name__}.{name}"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'crf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
