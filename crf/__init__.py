"""Linear-chain conditional random fields: everything one may ask of them, exactly, in PyTorch.

    from crf import ChainCRF, LinearChain

`LinearChain` is the distribution p(y | x) of a batch of chains; `ChainCRF` the `nn.Module` that
learns its transitions. `crf.trace` shows a recursion step by step; `crf.tagger` is a trained
application.
"""

from crf.chain import LinearChain, TopK, ViterbiResult
from crf.constraints import Constraints
from crf.module import ChainCRF

__all__ = ["ChainCRF", "Constraints", "LinearChain", "TopK", "ViterbiResult"]
