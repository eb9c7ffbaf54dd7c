"""Comparisons of the kernels with the plain code, on random batches."""

from __future__ import annotations

import math

import torch
from hypothesis import strategies as st
from torch import Tensor

import crf
from tests.core.batches import Scores, batch, module, some_tags
from tests.core.checks import close, same

SHAPES = [(1, 1, 1), (2, 9, 7), (9, 17, 8), (3, 40, 9), (2, 33, 17), (17, 6, 5), (1, 7, 130)]
ROUNDING = 4e-16


@st.composite
def batches(draw: st.DrawFn) -> Scores:
    """Any shape around the eight lanes of the kernels, any spread, any share of −∞."""
    shape = (draw(st.integers(0, 4)), draw(st.integers(0, 12)), draw(st.integers(1, 26)))
    return batch(
        shape,
        draw(st.integers(0, 2**30)),
        spread=draw(st.sampled_from([0.0, 1.0, 60.0, 1e4])),
        forbidden=draw(st.sampled_from([0.0, 0.1, 0.5, 0.9])),
        holes=draw(st.sampled_from([0.0, 0.3, 1.0])),
        dtype=draw(st.sampled_from([torch.float32, torch.float64])),
        own=draw(st.sampled_from(["", "", "chain", "step"])),
    )


def chain(scores: Scores, backend: str) -> crf.LinearChain:
    """The chain that a backend computes with."""
    return crf.LinearChain(*scores, backend=backend)


def tolerance(scores: Scores) -> dict[str, float]:
    """A result near 0 is a difference of large scores: what they lose to rounding is allowed."""
    sizes = (float(x[x.isfinite()].abs().sum()) for x in scores[:4])
    size = max(sizes) if scores[0].numel() else 0
    eps = torch.finfo(scores[0].dtype).eps
    return {"atol": 1e-10 + ROUNDING * size + eps, "rtol": 2 * eps}


def gradients(scores: Scores, backend: str, value: str) -> list[Tensor]:
    leaves = [x.clone().requires_grad_() for x in scores[:4]]
    its = chain((*leaves, scores[4]), backend)  # pyright: ignore[reportArgumentType]
    values = its.log_partition if value == "log_partition" else its.log_prob(some_tags(scores))
    weights = torch.arange(1.0, len(values) + 1, dtype=values.dtype)
    finite = values > -math.inf
    return [*torch.autograd.grad((values[finite] * weights[finite]).sum(), leaves)]


def compare(scores: Scores) -> None:
    """Everything that the kernels answer."""
    ours, plain, exact = chain(scores, "kernels"), chain(scores, "plain"), tolerance(scores)
    loose = {"atol": exact["atol"] * (4 + scores[0][..., 0].numel()), "rtol": 1e-5}
    close(ours.log_partition, plain.log_partition, **exact)
    close(ours.log_prob(some_tags(scores)), plain.log_prob(some_tags(scores)), **exact)
    close(ours.marginals, plain.marginals, **exact)
    for name in ("emissions", "transitions", "start", "end"):
        mine, wanted = (getattr(x.expected_counts, name) for x in (ours, plain))
        close(mine, wanted, **loose)
    for value in ("log_partition", "log_prob"):
        found, wanted = gradients(scores, "kernels", value), gradients(scores, "plain", value)
        for mine, other in zip(found, wanted, strict=True):
            close(mine, other, **loose)
    best, wanted = ours.viterbi(), plain.viterbi()
    for name in ("tags", "scores", "log_deltas", "backpointers"):
        same(getattr(best, name), getattr(wanted, name))
    for k in (1, 5):
        best, wanted = ours.topk(k), plain.topk(k)
        for name in ("tags", "scores", "valid"):
            same(getattr(best, name), getattr(wanted, name))
    some = torch.nonzero(plain.feasible).flatten().tolist()
    seeds = (torch.Generator().manual_seed(1) for _ in range(2))
    drawn = [its[some].sample(3, seed) for its, seed in zip((ours, plain), seeds, strict=True)]
    same(*drawn)


def outcome(scores: Scores, backend: str, reduction: str) -> list[Tensor] | str:
    """The loss of a module and its gradients, or why it refuses."""
    emissions, transitions, start, end, mask = scores
    leaves, more = [emissions.clone().requires_grad_()], {}
    if transitions.dim() == 4:
        leaves.append(transitions.clone().requires_grad_())
        per_chain = transitions.shape[1] != max(emissions.shape[1] - 1, 0)
        more["transitions"] = leaves[1][:, 0] if per_chain else leaves[1]
        transitions = transitions.new_zeros(transitions.shape[2:])
    model = module(transitions, start, end, backend=backend)
    try:
        loss = model(leaves[0], some_tags(scores), mask, reduction, **more)
    except ValueError as refusal:
        return str(refusal)
    return [loss, *torch.autograd.grad(3 * loss.sum(), [*leaves, *model.parameters()])]


def compare_losses(scores: Scores) -> None:
    eps = torch.finfo(scores[0].dtype).eps
    for reduction in ("mean", "sum", "token_mean", "none"):
        mine, wanted = (outcome(scores, backend, reduction) for backend in ("kernels", "plain"))
        assert isinstance(mine, str) == isinstance(wanted, str)
        if isinstance(wanted, str):
            assert mine == wanted
            continue
        for one, other in zip(mine, wanted, strict=True):
            size = 1 + other.detach().abs().sum().item()
            close(one, other, atol=size * (1e-10 + 4 * eps), rtol=1e-5)  # pyright: ignore
