"""`crf doctor`: whether the installed package is whole, and which code computes here.

Another distribution may own a file of the same name: pytorch-crf's wheel holds a stale
`crf/__init__.py`, which replaces ours, and takes ours away when it is uninstalled. So this module
takes nothing from `crf` itself.
"""

import base64
import hashlib
import importlib.util
import json
import sys
from importlib import metadata
from pathlib import Path

NAME = "linear-chain-crf"
_FILE = "crf/__init__.py"


def fault(folder: Path = Path(__file__).parent) -> str | None:
    """Return what is wrong with `crf/__init__.py`, and the command that repairs it; None if whole.

    Args:
        folder: The folder of the package.
    """
    ours = _installed_in(folder)
    there = folder / "__init__.py"
    others = [name for name in _owners(folder.parent) if name != NAME]
    if not there.exists():
        problem = "is missing, as after `pip uninstall pytorch-crf`, which takes it away"
    elif _is_ours(there, ours):
        return None
    else:
        problem = f"is not ours but that of {' and '.join(others) or 'another package'}"
    remove = "".join(f"pip uninstall -y {name} && " for name in others)
    return (
        f"{there} {problem}; run: {remove}pip install --force-reinstall --no-deps {_source(ours)}"
    )


def refuse_a_broken_package() -> None:
    """Raise an ImportError beside a missing or foreign `crf/__init__.py`."""
    if problem := fault():
        raise ImportError(problem)


def _installed_in(folder: Path) -> metadata.Distribution | None:
    """Our distribution if its files are here; None in a clone."""
    found = metadata.distributions(name=NAME, path=[str(folder.parent)])
    return next((d for d in found if any(str(file) == _FILE for file in d.files or ())), None)


def _owners(site: Path) -> list[str]:
    """The distributions that say the file is theirs."""
    found = metadata.distributions(path=[str(site)])
    return [d.name for d in found if any(str(file) == _FILE for file in d.files or ())]


def _is_ours(there: Path, ours: metadata.Distribution | None) -> bool:
    """Whether the file is the one that was installed with us; in a clone, whether it looks so."""
    text = there.read_bytes()
    recorded = [file.hash for file in (ours.files or ()) if str(file) == _FILE] if ours else []
    if not recorded or recorded[0] is None:
        return b"LinearChain" in text
    digest = hashlib.new(recorded[0].mode, text).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == recorded[0].value


def _source(ours: metadata.Distribution | None) -> str:
    """What pip installed us from: a folder, a file, a repository, or the name in an index."""
    if ours is None:
        return "."
    origin = json.loads(ours.read_text("direct_url.json") or "{}").get("url", NAME)
    return origin.removeprefix("file://")


def report() -> str:
    """Return for each backend whether it is installed, and which one "auto" chooses."""
    import torch

    from . import engines

    kernels = "no: the folder crf/kernels is missing"
    if engines.kernels is not None:
        kernels = f"{'yes' if engines.has_kernels() else 'no'}: {engines.kernels.about}"
    if importlib.util.find_spec("triton") is None:
        triton = "no: triton is not installed"
    else:
        triton = (
            "yes: for chains on a GPU" if torch.cuda.is_available() else "no: torch finds no GPU"
        )
    return f"""\
{NAME} {version()}
torch {torch.__version__}, {torch.get_num_threads()} threads
plain    yes: the code of the textbook
kernels  {kernels}
triton   {triton}
auto     {"kernels" if engines.has_kernels() else "plain"} on a CPU, plain elsewhere"""


def version() -> str:
    """The version, and where the package is."""
    package = sys.modules[__package__ or "crf"]
    return f"{getattr(package, '__version__', '(broken)')}, in {Path(__file__).parent}"


def run() -> int:
    """Print the report, or what is wrong; the exit code is 0 or 1."""
    if problem := fault():
        print(f"crf doctor: {problem}", file=sys.stderr)
        return 1
    print(report())
    return 0
