"""The constraints in a state dict of AllenNLP's `ConditionalRandomField`."""

from typing import Any

import torch

from ..constraints import Constraints


def read_constraint_mask(
    module: Any, state_dict: Any, prefix: str, metadata: Any, strict: bool, *errors: list
) -> None:
    """Take the constraints out of a state dict of AllenNLP's `ConditionalRandomField`."""
    table = state_dict.pop(f"{prefix}_constraint_mask", None)
    if table is None:
        return
    S = module.num_tags
    if tuple(table.shape) != (S + 2, S + 2):
        errors[-1].append(
            f"_constraint_mask: expected shape {[S + 2, S + 2]}, got {list(table.shape)}"
        )
        return
    # Row S says with which tags a path may start, and column S + 1 with which it may end.
    table = table.detach().cpu() > 0
    other = Constraints(table[:S, :S].clone(), table[S, :S].clone(), table[:S, S + 1].clone())
    own = module._given_constraints.to("cpu")
    if module.constrained and any(
        not torch.equal(getattr(own, name), getattr(other, name))
        for name in ("transitions", "start", "end")
    ):
        errors[-1].append(
            "_constraint_mask: expected the constraints of the module, got others; make the module "
            "without constraints, and it takes these"
        )
        return
    if not module.constrained:
        module.constrained = not all(x.all() for x in (other.transitions, other.start, other.end))
        module._given_constraints = module._constraints = other
