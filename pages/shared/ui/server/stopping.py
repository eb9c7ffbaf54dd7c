"""What must end before the server can: it waits for each answer that is under way."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any


def when_told_to_stop(act: Callable[[], object]) -> None:
    """Call `act` in this event loop when the server is told to stop, by SIGINT or SIGTERM."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        before = signal.getsignal(number)

        def stop(signum: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(act)
            if callable(before):
                before(signum, frame)

        with suppress(ValueError):  # not in the main thread, as under another server
            signal.signal(number, stop)
