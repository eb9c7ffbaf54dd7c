"""How a kernel is compiled: by numba on its first call, without the GIL, and kept on disk.

numba is imported here and in the kernels' modules only, and nothing imports those before a kernel
is called. The cache directory's name holds a hash of the kernels' sources: numba itself notices a
changed function, but not a changed function that it calls in another file.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import pooch

# No flag here lets the compiler assume that there is no nan or no infinity. Sums may be reordered.
FLAGS = {"reassoc", "contract"}


def _cache_directory() -> str:
    sources = b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))
    root = numba.config.CACHE_DIR or pooch.os_cache("linear-chain-crf")  # pyright: ignore
    return str(Path(root, f"kernels-{hashlib.sha256(sources).hexdigest()[:16]}"))


_DIRECTORY = _cache_directory()


def jit(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a kernel: lazily compiled, nogil, cached where a cache can be written."""
    options = {"nogil": True, "error_model": "numpy", "fastmath": FLAGS} | options

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        configured = numba.config.CACHE_DIR  # pyright: ignore
        numba.config.CACHE_DIR = _DIRECTORY  # pyright: ignore
        try:
            return numba.njit(cache=True, **options)(function)
        except RuntimeError:  # no directory can be written: compile in this process, keep nothing
            return numba.njit(**options)(function)
        finally:
            numba.config.CACHE_DIR = configured  # pyright: ignore

    return decorate
