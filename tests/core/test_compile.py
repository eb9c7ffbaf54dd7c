"""Under torch.compile: one graph, the same values and gradients."""

import pytest
import torch

import crf
from tests.core.checks import close, same

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch's own


def inputs() -> tuple[list[torch.Tensor], torch.Tensor, torch.Tensor]:
    source = torch.Generator().manual_seed(21)
    scores = [
        torch.randn(shape, generator=source, dtype=torch.float64).requires_grad_()
        for shape in [(2, 4, 3), (3, 3), (3,), (3,)]
    ]
    mask = torch.tensor([[True, True, False, True], [True] * 4])
    return scores, mask, torch.tensor([[0, 1, -100, 2], [2, 1, 0, 0]])


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch.compiler.reset()
    yield
    torch.compiler.reset()


def compiled(call):
    """Compiled as one graph; the backend traces the gradients, too, and writes no C++."""
    return torch.compile(call, backend="aot_eager", fullgraph=True)


def test_loss_and_gradients():
    scores, mask, _ = inputs()
    model = crf.ChainCRF(3, crf.Constraints.bio(["O", "B", "I"])).double()
    given = (scores[0], torch.tensor([[0, 1, -100, 2], [0, 1, 2, 0]]), mask)
    value, wanted = compiled(model)(*given), model(*given)
    close(value, wanted)
    leaves = [scores[0], *model.parameters()]
    slopes = (torch.autograd.grad(x, leaves) for x in (value, wanted))
    for found, expected in zip(*slopes, strict=True):
        close(found, expected)


@pytest.mark.thorough
def test_decoding_and_marginals():
    def decode(mask, *scores):
        chain = crf.LinearChain(*scores, mask)
        return chain.viterbi().tags, chain.posterior_decode(), chain.marginals, chain.entropy

    scores, mask, _ = inputs()
    given = (mask, *(x.detach() for x in scores))
    for one, wanted in zip(compiled(decode)(*given), decode(*given), strict=True):
        close(one, wanted) if one.is_floating_point() else same(one, wanted)


def test_bad_values_are_refused_when_the_graph_runs():
    model, (scores, mask, tags) = compiled(crf.ChainCRF(3).double()), inputs()
    emissions = scores[0].detach().clone()
    emissions[0, 2] = torch.nan  # a masked cell
    assert model(emissions, tags, mask).isfinite()
    tags[1, 2] = -100
    with pytest.raises(RuntimeError, match="tags: exp"):
        model(emissions, tags, mask)
    emissions[1, 2, 0], tags[1, 2] = torch.nan, 0
    with pytest.raises(RuntimeError, match="no nan"):
        model(emissions, tags, mask)
