"""Linear-chain conditional random fields in PyTorch: exact inference, learning and decoding.

`LinearChain` is the distribution p(y | x) of a batch of chains. `ChainCRF` is the `nn.Module` that
learns transitions for it. `crf.trace` shows a recursion step by step, and `crf.tagger` contains
trained taggers. PyTorch is imported only when you use one of these names.

Example:
    >>> import torch
    >>> from crf import LinearChain
    >>> emissions = torch.zeros(1, 3, 2)  # 1 chain, 3 tokens, 2 tags
    >>> chain = LinearChain(emissions, transitions=torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
    >>> chain.viterbi().tags
    tensor([[0, 0, 0]])
    >>> chain.log_prob(torch.tensor([[0, 0, 0]])).exp()
    tensor([0.7341])
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .moved import FormerPaths

if TYPE_CHECKING:
    from .chain import LinearChain, TopK, ViterbiResult
    from .constraints import Constraints
    from .nn.module import ChainCRF
    from .segments.semi_markov import SemiMarkov

__all__ = ["ChainCRF", "Constraints", "LinearChain", "SemiMarkov", "TopK", "ViterbiResult"]
__version__ = "0.1.0"

_HOME = {
    "ChainCRF": "nn.module",
    "Constraints": "constraints",
    "SemiMarkov": "segments.semi_markov",
}
_MODULES = ("compat", "figures", "lab", "tagger", "trace")
_HINTS = {
    "CRF": "; pytorch-crf's interface is crf.compat.CRF, the layer of this library is ChainCRF"
}

sys.meta_path.append(FormerPaths())


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module(f"{__name__}.{_HOME.get(name, 'chain')}"), name)
    if name.isidentifier() and not name.startswith("_") and find_spec(f"{__name__}.{name}"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'crf' has no attribute {name!r}{_HINTS.get(name, '')}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_MODULES, "__version__"])
