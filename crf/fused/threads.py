"""One kernel over the rows of a batch, on as many threads as torch is told to use.

The kernels release the GIL. numba's own parallel loops are not used: not everywhere may two Python
threads enter them at once.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

import torch

# A thread takes about 50 µs to wake up; a scalar operation of a kernel about 1/8 ns.
WORTH_A_THREAD = 500_000  # B · L · S²

_lock = Lock()
_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    global _pool, _lock
    _pool, _lock = None, Lock()


if hasattr(os, "register_at_fork"):  # threads do not survive a fork
    os.register_at_fork(after_in_child=_forget_pool)


def _shared_pool() -> ThreadPoolExecutor:
    global _pool
    with _lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="crf")
        return _pool


def over_rows(kernel: Callable[..., Any], rows: int, work: int, *arguments: Any) -> None:
    """Call `kernel(*arguments, first, stride)` so that every row is done once.

    Args:
        kernel: A compiled kernel that does the rows first, first + stride, …
        rows: How many rows there are.
        work: How much there is to do: B · L · S².
        arguments: The kernel's other arguments.
    """
    threads = max(1, min(torch.get_num_threads(), rows, work // WORTH_A_THREAD))
    if threads == 1:
        kernel(*arguments, 0, 1)
        return
    pool = _shared_pool()
    others = [pool.submit(kernel, *arguments, first, threads) for first in range(1, threads)]
    try:
        kernel(*arguments, 0, threads)
    finally:
        for other in others:
            other.result()
