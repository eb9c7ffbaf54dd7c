"""One kernel over the groups of a batch, on as many threads as torch is told to use.

The kernels release the GIL.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from typing import TypeVar

import torch

from .layout import LANES

T = TypeVar("T")

# A thread takes about 50 µs to wake up; one step from one tag to another
# about 1/8 ns.
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


def over_groups(part: Callable[[int, int], T], rows: int, work: int) -> list[T]:
    """Call `part(first, stride)` so that every group of chains is done once.

    Args:
        part: Does the groups first, first + stride, …
        rows: How many chains there are.
        work: How much there is to do: B · L · S².

    Returns:
        What the parts returned, in order.
    """
    if work < 2 * WORTH_A_THREAD or rows <= LANES:
        return [part(0, 1)]
    groups = (rows + LANES - 1) // LANES
    threads = max(1, min(torch.get_num_threads(), groups, work // WORTH_A_THREAD))
    if threads == 1:
        return [part(0, 1)]
    pool = _shared_pool()
    others = [pool.submit(part, first, threads) for first in range(1, threads)]
    try:
        mine = part(0, threads)
    finally:
        wait(others)
    return [mine, *(other.result() for other in others)]
