"""Kernels as machine code: compiled once, kept on disk, called by their address.

A kernel is one function over plain pointers; with all that it calls it is one object file, in a
folder whose name holds a hash of the kernels' sources, the compiler's version and the processor.
"""

import ctypes
import functools
import hashlib
import os
import platform
import struct
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import Any

import torch

# A kernel's arguments, a letter each: pointers to scores (s), doubles (d), 64-bit integers (t) and
# bytes (m); a 64-bit integer (i), a double (x). All return a 64-bit integer.
KERNELS = {
    "expectations": "ssssmtddsssssddtiiiixii",
    "best_paths": "ssssmtsmtdtiiiiii",
    "sampling": "ssssmdtdtiiiiii",
    "quick_look": "ssssiii",
    "pairs_of_tags": "ssssmstdtiiiiii",
    "divergence": "ssssssssmdtdtiiiiii",
    "covariances": "ssssddddmdsdtdtiiiiii",
    "step_by_step": "ssssmtdssssdtsiiiiiixii",
    "weighted": "ssssssiiiii",
    "best_lists": "ssssmtddtiiiiiii",
}
SCORES = {torch.float32: "float32", torch.float64: "float64"}

_lock = RLock()
if hasattr(os, "register_at_fork"):  # a fork waits for the compiler: its locks would stay shut
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )
_engines: list[Any] = []  # what holds the machine code: never let go


@functools.cache
def kernel(name: str, dtype: torch.dtype) -> Callable[..., int]:
    """The kernel for scores of a precision: read from disk, or compiled, which takes seconds.

    It releases the GIL. Pointers are passed as integers, 0 for one that is not used.

    Args:
        name: A kernel of `KERNELS`.
        dtype: `torch.float32` or `torch.float64`.

    Raises:
        ImportError: The compiler is not installed.
    """
    with _lock:
        place = _place(name, SCORES[dtype])
        code = _read(place) if place else None
        if code is None:
            code = _compile(name, SCORES[dtype])
            if place:
                _write(place, code)
        return _load(code, f"crf_{name}", KERNELS[name])


def _compile(name: str, scores: str) -> bytes:
    """The object file of a kernel, whose entry is called crf_NAME."""
    from .compiler import object_code

    function = getattr(import_module(f".{name}", __package__), name)
    exact = name in ("best_paths", "best_lists")
    return object_code(function, KERNELS[name], scores, f"crf_{name}", exact=exact)


def _load(code: bytes, symbol: str, letters: str) -> Callable[..., int]:
    """The kernel in an object file."""
    from .compiler import llvm

    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(jit=True, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    pack = struct.Struct("".join("d" if letter == "x" else "q" for letter in letters)).pack
    prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p)
    call = prototype(engine.get_function_address(symbol))
    return lambda *arguments: call(pack(*arguments))


def _place(name: str, scores: str) -> Path | None:
    """Where the object file is kept; None where nothing can be."""
    try:
        return cache_home() / _version() / f"{name}-{scores}.o"
    except RuntimeError:  # this user has no home
        return None


@functools.cache
def _version() -> str:
    """The folder's name: other sources, another compiler or processor have another one."""
    from .compiler import host_features, llvm

    of = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        of.update(path.read_bytes())
    versions = (version("llvmlite"), platform.machine(), sys.platform)
    of.update(repr((*versions, llvm.get_host_cpu_name(), host_features())).encode())
    return f"kernels-{of.hexdigest()[:16]}"


def cache_home() -> Path:
    """Where this user's programs keep what can be made again: CRF_CACHE_DIR, if that is set.

    Raises:
        RuntimeError: The user has no home.
    """
    given = os.environ.get("CRF_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "linear-chain-crf"


def _read(place: Path) -> bytes | None:
    """The code that was kept; None if there is none, or if it is damaged."""
    try:
        kept = place.read_bytes()
    except OSError:
        return None
    digest, code = kept[:32], kept[32:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(place: Path, code: bytes) -> None:
    """Keep the code, if a directory can be written; another process may do the same just now."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as file:
            try:
                file.write(hashlib.sha256(code).digest() + code)
                file.close()
                os.replace(file.name, place)
            except OSError:  # a full disk: nothing of it is left
                os.unlink(file.name)
    except OSError:
        return
