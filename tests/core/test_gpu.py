"""The Triton kernels, run by Triton's interpreter on the CPU, against the plain code.

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
from crf import engines
from crf.core import differentiable
from crf.core.potentials import Potentials
from tests.core.batches import batch, some_tags
from tests.core.checks import close, same

CASES = {
    "narrow": batch((2, 4, 3), 3),
    "wide": batch((1, 3, 18), 4, dtype=torch.float32),
    "forbidden": batch((3, 4, 5), 2, forbidden=0.4),  # one chain has no path
    "far apart": batch((2, 4, 4), 3, spread=1e4),
    "no tokens": batch((2, 3, 3), holes=1.0),
    "no chains": batch((0, 3, 3)),
    "no cells": batch((2, 0, 3)),
    "tables of each step": batch((3, 5, 3), forbidden=0.1, own="step"),
    "tables of each chain": batch((3, 5, 17), dtype=torch.float32, own="chain"),
    "one cell, no step": batch((2, 1, 3), holes=0.0, own="step"),
}
cases = pytest.mark.parametrize("scores", CASES.values(), ids=CASES)
interpreted = os.environ.get("TRITON_INTERPRET") == "1"
has_triton = importlib.util.find_spec("triton") is not None
in_interpreter = pytest.mark.skipif(not interpreted, reason="runs in a process of its own, below")
# Triton's interpreter computes with numpy, which warns of log 0 = −∞, wanted here.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning:triton")


@pytest.mark.skipif(not has_triton, reason="Triton is not installed")
@pytest.mark.skipif(interpreted, reason="this is that process")
def test_in_the_interpreter():
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--noconftest", __file__],
        env={**os.environ, "TRITON_INTERPRET": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{3 * len(CASES) + 1} passed" in done.stdout


@torch.no_grad()
def compare(module: object, there: tuple, scores: tuple, tags: torch.Tensor | None) -> None:
    """log Z or −log p(tags), and the gradients of each chain."""
    p, its = Potentials(*scores), Potentials(*there)
    found, wanted = module.values(its, tags), differentiable.plain_values(p, tags)  # pyright: ignore
    close(found.cpu(), wanted, rtol=1e-11)
    finite = wanted.abs() < torch.inf
    for b in range(len(scores[0])):
        if not finite[b]:
            continue
        weights = torch.zeros(len(finite), dtype=torch.float64)
        weights[b] = 2.0
        mine = module.gradients(its, tags, weights.to(found.device))  # pyright: ignore
        other = differentiable.plain_gradients(p, tags, weights)
        for one, two in zip(mine, other, strict=True):
            close(one.cpu(), two, rtol=1e-6 if one.dtype == torch.float32 else 1e-11)


@in_interpreter
@cases
@pytest.mark.parametrize("with_tags", [False, True])
def test_values_and_gradients(scores: tuple, with_tags: bool):
    from crf.engines import gpu

    compare(gpu, scores, scores, some_tags(scores) if with_tags else None)


@in_interpreter
@cases
def test_best_paths(scores: tuple):
    from crf.engines import gpu

    exact = [x.double() if x.is_floating_point() else x for x in scores]
    wanted = crf.LinearChain(*exact, backend="plain").viterbi()
    for mine, other in zip(
        gpu.best_paths(Potentials(*scores)), (wanted.tags, wanted.scores), strict=True
    ):
        same(mine, other)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@cases
def test_on_a_gpu(scores: tuple):
    there = tuple(x.cuda() for x in scores)
    found = crf.LinearChain(*there, backend="triton")
    assert engines.choose("triton", found.potentials) is engines.TRITON
    wanted = crf.LinearChain(*scores, backend="plain")
    close(found.log_partition.cpu(), wanted.log_partition, rtol=1e-11)
    close(found.marginals.cpu(), wanted.marginals, rtol=1e-6)
    same(found.viterbi().tags.cpu(), wanted.viterbi().tags)


def test_a_gpu_takes_the_plain_code_unless_triton_is_asked_for():
    p = Potentials(*(x.to("meta") for x in batch((2, 3, 4))))
    assert engines.choose("auto", p) is engines.choose("triton", p) is engines.PLAIN


@pytest.mark.skipif(not has_triton, reason="Triton is not installed")
@pytest.mark.skipif(interpreted, reason="in the interpreter nothing is compiled")
@pytest.mark.filterwarnings("ignore:TRITON_DEFAULT_FP_FUSION")
@pytest.mark.parametrize("kernel", ["_forward", "_backward", "_viterbi"])
@pytest.mark.parametrize("steps", [False, True])
def test_compiles_to_machine_code_without_a_gpu(kernel: str, steps: bool):
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from crf.engines import gpu

    of_other_types = {"mask": "*i1", "tags": "*i64", "backpointers": "*i64", "L": "i32", "S": "i32"}
    of_other_types |= {"of_chain": "i32", "of_step": "i32"}
    of_other_types |= {"values": "*fp64", "alphas": "*fp64", "scores": "*fp64"}
    constants = {"P": 16, "STEPS": steps, "WITH_TAGS": True, "KEEP": True}
    function = getattr(gpu, kernel)
    names = function.arg_names
    types = {n: "constexpr" if n in constants else of_other_types.get(n, "*fp32") for n in names}
    source = ASTSource(function, types, {n: constants[n] for n in names if n in constants})
    assert triton.compile(source, target=GPUTarget("cuda", 90, 32)).asm["cubin"]
