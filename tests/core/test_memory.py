"""The plain code's memory and precision, as a GPU would meet them; measured on the CPU."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch

import crf
from crf.core import potentials
from tests.core.batches import batch, some_tags

PROGRAM = """
import resource, sys, torch, crf

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # MiB on Linux

B, L, S = 4, 500, 512
torch.set_num_threads(1)
emissions, tags = torch.randn(B, L, S, requires_grad=True), torch.zeros(B, L, dtype=torch.long)
model, ask = crf.ChainCRF(S, backend="plain"), sys.argv[1]
before = peak()
model(emissions, tags).backward() if ask == "loss" else model.decode(emissions)
print(peak() - before)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the memory")
@pytest.mark.parametrize("ask", ["loss", "decode"])
def test_no_step_keeps_its_pairs_of_tags(ask: str):
    """Automatic differentiation would keep [B, S, S] of each of 500 steps, 2,000 MiB in float32."""
    root = Path(crf.__file__).parents[1]
    command = [sys.executable, "-c", PROGRAM, ask]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 600


@pytest.mark.parametrize(("B", "L", "S"), [(4, 50, 17), (2, 500, 64), (1, 4000, 9)])
@pytest.mark.parametrize("spread", [1.0, pytest.param(5.0, marks=pytest.mark.thorough)])
def test_columns_of_float32_are_within_a_hundred_thousandth(
    B: int, L: int, S: int, spread: float, monkeypatch: pytest.MonkeyPatch
):
    """What CUDA computes with, since many GPUs take 32 or 64 times as long for float64."""
    scores = batch((B, L, S), 1, spread=spread, dtype=torch.float32)
    right = crf.LinearChain(*scores, backend="plain").to(dtype=torch.float64)
    tags = right.viterbi().tags.where(torch.rand(B, L) < 0.9, some_tags(scores))
    wanted = [right.log_partition, right.log_prob(tags), right.marginals]
    precision = potentials.working_precision
    monkeypatch.setattr(
        potentials, "working_precision", lambda device, dtype: precision("cuda", dtype)
    )
    leaf = scores[0].clone().requires_grad_()
    narrow = crf.LinearChain(leaf, *scores[1:], backend="plain")
    assert narrow.potentials.emissions.dtype == torch.float32
    log_z = narrow.log_partition
    (slope,) = torch.autograd.grad(narrow.log_partition.sum(), leaf)
    for found, exact in zip((log_z, narrow.log_prob(tags)), wanted[:2], strict=True):
        assert ((found - exact) / exact).abs().max() < 1e-5
    for found in (narrow.marginals, slope):
        assert (found - wanted[2]).abs().max() < 1e-5
    same_paths = narrow.viterbi().tags == right.viterbi().tags
    assert same_paths.all()
