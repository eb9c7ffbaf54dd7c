"""Each benchmark runs once, small, as its command: one that nobody runs breaks unseen."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import gpu

ROOT = Path(__file__).resolve().parents[1]
# What is measured by `benchmarks.sessions` takes a hundred sessions; `interface` runs `typists`.
LEFT_OUT = {"sessions", "typists"}
COMMANDS = {
    "core": ["--quick"],
    "cliffs": ["--rounds", "1"],
    "gpu": [],
    "chart": ["benchmarks/results.json", "{folder}/chart.svg"],
    "pages": ["forward"],
    "classroom": ["--phones", "3", "--votes", "3", "--beats", "1"],
    "first_visit": ["--times", "1"],
    "interface front": ["--times", "1"],
    "interface lessons": ["--times", "1"],
    "interface dragging": ["--times", "1"],
    "interface typing": ["--times", "1"],
}
IN_A_BROWSER = {"pages", "interface", "first_visit"}
PEER = "from crf.compat import CRF as CRF\n"  # stands in for pytorch-crf
REHEARSAL = """
import json
from benchmarks import gpu
from crf import engines
from crf.engines import gpu as kernels

engines.on_a_gpu = lambda p: not p.per_step  # Triton's interpreter computes on the CPU
shapes = [(2, 3, 3), (1, 2, 17)]
few = {"one_chain": (1, 3, 5), "few_allowed": (2, 3, 5)}
found = gpu.measure("cpu", shapes, 1, 0.1, (2, 3, 3), per_step=shapes[:1], **few)
right = kernels.values
kernels.values = lambda p, tags: right(p, tags) + 1.0
print(json.dumps(found | {"of a wrong kernel": gpu.agreement(shapes, "cpu")}))
"""


def run(*command: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command of Python's, from the repository; with a stand-in for pytorch-crf."""
    (folder / "torchcrf.py").write_text(PEER, encoding="utf-8")
    paths = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **variables},
        capture_output=True,
        text=True,
        timeout=1200,
    )


def test_every_benchmark_is_here():
    scripts = {
        path.stem
        for path in (ROOT / "benchmarks").glob("*.py")
        if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
    }
    assert scripts == LEFT_OUT | {name.split()[0] for name in COMMANDS}


@pytest.mark.thorough
@pytest.mark.parametrize("name", COMMANDS)
def test_it_runs(name: str, tmp_path: Path):
    if name.split()[0] in IN_A_BROWSER and not shutil.which("chromium"):
        pytest.skip("no chromium")
    module, *part = name.split()
    arguments = [text.format(folder=tmp_path) for text in COMMANDS[name]]
    done = run("-m", f"benchmarks.{module}", *part, *arguments, folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout or (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.thorough
def test_the_run_on_a_gpu_on_the_cpu(tmp_path: Path):
    """Whole, in Triton's interpreter: every contender, question and shape, in one line."""
    pytest.importorskip("triton", reason="Triton is not installed")
    done = run("-c", REHEARSAL, folder=tmp_path, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = done.stdout.splitlines()
    found = json.loads(line)
    assert "skipped" in found["tests"]
    assert "FAILED" not in found["tests"]
    assert max(found["agreement"].values()) < 1e-6 < 0.1 < found["of a wrong kernel"]["loss"]
    assert set(found["one_chain"][0]["nll"]) == {"plain", "pytorch-crf"}
    assert set(found["few_allowed"][0]["viterbi"]) == {"plain", "all allowed"}
    contenders = {"triton", "plain", "pytorch-crf"}
    assert [row["shape"] for row in found["warm"]] == [[2, 3, 3], [1, 2, 17]]
    for times in (
        *(row[q] for row in found["warm"] for q in ("nll", "viterbi")),
        found["training_step"],
    ):
        assert times.keys() == contenders
        assert all(one["ms"] > 0 and math.isfinite(one["ratio"]) for one in times.values())
        assert times["triton"]["ratio"] == 1.0


def test_without_a_gpu_the_run_on_one_says_so(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu"])
    monkeypatch.setattr(gpu.torch.cuda, "is_available", lambda: False)
    assert gpu.main() == 0
    assert capsys.readouterr().out.startswith("no GPU here, so nothing is measured")


@pytest.mark.thorough
def test_another_package_named_crf_is_not_measured(tmp_path: Path):
    """The wheel of pytorch-crf 0.7.2 brings one."""
    (tmp_path / "crf").mkdir()
    (tmp_path / "crf" / "__init__.py").touch()
    done = run("-P", "-m", "benchmarks.gpu", folder=tmp_path)
    assert done.returncode == 1
    assert "another crf hides this one" in done.stderr
