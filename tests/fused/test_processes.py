"""Threads, caches on disk, forks and memory."""

from __future__ import annotations

import gc
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from crf import fused
from crf.fused import threads
from tests.core.checks import close, same
from tests.fused.batches import batch, chain, some_tags
from tests.fused.processes import run

DECODE = """
import torch
from crf import fused
scores = torch.zeros(1, 2, 3), torch.eye(3), *torch.zeros(2, 3), torch.ones(1, 2, dtype=torch.bool)
print(fused.viterbi(*scores)[0].tolist())
"""


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 1)
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


class TestThreads:
    def test_two_agree_with_one(self, two_threads: None):
        scores = batch((19, 30, 6), 1)
        leaves = [x.clone().requires_grad_() for x in scores[:4]]
        results = []
        for number in (1, 2):
            torch.set_num_threads(number)
            value = fused.log_prob(*leaves, scores[4], some_tags(scores))
            gradients = torch.autograd.grad(value.sum(), leaves)
            seeded = torch.Generator().manual_seed(5)
            feasible = fused.sample(*scores, 3, seeded)
            results.append([value, *gradients, *fused.viterbi(*scores), feasible])
        for one, two in zip(*results, strict=True):
            same(two, one) if one.dtype == torch.long else close(two, one)

    def test_torch_is_obeyed(self, two_threads: None):
        assert threads.over_groups(lambda *x: x, 17, 10**9) == [(0, 2), (1, 2)]
        assert threads.over_groups(lambda *x: x, 8, 10**9) == [(0, 1)]  # one group
        torch.set_num_threads(1)
        assert threads.over_groups(lambda *x: x, 17, 10**9) == [(0, 1)]

    def test_what_fails_in_a_thread_is_raised(self, two_threads: None):
        def part(first: int, stride: int) -> None:
            if first:
                raise FloatingPointError(f"group {first}")

        with pytest.raises(FloatingPointError, match="group 1"):
            threads.over_groups(part, 17, 10**9)

    def test_eight_callers_at_once(self, two_threads: None):
        batches = [batch((19, 20, 4), seed) for seed in range(8)]
        wanted = [chain(scores, "plain").marginals for scores in batches]
        with ThreadPoolExecutor(8) as callers:
            for _ in range(5):
                found = callers.map(lambda scores: fused.marginals(*scores), batches)
                for mine, other in zip(found, wanted, strict=True):
                    close(mine, other)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
    def test_a_forked_process_gets_threads_of_its_own(self):
        run(
            "import os, torch\n"
            "from crf.fused import threads\n"
            "torch.set_num_threads(2)\n"
            "threads.WORTH_A_THREAD = 1\n"
            "threads.over_groups(lambda *x: x, 17, 9)\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    calls = threads.over_groups(lambda *x: x, 17, 9)\n"
            "    os._exit(0 if len(calls) == 2 else 1)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
        )


class TestCache:
    def test_a_cold_one_is_filled_and_used_again(self, tmp_path: Path):
        assert run(DECODE, NUMBA_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"
        filled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.o")}
        assert filled
        assert run(DECODE, NUMBA_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.o")} == filled

    def test_a_damaged_one_is_made_again(self, tmp_path: Path):
        run(DECODE, NUMBA_CACHE_DIR=str(tmp_path))
        for path in tmp_path.rglob("*.o"):
            path.write_bytes(path.read_bytes()[:-1])
        assert run(DECODE, NUMBA_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"

    def test_without_one_that_can_be_written(self, tmp_path: Path):
        blocked = tmp_path / "a-file"
        blocked.write_text("not a directory")  # root may write to any directory, but not into this
        assert run(DECODE, NUMBA_CACHE_DIR=str(blocked)) == "[[0, 0]]\n"
        assert blocked.read_text() == "not a directory"


class TestMemory:
    def test_it_does_not_grow(self):
        *scores, mask = batch((4, 30, 20), 2)
        leaves = [x.requires_grad_() for x in scores]

        def work(times: int) -> int:
            for _ in range(times):
                fused.log_partition(*leaves, mask).sum().backward()
                fused.viterbi(*leaves, mask)
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux

        before = work(500)
        assert work(10_000) - before < 8_000  # a leak of one [B, L, S] table a call: 187 MiB
