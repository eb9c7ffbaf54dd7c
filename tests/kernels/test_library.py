"""The extension: threads, libraries for each processor, operators, and which engine answers."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import crf
from crf import engines
from tests.core.batches import batch, small, some_tags
from tests.core.checks import close
from tests.kernels.batches import SHAPES, chain, compare, compare_losses

pytestmark = pytest.mark.skipif(
    not engines.has_kernels(), reason="the C kernels are not built: pip install -e ."
)
kernels = pytest.importorskip("crf.kernels")
KINDS = [("", 0.05), ("", 0.9), ("chain", 0.05), ("step", 0.05)]  # 0.9: over what is possible
WATCHED = "EqualsPlain or Range or one_bad_chain or Boundary or bit or look"


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch):
    before = torch.get_num_threads()
    monkeypatch.setattr(kernels, "WORTH_A_THREAD", 1)
    yield
    torch.set_num_threads(before)


class TestThreads:
    @pytest.mark.parametrize("own", ["", "chain", "step"])
    def test_their_number_changes_no_bit(self, own: str, threads: None):
        scores = batch((100, 12, 6), 1, own=own)
        p, weights = engines.Potentials(*scores), torch.rand(100, dtype=torch.float64)
        found = []
        for number in (1, 3, 8):
            torch.set_num_threads(number)
            total = kernels.sums(p, some_tags(scores), gradients=True)
            given = kernels.gradients(p, None, weights)
            drawn = kernels.samples(p, 3, torch.Generator().manual_seed(0))
            paths = (*kernels.best_paths(p), *kernels.best_lists(p, 3), drawn)
            found.append([total.total, *total.gradients, *given, *paths])
        for other in found[1:]:
            for one, two in zip(found[0], other, strict=True):
                assert torch.equal(one, two)
                assert not one.isnan().any()

    def test_eight_callers_at_once(self, threads: None):
        torch.set_num_threads(2)
        several = [batch((19, 20, 4), seed) for seed in range(8)]
        wanted = [chain(scores, "plain").marginals for scores in several]
        with ThreadPoolExecutor(8) as callers:
            found = callers.map(lambda scores: chain(scores, "kernels").marginals, 5 * several)
            for mine, other in zip(found, 5 * wanted, strict=True):
                close(mine, other)

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
    def test_a_forked_process_gets_threads_of_its_own(self):
        program = (
            "import os, signal, torch\n"
            "from crf import LinearChain, kernels\n"
            "torch.set_num_threads(2)\n"
            "kernels.WORTH_A_THREAD = 1\n"
            "ask = lambda: LinearChain(torch.zeros(99, 4, 3), torch.zeros(3, 3)).log_partition\n"
            "ask()\n"
            "child = os.fork()\n"
            "if not child:\n"
            "    signal.alarm(60)\n"
            "    os._exit(0 if len(ask()) == 99 else 1)\n"
            "assert os.waitpid(child, 0)[1] == 0\n"
        )
        command, root = [sys.executable, "-W", "error", "-c", program], Path(__file__).parents[2]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
        assert (done.returncode, done.stderr) == (0, "")


class TestLibraries:
    @pytest.mark.parametrize(
        ("name", "dtype"),
        [
            ("chains", torch.float64),
            ("chains_avx2", torch.float32),
            ("chains_avx512", torch.float64),
            pytest.param("chains", torch.float32, marks=pytest.mark.thorough),
            pytest.param("chains_avx2", torch.float64, marks=pytest.mark.thorough),
            pytest.param("chains_avx512", torch.float32, marks=pytest.mark.thorough),
        ],
        ids=str,
    )
    def test_every_width_of_vectors_and_columns(
        self, name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
    ):
        path, widest = kernels.built(name), torch.backends.cpu.get_cpu_capability()
        wider = {"AVX2": ("chains_avx512",), "AVX512": ()}.get(
            widest, ("chains_avx2", "chains_avx512")
        )
        if path is None or name in wider:
            pytest.skip("not built, or not for this processor")
        library = kernels.library_at(str(path))
        monkeypatch.setattr(kernels, "libraries", [library])
        for shape, (own, forbidden) in product(SHAPES, KINDS):
            scores = batch(shape, 7, forbidden=forbidden, dtype=dtype, own=own)
            compare(scores)
            compare_losses(scores)

    def test_without_them_the_plain_code_serves_and_nothing_is_said(self, monkeypatch):
        """The folder is there; without it continuous integration tests a copy of the library."""
        monkeypatch.setattr(kernels, "built", lambda name: None)
        libraries, about = kernels.load()
        assert not libraries
        assert "was not built: install a C compiler" in about
        monkeypatch.setattr(engines, "KERNELS", None)  # as it is then, where crf is imported
        assert not engines.has_kernels()
        model, emissions, tags = small(backend="kernels")
        model(emissions.requires_grad_(), tags).backward()
        assert len(model.decode(emissions)) == 2

    def test_one_of_another_version_is_refused(self, monkeypatch: pytest.MonkeyPatch):
        other = SimpleNamespace(crf_call_size=lambda: 8)
        monkeypatch.setattr(ctypes, "CDLL", lambda path: other)
        libraries, about = kernels.load()
        assert not libraries
        assert "another version of the library): install the package again" in about

    @pytest.mark.thorough
    def test_sanitizers_find_nothing(self, tmp_path: Path):
        """The whole of this file once more, with a library that watches every access."""
        source = Path(kernels.__file__).with_name("chains.c")
        flags = "-std=gnu11 -O1 -g -fPIC -shared -Wno-psabi -mavx2 -mfma".split()
        flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
        library = tmp_path / "chains.so"
        subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
        command = ["gcc", "-print-file-name=libasan.so"]
        asan = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        done = subprocess.run(
            [
                *f"{sys.executable} -m pytest -q -s -x -p no:cacheprovider -k".split(),
                WATCHED,
                str(Path(__file__).parent),
            ],
            env=os.environ
            | {"LD_PRELOAD": asan, "ASAN_OPTIONS": "detect_leaks=0", "CRF_LIBRARY": str(library)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]

    def test_memory_does_not_grow(self):
        *scores, mask = batch((4, 30, 20), 2)
        leaves = [x.requires_grad_() for x in scores]

        def work(times: int) -> int:
            for _ in range(times):
                its = crf.LinearChain(*leaves, mask, backend="kernels")
                its.log_partition.sum().backward()
                its.viterbi()
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB on Linux

        before = work(100)
        assert work(400) - before < 4_000  # a leak of one [B, L, S] table a call: 7.5 MiB


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's own, inside opcheck
class TestOperators:
    @pytest.mark.parametrize("with_tags", [False, True])
    def test_registration(self, with_tags: bool):
        importlib.import_module("crf.kernels.operators")
        *scores, mask = batch((2, 4, 3), 1)
        scores[0] = scores[0].nan_to_num(0.0)  # opcheck compares inputs, and nan is not nan
        tags = some_tags((*scores, mask)) if with_tags else None
        weights = torch.tensor([2.0, -3.0], dtype=torch.float64)
        torch.library.opcheck(torch.ops.crf.gradients.default, (*scores, mask, tags, weights))
        torch.library.opcheck(torch.ops.crf.best_paths.default, (*scores, mask))
        given = (*(x.requires_grad_() for x in scores), mask)
        torch.library.opcheck(torch.ops.crf.values.default, (*given, tags))


class TestChoice:
    def test_what_the_kernels_take(self):
        p = engines.Potentials(*batch((2, 4, 3)))
        assert engines.choose("auto", p) is engines.KERNELS
        assert engines.choose("plain", p) is engines.PLAIN
        meta = engines.Potentials(*(x.to("meta") for x in p))
        assert engines.choose("auto", meta) is engines.PLAIN
