"""The Triton kernels, run by Triton's interpreter on the CPU, against the kernels of the CPU.

Triton has to be imported with TRITON_INTERPRET=1. So this file runs itself again in such a process.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import pytest
import torch

import crf
from crf import fused
from crf.fused import ops
from tests.core.checks import close, same
from tests.fused.batches import batch, some_tags

CASES = {
    "narrow": batch((2, 5, 3), 3),
    "wide": batch((1, 3, 18), 4, dtype=torch.float32),
    "forbidden": batch((3, 5, 5), 3, forbidden=0.3),
    "infeasible": batch((1, 4, 3), 3, forbidden=1.0),
    "far apart": batch((2, 4, 4), 3, spread=1e4),
    "no tokens": batch((2, 3, 3), holes=1.0),
    "no chains": batch((0, 3, 3)),
    "no cells": batch((2, 0, 3)),
}
cases = pytest.mark.parametrize("scores", CASES.values(), ids=CASES)
interpreted = os.environ.get("TRITON_INTERPRET") == "1"
in_interpreter = pytest.mark.skipif(not interpreted, reason="runs in a process of its own, below")
# Triton's interpreter computes with numpy, which warns of log 0 = −∞, wanted here.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning:triton")


@pytest.mark.skipif(not importlib.util.find_spec("triton"), reason="Triton is not installed")
@pytest.mark.skipif(interpreted, reason="this is that process")
def test_in_the_interpreter():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{3 * len(CASES) + 1} passed" in done.stdout


@in_interpreter
@cases
@pytest.mark.parametrize("with_tags", [False, True])
def test_values_and_derivatives(scores: tuple, with_tags: bool):
    from crf.fused import gpu

    tags = some_tags(scores) if with_tags else None
    found, d_emissions, d_parameters = gpu.expectations(scores, tags)
    rtol = 1e-6 if d_emissions.dtype == torch.float32 else 1e-11
    wanted = ops.values(*scores, tags)
    close(found, wanted, rtol=1e-11)
    close(gpu.log_prob(scores, tags), wanted, rtol=1e-11)
    for b in range(len(found)):
        one = torch.zeros(len(found), dtype=torch.float64)
        one[b] = 1.0
        of_row = ops.gradients(*scores, tags, one)
        close(d_emissions[b], of_row[0][b], rtol=rtol)
        close(d_parameters[b], torch.cat([x.flatten() for x in of_row[1:]]), rtol=rtol)


@in_interpreter
@cases
def test_best_paths(scores: tuple):
    from crf.fused import gpu

    exact = [x.double() if x.is_floating_point() else x for x in scores]
    found, wanted = gpu.viterbi(scores, True), crf.LinearChain(*exact, backend="plain").viterbi()
    tables = (wanted.tags, wanted.scores, wanted.log_deltas, wanted.backpointers)
    for mine, other in zip(found, tables, strict=True):
        same(mine, other)
    assert not gpu.viterbi(scores, False)[3].numel()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@cases
def test_on_a_gpu(scores: tuple):
    there = [x.cuda() for x in scores]
    for tags in (None, some_tags(scores)):
        on_gpu = None if tags is None else tags.cuda()
        close(ops.values(*there, on_gpu).cpu(), ops.values(*scores, tags), rtol=1e-11)
        weights = torch.ones(len(scores[0]), dtype=torch.float64)
        found = ops.gradients(*there, on_gpu, weights.cuda())
        for mine, other in zip(found, ops.gradients(*scores, tags, weights), strict=True):
            close(mine.cpu(), other, rtol=1e-6 if mine.dtype == torch.float32 else 1e-11)
    for mine, other in zip(fused.viterbi(*there), fused.viterbi(*scores), strict=True):
        same(mine.cpu(), other)


def test_more_tags_than_a_gpu_has_room_for_take_the_plain_code():
    assert not fused.available("cuda", fused.MOST_TAGS_ON_A_GPU + 1)
    assert not fused.available("mps", 3)


@pytest.mark.skipif(not importlib.util.find_spec("triton"), reason="Triton is not installed")
@pytest.mark.skipif(interpreted, reason="in the interpreter nothing is compiled")
@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
@pytest.mark.parametrize("kernel", ["_forward", "_backward", "_viterbi"])
def test_compiles_to_machine_code_without_a_gpu(kernel: str):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from crf.fused import gpu

    of_other_types = {"mask": "*i1", "tags": "*i64", "backpointers": "*i64", "L": "i32", "S": "i32"}
    of_other_types |= {"values": "*fp64", "alphas": "*fp64", "scores": "*fp64"}
    constants = {"P": 16, "WITH_TAGS": True, "KEEP": True}
    function = getattr(gpu, kernel)
    names = function.arg_names
    types = {n: "constexpr" if n in constants else of_other_types.get(n, "*fp32") for n in names}
    source = ASTSource(function, types, {n: constants[n] for n in names if n in constants})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"]
