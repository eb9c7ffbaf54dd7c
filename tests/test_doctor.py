"""`crf doctor` and the import beside another package that owns a file of the same name."""

import base64
import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import crf

ROOT = Path(__file__).resolve().parents[1]
FOREIGN = "class CRF:\n    pass\n"


def installed(site: Path, name: str, hashed: str) -> None:
    """What pip leaves of a distribution that owns `crf/__init__.py`."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(hashed.encode()).digest()).rstrip(b"=")
    info = site / f"{name.replace('-', '_')}-0.7.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.7.2\n")
    (info / "RECORD").write_text(f"crf/__init__.py,sha256={digest.decode()},{len(hashed)}\n")
    if name == "linear-chain-crf":
        (info / "direct_url.json").write_text('{"url": "file:///home/me/clone", "dir_info": {}}')


def run(site: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"]
    return subprocess.run(command, cwd=site, capture_output=True, text=True)


@pytest.fixture
def site(tmp_path):
    """The library as it is installed, by links; the file in question is a copy."""
    (tmp_path / "crf").mkdir()
    for path in (ROOT / "crf").iterdir():
        (tmp_path / "crf" / path.name).symlink_to(path)
    own = (ROOT / "crf" / "__init__.py").read_text(encoding="utf-8")
    (tmp_path / "crf" / "__init__.py").unlink()
    for name in ("doctor.py", "compat.py", "__main__.py"):  # Python resolves no links, we might
        (tmp_path / "crf" / name).unlink()
        (tmp_path / "crf" / name).write_bytes((ROOT / "crf" / name).read_bytes())
    (tmp_path / "crf" / "__init__.py").write_text(own, encoding="utf-8")
    installed(tmp_path, "linear-chain-crf", own)
    return tmp_path


DOCTOR = "from crf.__main__ import main; sys.exit(main(['doctor']))"
AGAIN = "pip install --force-reinstall --no-deps /home/me/clone"


def test_the_package_is_whole(site):
    done = run(site, DOCTOR)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("^plain +yes", done.stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("state", "said", "command"),
    [
        pytest.param("uninstalled", "is missing", AGAIN, marks=pytest.mark.thorough),
        ("both", "that of pytorch-crf", f"pip uninstall -y pytorch-crf && {AGAIN}"),
        pytest.param("foreign", "that of another package", AGAIN, marks=pytest.mark.thorough),
    ],
)
def test_another_package_s_module(state, said, command, site):
    file = site / "crf" / "__init__.py"
    if state == "uninstalled":
        file.unlink()
    else:
        file.write_text(FOREIGN)
    if state == "both":
        installed(site, "pytorch-crf", FOREIGN)
    done = run(site, DOCTOR)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.endswith(f"; run: {command}\n")
    done = run(site, "from crf.compat import CRF")  # which takes nothing from that file
    assert f"ImportError: {site}/crf/__init__.py" in done.stderr
    assert done.stderr.endswith(f"; run: {command}\n")


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert crf.__version__ == project["version"]


def test_dir_shows_what_is_public():
    assert {*crf.__all__, "compat", "trace", "__version__"} <= {*dir(crf)}
    for name in dir(crf):
        getattr(crf, name)
        assert name == "__version__" or not name.startswith("_")
    assert not {"Any", "TYPE_CHECKING", "find_spec", "import_module"} & {*dir(crf)}


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (crf, "CRF", "crf.compat.CRF"),
        (crf.ChainCRF(2), "viterbi_decode", ".decode(emissions, mask)"),
        (crf.ChainCRF(2), "viterbi_tags", ".decode(emissions, mask)"),
        (crf.ChainCRF(2), "marginals", ".chain(emissions, mask).marginals"),
        (crf.ChainCRF(2), "topk", ".chain(emissions, mask).topk"),
        (crf.ChainCRF(2), "sample", ".chain(emissions, mask).sample"),
    ],
)
def test_a_name_of_another_library_says_what_to_call(owner, name, call):
    with pytest.raises(AttributeError, match=re.escape(call)):
        getattr(owner, name)


def test_a_project_s_pytest_does_not_know_the_lab():
    """The option comes with `-p crf.lab.pytest_plugin` only, not into every environment."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "entry-points" not in project
