"""The kernels as torch operators: registration, gradients, compilation, refusal of nothing."""

from __future__ import annotations

import importlib
import warnings

import pytest
import torch

import crf
from crf import fused
from tests.core.checks import close
from tests.fused.batches import batch, some_tags


def arguments(dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    *scores, mask = batch((2, 4, 3), 1, dtype=dtype)
    scores[0] = scores[0].nan_to_num(0.0)  # opcheck compares inputs, and nan is not nan
    return [*(x.requires_grad_() for x in scores), mask]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, inside opcheck
class TestRegistration:
    @pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
    @pytest.mark.parametrize("with_tags", [False, True])
    def test_values(self, dtype: torch.dtype, with_tags: bool):
        from crf.fused import ops

        given = arguments(dtype)
        tags = some_tags(tuple(given)) if with_tags else None
        torch.library.opcheck(ops.values_operator, (*given, tags))
        weights = torch.tensor([2.0, -3.0], dtype=torch.float64)
        torch.library.opcheck(ops.gradients_operator, (*(x.detach() for x in given), tags, weights))

    def test_paths(self):
        from crf.fused import ops

        given = [x.detach() for x in arguments()]
        torch.library.opcheck(ops.viterbi_operator, (*given,))
        torch.library.opcheck(ops.sample_operator, (*given, torch.full((2, 2, 4), 0.5).double()))

    def test_it_survives_a_reload(self):
        from crf.fused import ops

        before = fused.log_partition(*arguments())
        importlib.reload(ops)
        after = fused.log_partition(*arguments())
        close(after, before)
        after.sum().backward()
        close(ops.values_operator(*arguments(), None), before)


class TestGradients:
    def test_numerically_once_and_twice(self):
        *scores, mask = arguments()
        tags = some_tags((*scores, mask))
        for value in (
            lambda *x: fused.log_partition(*x, mask),
            lambda *x: fused.log_prob(*x, mask, tags),
        ):
            assert torch.autograd.gradcheck(value, scores)
            assert torch.autograd.gradgradcheck(value, scores)

    def test_each_chain_counts_with_its_own_weight(self):
        *scores, mask = arguments()
        weights = torch.tensor([2.0, -3.0], dtype=torch.float64)
        values = fused.log_partition(*scores, mask)
        (both,) = torch.autograd.grad(values @ weights, scores[1], retain_graph=True)
        each = [torch.autograd.grad(v, scores[1], retain_graph=True)[0] for v in values]
        close(both, 2 * each[0] - 3 * each[1])

    def test_parameters_of_another_precision_get_their_own_back(self):
        emissions, transitions, start, end, mask = arguments(torch.float32)
        wide = [x.detach().double().requires_grad_() for x in (transitions, start, end)]
        crf.LinearChain(emissions, *wide, mask).log_partition.sum().backward()
        given = [emissions, *wide]
        assert [x.grad.dtype for x in given if x.grad is not None] == [x.dtype for x in given]

    def test_strides_do_not_matter(self):
        *scores, mask = arguments()
        slanted = [x.detach().mT.contiguous().mT if x.dim() > 1 else x.detach() for x in scores]
        assert not slanted[0].is_contiguous()
        close(fused.log_partition(*slanted, mask), fused.log_partition(*scores, mask))


class TestWithoutTheCompiler:
    def test_the_plain_code_serves_and_one_warning_says_so(self, monkeypatch: pytest.MonkeyPatch):
        import sys

        for name in [name for name in sys.modules if name.startswith("crf.fused.")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "llvmlite", None)
        monkeypatch.setitem(fused._INSTALLED, "llvmlite", True)  # put back
        monkeypatch.setattr(fused, "_here", False)
        fused._import_error.cache_clear()
        try:
            scores = batch((2, 4, 3))
            with pytest.warns(RuntimeWarning, match="compiled kernels are not available.*llvmlite"):
                found = crf.LinearChain(*scores).log_partition
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                close(crf.LinearChain(*scores, backend="fused").log_partition, found)
        finally:
            fused._import_error.cache_clear()


class TestChoice:
    def test_transitions_per_step_by_every_backend(self):
        emissions, transitions, start, end, mask = batch((2, 4, 3))
        per_step = transitions.expand(2, 3, 3, 3)
        for backend in crf.backends.BACKENDS:
            chain = crf.LinearChain(emissions, per_step, start, end, mask, backend=backend)
            wanted = crf.LinearChain(emissions, transitions, start, end, mask, backend="plain")
            close(chain.log_partition, wanted.log_partition)

    def test_an_unknown_backend_is_refused(self):
        with pytest.raises(ValueError, match=r"backend: expected one of .*'fused'.*got 'fast'"):
            crf.LinearChain(*batch((1, 2, 3)), backend="fast")

    def test_plain_never_imports_the_kernels(self):
        program = (
            "import sys, torch, crf\n"
            "chain = crf.LinearChain(torch.zeros(1, 2, 3), torch.zeros(3, 3), backend='plain')\n"
            "chain.log_partition, chain.viterbi()\n"
            "assert 'llvmlite' not in sys.modules\n"
        )
        from tests.fused.processes import run

        run(program)
