"""Under torch.compile: one graph, the same values and gradients."""

import pytest
import torch

import crf
from tests.core.checks import close, same


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


def alike(compiled, plain, given: tuple, differentiated: list[torch.Tensor]) -> None:
    """Values and gradients are those of the code that is not compiled."""
    value, wanted = compiled(*given), plain(*given)
    close(value, wanted)
    slopes = (torch.autograd.grad(x.sum(), differentiated) for x in (value, wanted))
    for found, expected in zip(*slopes, strict=True):
        close(found, expected)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch's own
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
class TestCompiled:
    def test_loss_and_gradients_of_a_chain_and_of_a_module(self, backend: str):
        def loss(mask, tags, *scores):
            return -crf.LinearChain(*scores, mask).log_prob(tags)

        scores, mask, tags = inputs()
        compiled = torch.compile(loss, backend=backend, fullgraph=True)
        alike(compiled, loss, (mask, tags, *scores), scores)
        model = crf.ChainCRF(3, crf.Constraints.bio(["O", "B", "I"])).double()
        given = (scores[0], torch.tensor([[0, 1, -100, 2], [0, 1, 2, 0]]), mask)
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        alike(compiled, model, given, [scores[0], *model.parameters()])

    def test_decoding_and_marginals(self, backend: str):
        def decode(mask, *scores):
            chain = crf.LinearChain(*scores, mask)
            return chain.viterbi().tags, chain.posterior_decode(), chain.marginals, chain.entropy

        scores, mask, _ = inputs()
        given = (mask, *(x.detach() for x in scores))
        found = torch.compile(decode, backend=backend, fullgraph=True)(*given)
        for one, wanted in zip(found, decode(*given), strict=True):
            close(one, wanted) if one.is_floating_point() else same(one, wanted)

    @pytest.mark.parametrize(("place", "fault"), [("emissions", "no nan"), ("tags", "tags: exp")])
    def test_bad_values_are_refused_when_the_graph_runs(self, backend: str, place: str, fault: str):
        model, (scores, mask, tags) = crf.ChainCRF(3).double(), inputs()
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        emissions = scores[0].detach().clone()
        emissions[0, 2] = torch.nan  # a masked cell
        assert compiled(emissions, tags, mask).isfinite()
        emissions[1, 2, 0], tags[1, 2] = {"emissions": (torch.nan, 0), "tags": (0.0, -100)}[place]
        with pytest.raises(RuntimeError, match=fault):
            compiled(emissions, tags, mask)
