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


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch's own
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
class TestCompiled:
    def test_loss_and_gradients(self, backend: str):
        def loss(mask, tags, *scores):
            return -crf.LinearChain(*scores, mask).log_prob(tags)

        scores, mask, tags = inputs()
        compiled = torch.compile(loss, backend=backend, fullgraph=True)
        value, wanted = compiled(mask, tags, *scores), loss(mask, tags, *scores)
        close(value, wanted)
        found = torch.autograd.grad(value.sum(), scores)
        for gradient, expected in zip(
            found, torch.autograd.grad(wanted.sum(), scores), strict=True
        ):
            close(gradient, expected)

    def test_module(self, backend: str):
        model = crf.ChainCRF(3, crf.Constraints.bio(["O", "B", "I"])).double()
        scores, mask, _ = inputs()
        tags = torch.tensor([[0, 1, -100, 2], [0, 1, 2, 0]])
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        value, wanted = compiled(scores[0], tags, mask), model(scores[0], tags, mask)
        close(value, wanted)
        parameters = [scores[0], *model.parameters()]
        found = torch.autograd.grad(value, parameters)
        for gradient, expected in zip(found, torch.autograd.grad(wanted, parameters), strict=True):
            close(gradient, expected)

    def test_decoding_and_marginals(self, backend: str):
        def decode(mask, *scores):
            chain = crf.LinearChain(*scores, mask)
            return chain.viterbi().tags, chain.marginals, chain.posterior_decode(), chain.entropy

        scores, mask, _ = inputs()
        scores = [x.detach() for x in scores]
        tags, marginals, posterior, entropy = torch.compile(
            decode, backend=backend, fullgraph=True
        )(mask, *scores)
        wanted = decode(mask, *scores)
        same(tags, wanted[0])
        close(marginals, wanted[1])
        same(posterior, wanted[2])
        close(entropy, wanted[3])

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
