"""What core.py compares: this library's backends and others, each asked the same questions.

    nll        negative log-likelihood of gold paths, mean over the batch, and all its gradients
    viterbi    the best path of each chain, from emissions to a tensor of tags
    decode     the best paths as lists of tags, from emissions to lists
    marginals  p(y_t = s | x), once the chain is there

CRFsuite is not among them: it scores attributes of its own and can be given no emissions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

import crf

Question = Callable[[], object]


class Problem(NamedTuple):
    """A ragged batch with gold paths, and the parameters that all contenders share."""

    emissions: Tensor
    tags: Tensor
    mask: Tensor
    model: crf.ChainCRF


def problem(B: int, L: int, S: int) -> Problem:
    """Lengths from L/2 to L, one of them L."""
    source = torch.Generator().manual_seed(B * L * S)
    lengths = torch.randint(L // 2, L + 1, (B,), generator=source)
    lengths[0] = L
    return Problem(
        torch.randn(B, L, S, generator=source),
        torch.randint(S, (B, L), generator=source),
        torch.arange(L) < lengths[:, None],
        crf.ChainCRF(S, generator=source),
    )


def with_gradients(loss: Callable[[], Tensor], differentiated: list[Tensor]) -> Question:
    """The loss and its gradients; the last ones are given up as an optimiser does, by its list."""

    def ask() -> Tensor:
        for x in differentiated:
            x.grad = None
        found = loss()
        found.backward()
        return found

    return ask


def ours(given: Problem, backend: str) -> dict[str, Question]:
    """This library with a backend."""
    emissions, tags, mask, model = given
    model = crf.ChainCRF(model.num_tags, backend=backend)
    model.load_state_dict(given.model.state_dict())
    leaf = emissions.clone().requires_grad_()

    nll = with_gradients(lambda: model(leaf, tags, mask), [leaf, *model.parameters()])

    def viterbi() -> Tensor:
        with torch.no_grad():
            return model.chain(emissions, mask).viterbi().tags

    def decode() -> list[list[int]]:
        return model.decode(emissions, mask)

    def marginals() -> Tensor:
        with torch.no_grad():
            chain._known.clear()  # or the second answer would be the first, remembered
            return chain.marginals

    with torch.no_grad():
        chain = model.chain(emissions, mask)
    return {"nll": nll, "viterbi": viterbi, "decode": decode, "marginals": marginals}


def pytorch_crf(given: Problem) -> dict[str, Question]:
    """pytorch-crf 0.7.2."""
    from torchcrf import CRF

    emissions, tags, mask, model = given
    theirs = CRF(model.num_tags, batch_first=True)
    theirs.load_state_dict(model.state_dict())
    leaf = emissions.clone().requires_grad_()

    nll = with_gradients(
        lambda: -theirs(leaf, tags, mask, reduction="mean"), [leaf, *theirs.parameters()]
    )

    def decode() -> list[list[int]]:
        with torch.no_grad():
            return theirs.decode(emissions, mask)

    return {"nll": nll, "viterbi": decode, "decode": decode}


def torch_struct(given: Problem) -> dict[str, Question]:
    """torch-struct 0.5: its scores are [B, L-1, to, from], all in one table."""
    from torch_struct import LinearChainCRF

    torch.distributions.Distribution.set_default_validate_args(False)  # it warns otherwise
    emissions, tags, mask, model = given
    lengths = mask.sum(1)

    def chain(emissions: Tensor) -> LinearChainCRF:
        scores = model.transitions.mT + emissions[:, 1:, :, None]
        first = model.start_transitions + emissions[:, 0]
        last = torch.arange(scores.shape[1]) == (lengths - 2)[:, None]
        scores = scores + torch.where(last[:, :, None], model.end_transitions, 0.0)[..., None]
        step = (torch.arange(scores.shape[1]) == 0)[:, None, None]
        scores = scores + torch.where(step, first[:, None, None, :], 0.0)
        return LinearChainCRF(scores.contiguous(), lengths=lengths)

    leaf = emissions.clone().requires_grad_()
    parts = (
        LinearChainCRF.struct.to_parts(tags, model.num_tags, lengths=lengths)
        .type_as(leaf)
        .contiguous()
    )

    nll = with_gradients(lambda: -chain(leaf).log_prob(parts).mean(), [leaf, *model.parameters()])

    def viterbi() -> Tensor:
        return chain(emissions).argmax

    def marginals() -> Tensor:
        return chain(emissions).marginals

    return {"nll": nll, "viterbi": viterbi, "marginals": marginals}


def our_loss(given: Problem) -> Callable[[Tensor], Tensor]:
    """This library's loss, as a function of the emissions."""
    return lambda emissions: given.model(emissions, given.tags, given.mask)


def their_loss(given: Problem) -> Callable[[Tensor], Tensor]:
    """pytorch-crf's."""
    from torchcrf import CRF

    theirs = CRF(given.model.num_tags, batch_first=True)
    theirs.load_state_dict(given.model.state_dict())
    return lambda emissions: -theirs(emissions, given.tags, given.mask, reduction="mean")
