"""File descriptors: as many as the system allows, and a log that stays short without them."""

import asyncio
import logging
import time
from contextlib import suppress
from typing import Any

try:
    import resource
except ImportError:  # on Windows, where there is no such limit
    resource = None

USUAL_MOST = 65_536  # descriptors; no class needs more
OWN = 100  # that the server needs for its files and its store
PERIOD = 60.0  # seconds between two lines of the log that say the same
_LOGS = ("uvicorn.error", "asyncio")


def raise_limit() -> int:
    """Have the process open as many files as it may; how many that is."""
    if resource is None:
        return USUAL_MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    least = soft if soft != resource.RLIM_INFINITY else USUAL_MOST
    most = USUAL_MOST if hard == resource.RLIM_INFINITY else min(hard, USUAL_MOST)
    for limit in (most, 10_240, 4_096):  # macOS says "unlimited" and refuses what is too much
        if least < limit <= most:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return limit
    return least


class OncePerMinute(logging.Filter):
    """Let a message through once a minute, whatever fills its holes.

    What anybody can cause as often as they like, such as a refused handshake, fills no disk.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[object, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """See `logging.Filter`."""
        error = record.exc_info[1] if record.exc_info else None
        trace = error.__traceback__ if error else None
        while trace and trace.tb_next:
            trace = trace.tb_next
        where = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace else None
        return self.is_due((record.name, str(record.msg)[:200], type(error), where))

    def is_due(self, what: object) -> bool:
        """Whether this may be said now; then it has been."""
        now = time.monotonic()
        if now - self._last.get(what, -PERIOD) < PERIOD:
            return False
        if len(self._last) >= 1000:
            self._last.clear()
        self._last[what] = now
        return True


def keep_log_short() -> None:
    """Have this loop, and what logs for it, say the same thing once a minute at most."""
    once = OncePerMinute()
    for name in _LOGS:
        logging.getLogger(name).addFilter(once)

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if once.is_due((context.get("message"), type(error))):
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(handle)
