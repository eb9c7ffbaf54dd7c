"""torch.func over the loss, and the loss and the best paths exported: for torch and in ONNX."""

from __future__ import annotations

import functools
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vmap

import crf
from tests.core.batches import small
from tests.core.checks import close, same

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = ("auto", "plain")


def constrained(backend: str = "auto"):
    """A model that forbids something, and a batch with a hole and padding."""
    model, emissions, _ = small(constraints=crf.Constraints.bio(["O", "B", "I"]), backend=backend)
    tags = torch.tensor([[1, 2, 0, 1], [0, -1, 1, -1]])
    return model, emissions, tags, torch.tensor([[True] * 4, [True, False, True, False]])


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")  # torch's own jvp uses it
@pytest.mark.parametrize("backend", BACKENDS)
class TestFunctions:
    def test_first_and_second_derivatives(self, backend: str):
        model, emissions, tags, mask = constrained(backend)

        def loss(x: torch.Tensor) -> torch.Tensor:
            return model(x, tags, mask)

        leaf = emissions.clone().requires_grad_()
        (wanted,) = torch.autograd.grad(loss(leaf), leaf, create_graph=True)
        close(grad(loss)(emissions), wanted)
        close(jacfwd(loss)(emissions), wanted)
        close(jacrev(lambda x: model(x, tags, mask, "none"))(emissions).sum(0), 2 * wanted)
        direction = torch.ones_like(emissions)
        direction[0, 0, 0] = 3.0
        value, slope = jvp(loss, (emissions,), (direction,))
        close(value, loss(emissions))
        close(slope, (wanted * direction).sum())
        second = torch.autograd.functional.hessian(loss, emissions)
        close(hessian(loss)(emissions), second)

    def test_tangents_of_forward_mode(self, backend: str):
        model, emissions, tags, mask = constrained(backend)
        leaf, direction = emissions.clone().requires_grad_(), torch.ones_like(emissions)
        for ask in (
            lambda x: model(x, tags, mask),
            lambda x: model.chain(x, mask).marginals[0, 2, 1],
            lambda x: model.chain(x, mask).entropy.sum(),
            lambda x: model.chain(x, mask).viterbi().scores.sum(),
        ):
            (wanted,) = torch.autograd.grad(ask(leaf), leaf)
            for given in (emissions, leaf):
                with forward_ad.dual_level():
                    found = forward_ad.unpack_dual(ask(forward_ad.make_dual(given, direction)))
                    close(found.tangent, wanted.sum())

    def test_each_sequence_by_itself(self, backend: str):
        model, emissions, tags, mask = constrained(backend)
        losses = vmap(lambda x, y, m: model(x[None], y[None], m[None]))(emissions, tags, mask)
        close(losses, model(emissions, tags, mask, "none"))

        def loss(parameters, x, y, m):
            return functional_call(model, parameters, (x[None], y[None], m[None]))

        parameters = {name: p.detach() for name, p in model.named_parameters()}
        of_each = vmap(grad(loss), (None, 0, 0, 0))(parameters, emissions, tags, mask)
        for name, parameter in model.named_parameters():
            for b in range(2):
                one = slice(b, b + 1)
                (wanted,) = torch.autograd.grad(
                    model(emissions[one], tags[one], mask[one]), parameter
                )
                close(of_each[name][b], wanted)

    def test_other_questions(self, backend: str):
        model, emissions, _, mask = constrained(backend)
        chain = model.chain(emissions, mask)
        of_each = vmap(lambda x, m: model.chain(x[None], m[None]).entropy[0])
        close(of_each(emissions, mask), chain.entropy)
        (wanted,) = torch.autograd.grad(
            model.chain(leaf := emissions.clone().requires_grad_(), mask).entropy.sum(), leaf
        )
        close(grad(lambda x: model.chain(x, mask).entropy.sum())(emissions), wanted)
        tags = vmap(lambda x, m: model.chain(x[None], m[None]).viterbi().tags[0])(emissions, mask)
        same(tags, chain.viterbi().tags)


class Served(torch.nn.Module):
    """What one would serve."""

    def __init__(self, model: crf.ChainCRF) -> None:
        super().__init__()
        self.crf = model

    def forward(self, emissions, mask, tags):
        chain = self.crf.chain(emissions, mask)
        best, loss = chain.viterbi(), self.crf(emissions, tags, mask, "none")
        sums = chain.log_partition, chain.log_prob(tags), chain.marginals
        return best.tags, best.scores, loss, *sums, chain.posterior_decode()


WITHOUT = """
import sys, torch
hidden = torch._C._are_functorch_transforms_active
del torch._C._are_functorch_transforms_active
sys.modules["torch._higher_order_ops.scan"] = None
import crf.chain
torch._C._are_functorch_transforms_active = hidden  # torch itself needs it

x, T = torch.randn(2, 4, 3), torch.randn(3, 3)
tags = torch.tensor([[0, 1, 2, 0], [2, 1, 1, 0]])
losses = torch.func.vmap(lambda e, y: -crf.LinearChain(e[None], T).log_prob(y[None])[0])(x, tags)
assert torch.allclose(losses, -crf.LinearChain(x, T).log_prob(tags), atol=1e-5)
try:
    import crf.engines.export_recursions
except ImportError as error:
    print(error)
"""


def test_a_torch_without_the_names_that_it_does_not_promise():
    """Import, loss and transforms work; export says which torch has what it needs."""
    done = subprocess.run([sys.executable, "-c", WITHOUT], cwd=ROOT, capture_output=True, text=True)
    assert "export with one of those" in done.stdout, done.stderr


def batches():
    """Of other sizes than the example's; with −∞, empty rows, and a row that allows nothing."""
    source = torch.Generator().manual_seed(2)
    for B, L in ((4, 9), (1, 1), (3, 2)):
        emissions = torch.randn(B, L, 3, generator=source, dtype=torch.float64)
        mask = torch.rand(B, L, generator=source) > 0.3
        emissions[0, 0] = torch.tensor([-torch.inf, 1.0, -torch.inf])
        mask[0, 0] = True
        if B > 2:
            emissions[1], mask[1, 0], mask[2] = -torch.inf, True, False
        yield emissions, mask, torch.ones(B, L, dtype=torch.long)


def agree(found, model: crf.ChainCRF, batch) -> None:
    """What was served is what the module says, without checks of the values."""
    model.forward = functools.partial(model.forward, validate=False)  # it refuses infinite losses
    for one, wanted in zip(found, Served(model)(*batch), strict=True):
        close(one, wanted) if one.is_floating_point() else same(one, wanted)


def any_sizes(shortest: int | None = None) -> dict:
    """Names for the first two axes."""
    from torch.export import Dim  # here, because it takes a second, which few tests need

    return {0: Dim("batch"), 1: Dim("length", min=shortest)}


@pytest.mark.thorough
@pytest.mark.parametrize("strict", [False, True])
def test_export_at_any_batch_and_length(strict: bool):
    """With gradients on, as in the recipe."""
    model, emissions, tags, mask = constrained()
    given = emissions, mask, tags.clamp(min=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter's own
        exported = torch.export.export(
            Served(model), given, dynamic_shapes=(any_sizes(),) * 3, strict=strict
        )
        served = exported.module()
    for batch in batches():
        agree(served(*batch), constrained()[0], batch)
    leaf = emissions.requires_grad_()
    (wanted,) = torch.autograd.grad(model(leaf, tags, mask, "sum"), leaf)
    close(torch.autograd.grad(served(leaf, mask, tags.clamp(min=0))[2].sum(), leaf)[0], wanted)


class Asked(torch.nn.Module):
    """One question about the chain."""

    def __init__(self, model: crf.ChainCRF, ask) -> None:
        super().__init__()
        self.crf, self.ask = model, ask

    def forward(self, emissions, mask):
        return self.ask(self.crf.chain(emissions, mask))


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")  # the exporter's own
class TestExportOfOtherQuestions:
    def exported(self, ask, shortest: int = 1):
        model, emissions, _, mask = constrained()
        sizes = any_sizes(shortest)
        module = Asked(model, ask)
        return torch.export.export(
            module, (emissions, mask), dynamic_shapes=(sizes, sizes)
        ).module(), module

    def test_pair_marginals(self):
        served, module = self.exported(lambda chain: chain.pair_marginals, shortest=3)
        for emissions, mask, _ in batches():
            if emissions.shape[1] >= 3:
                close(served(emissions, mask), module(emissions, mask))

    def test_samples(self):
        served, module = self.exported(lambda chain: chain.sample(4000))
        source = torch.Generator().manual_seed(3)
        emissions = torch.randn(3, 6, 3, generator=source, dtype=torch.float64)
        mask = torch.rand(3, 6, generator=source) > 0.3
        chain = module.crf.chain(emissions, mask)
        torch.manual_seed(4)
        found = served(emissions, mask)
        assert (chain.log_prob(found) > -torch.inf).all()
        assert (found == -1).eq(~mask).all()
        shares = torch.nn.functional.one_hot(found.clamp(min=0), 3).double().mean(0)
        close(shares[mask], chain.marginals[mask], atol=0.03)
        pairs = (found[:, :, :-1] == 0) & (found[:, :, 1:] == 0)
        inside = mask[:, :-1] & mask[:, 1:]
        close(pairs.double().mean(0)[inside], chain.pair_marginals[:, :, 0, 0][inside], atol=0.03)

    @pytest.mark.parametrize("ask", [lambda c: c.entropy, lambda c: c.topk(2).tags])
    def test_what_would_be_unrolled_is_an_error(self, ask):
        with pytest.raises(RuntimeError, match="unrolled to the example's length"):
            self.exported(ask)

    def test_decode_is_refused(self):
        model, emissions, _, mask = constrained()
        module = Asked(model, lambda chain: torch.tensor(model.decode(chain.potentials.emissions)))
        with pytest.raises(RuntimeError, match=r"decode: .*viterbi\(\).tags"):
            torch.export.export(module, (emissions, mask))


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
@pytest.mark.filterwarnings("ignore::torch.jit.TracerWarning")  # it takes sizes for constants
class TestTorchScript:
    def test_a_trace_computes_anew(self):
        model, emissions, tags, mask = constrained()
        tags = tags.clamp(min=0)
        model.requires_grad_(False)
        module = Served(model)
        traced = torch.jit.trace(module, (emissions, mask, tags), check_trace=False)
        for other in (emissions.flip(0), 3 * emissions):
            pairs = zip(traced(other, mask, tags), module(other, mask, tags), strict=True)
            for found, wanted in pairs:
                close(found, wanted) if found.is_floating_point() else same(found, wanted)

    def test_decode_cannot_be_traced(self):
        model, emissions, _, _ = constrained()
        with pytest.raises(RuntimeError, match=r"decode: .*viterbi\(\).tags"):
            torch.jit.trace(lambda x: torch.tensor(model.decode(x)), (emissions,))


@pytest.mark.thorough
def test_onnx(tmp_path: Path):
    pytest.importorskip("onnxscript", reason="onnx and onnxscript are not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model, emissions, tags, mask = constrained()
    given = emissions, mask, tags.clamp(min=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            Served(model), given, dynamo=True, dynamic_shapes=(any_sizes(),) * 3, verbose=False
        )
        program.save(tmp_path / "served.onnx")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(tmp_path / "served.onnx", options)
    for batch in batches():
        inputs = zip(session.get_inputs(), batch, strict=True)
        found = session.run(None, {at.name: x.numpy() for at, x in inputs})
        agree(map(torch.from_numpy, found), constrained()[0], batch)
