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
from crf.fused import native, threads
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

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
    @pytest.mark.thorough
    def test_a_fork_while_another_thread_compiles(self, tmp_path: Path):
        run(
            "import os, signal, threading, torch\n"
            "from crf.fused import native\n"
            "compile, begun = native._compile, threading.Event()\n"
            "native._compile = lambda *which: begun.set() or compile(*which)\n"
            "thread = threading.Thread(target=native.kernel, args=('sampling', torch.float64))\n"
            "thread.start()\n"
            "begun.wait()\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    signal.alarm(60)\n"
            "    native.kernel('best_paths', torch.float64)\n"
            "    os._exit(0)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
            "thread.join()\n",
            CRF_CACHE_DIR=str(tmp_path),
        )


WITHOUT = """
import sys, warnings
from importlib.machinery import ModuleSpec
class Broken:
    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name == "llvmlite" else None
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        raise OSError("no libLLVM")
{so}
import torch, crf
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = crf.ChainCRF(3)
    emissions = torch.randn(2, 4, 3, requires_grad=True)
    model(emissions, torch.zeros(2, 4, dtype=torch.long)).backward()
    chain = model.chain(emissions)
    chain.viterbi(), chain.sample(2), chain.marginals, chain.entropy, model.decode(emissions)
    torch.compile(lambda x: model.chain(x).log_partition, backend="eager")(emissions)
print(*{{(c.category.__name__, str(c.message)) for c in caught}})
"""


@pytest.mark.thorough
class TestWithoutTheCompiler:
    @pytest.mark.parametrize(
        "so",
        [
            pytest.param("sys.modules['llvmlite'] = None", id="missing"),
            pytest.param(
                "sys.meta_path.insert(0, Broken())", id="broken", marks=pytest.mark.thorough
            ),
        ],
    )
    def test_the_plain_code_serves(self, so: str):
        said = run(WITHOUT.format(so=so))
        assert said.count("RuntimeWarning") == 1
        assert "install llvmlite" in said


@pytest.mark.thorough
class TestCache:
    def test_a_cold_one_is_filled_and_used_again(self, tmp_path: Path):
        assert run(DECODE, CRF_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"
        filled = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.o")}
        assert filled
        assert run(DECODE, CRF_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"
        assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.o")} == filled

    @pytest.mark.thorough
    def test_a_damaged_one_is_made_again(self, tmp_path: Path):
        run(DECODE, CRF_CACHE_DIR=str(tmp_path))
        for path in tmp_path.rglob("*.o"):
            path.write_bytes(path.read_bytes()[:-1])
        assert run(DECODE, CRF_CACHE_DIR=str(tmp_path)) == "[[0, 0]]\n"

    def test_without_one_that_can_be_written(self, tmp_path: Path):
        blocked = tmp_path / "a-file"
        blocked.write_text("not a directory")  # root may write to any directory, but not into this
        assert run(DECODE, CRF_CACHE_DIR=str(blocked)) == "[[0, 0]]\n"
        assert blocked.read_text() == "not a directory"

    def test_without_a_home(self):
        program = "import os, pathlib\n" + (
            "def home(): raise RuntimeError('no home')\n"
            "pathlib.Path.home = home\n"
            "for name in ('CRF_CACHE_DIR', 'XDG_CACHE_HOME', 'LOCALAPPDATA'):\n"
            "    os.environ.pop(name, None)\n"
        )
        assert run(program + DECODE) == "[[0, 0]]\n"

    def test_a_full_disk_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        def full(*_: object) -> None:
            raise OSError("no space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", full)
            native._write(tmp_path / "kernel.o", b"code")
        assert not list(tmp_path.iterdir())
        native._write(tmp_path / "kernel.o", b"code")
        assert native._read(tmp_path / "kernel.o") == b"code"

    def test_other_sources_compilers_and_processors_have_others(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        from crf.fused import compiler

        of = native._version.__wrapped__  # what is cached
        versions = [of()]
        with monkeypatch.context() as patched:
            patched.setattr(native, "version", lambda _: "0.0")
            versions.append(of())
        with monkeypatch.context() as patched:
            patched.setattr(compiler.llvm, "get_host_cpu_name", lambda: "z80")
            versions.append(of())
        with monkeypatch.context() as patched:
            patched.setattr(compiler, "host_features", lambda: "+none")
            versions.append(of())
        (tmp_path / "native.py").write_text("other sources")
        with monkeypatch.context() as patched:
            patched.setattr(native, "__file__", str(tmp_path / "native.py"))
            versions.append(of())
        assert len(set(versions)) == 5
        assert of() == versions[0]


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
