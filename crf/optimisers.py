"""torch's Adam and L-BFGS, as they are, without torch's compiler.

When first used, torch's optimisers import the compiler to tell it that it should leave them alone:
1.7 s and 150 MB, for which a program that compiles nothing has no use. Here the same methods are
called without the wrappers that do that; a program that does compile takes `torch.optim`.
"""

from inspect import unwrap

import torch
from torch.optim import LBFGS as _LBFGS
from torch.optim import Adam as _Adam
from torch.optim import Optimizer

__all__ = ["LBFGS", "Adam"]


class _Bare(Optimizer):
    add_param_group = unwrap(Optimizer.add_param_group)
    load_state_dict = unwrap(Optimizer.load_state_dict)
    state_dict = unwrap(Optimizer.state_dict)
    zero_grad = unwrap(Optimizer.zero_grad)


class Adam(_Bare, _Adam):
    """`torch.optim.Adam`, not to be differentiated through.

    Source: Kingma and Ba (2015), "Adam: a method for stochastic optimization", algorithm 1.
    """

    step = torch.no_grad()(unwrap(_Adam.step))


class LBFGS(_Bare, _LBFGS):
    """`torch.optim.LBFGS`.

    Source: Nocedal and Wright (2006), "Numerical optimization", algorithms 7.4 and 7.5.
    """
