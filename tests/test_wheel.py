"""The wheel alone, in an environment of its own: what it holds, what it runs, what checkers see."""

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.thorough

RIGHT = """
import torch
from crf import ChainCRF, Constraints, LinearChain

crf = ChainCRF(3, Constraints.bio(["O", "B-X", "I-X"]))
e = torch.zeros(1, 2, 3)
chain = crf.chain(e)
reveal_type(chain)  # LinearChain
reveal_type(chain.marginals)  # Tensor
reveal_type(chain.log_partition)  # Tensor
reveal_type(chain.entropy)  # Tensor
reveal_type(chain.topk(3).log_probs)  # Tensor
reveal_type(chain.viterbi().tags)  # Tensor
reveal_type(chain.sample(4))  # Tensor
reveal_type(crf.decode(e))  # list[list[int]]
reveal_type(chain.entities(["O", "B-X", "I-X"])[0][0].probability)  # float
reveal_type(crf.partial_nll(e, [[{0}, None]]))  # Tensor
"""
WRONG = """
import torch
from crf import ChainCRF, LinearChain

crf, e = ChainCRF(3), torch.zeros(1, 2, 3)
crf.decode(e, mask="x")
crf.decode(e, allowed=3)
crf.chain(e).topk("3")
LinearChain(e, [[0.0]])
crf.nonsense(e)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An environment with the wheel and what it depends on, and nothing else."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder)]
    subprocess.run([*pip, str(ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    (wheel,) = folder.glob("linear_chain_crf-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    import torch

    own = Path(torch.__file__).parents[1]
    for name in ("torch", "torchgen", "numpy", "numpy.libs", "typing_extensions.py", "sympy"):
        (site / name).symlink_to(own / name)
    for name in ("mpmath", "filelock", "networkx", "jinja2", "markupsafe", "fsspec", "nvidia"):
        if (own / name).exists():
            (site / name).symlink_to(own / name)
    return site


def test_it_is_small_and_under_one_licence(site):
    (wheel,) = site.parents[3].glob("*.whl")
    assert wheel.stat().st_size < 1_000_000
    (metadata,) = site.glob("linear_chain_crf-*.dist-info/METADATA")
    assert re.search(r"^License-Expression: MIT$", metadata.read_text(), re.MULTILINE)


def test_the_ten_lines_of_the_readme_run(site):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"## The library in ten lines\n\n```python\n(.*?)```", text, re.DOTALL)[1]
    python = site.parents[2] / "bin" / "python"
    done = subprocess.run([python, "-c", code], cwd=site, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not shutil.which("pyright"), reason="pyright is not installed")
def test_a_checker_sees_tensors_and_reports_wrong_calls(site, tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    python = site.parents[2] / "bin" / "python"
    command = ["pyright", "--pythonpath", str(python), "right.py", "wrong.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    revealed = re.findall(r'Type of ".*" is "(.*)"', said)
    assert revealed == re.findall(r"# (\S.*)$", RIGHT, re.MULTILINE), said
    lines = {int(n) for n in re.findall(r"wrong\.py:(\d+):\d+ - error", said)}
    assert lines == {6, 7, 8, 9}, said
    assert "right.py:1 - error" not in said
