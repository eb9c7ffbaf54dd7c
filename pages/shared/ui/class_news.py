"""What goes on in the class, pushed to every phone as it changes.

A browser that waits for news costs no run of a page: one task on each server reads the store, and
whoever waits is told. Asked once a second by a fragment of each page, two hundred readers would
take most of a core's time to hear that nothing has happened.
"""

import asyncio
import json
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from pages.shared.course.classroom.classroom import Classroom, StoreError
from pages.shared.course.classroom.store import Now
from pages.shared.ui import class_panel
from pages.shared.ui.server.connections import held

PERIOD = 0.1  # seconds between two readings of the store
BEAT = 15.0  # seconds between two signs of life, so that no proxy takes a quiet line for a dead one
EMPTIED, MOVED = "emptied", "moved"  # the last news of a line: join anew; another line has begun


class _Line:
    """One phone's line.

    Attributes:
        emptied: How often the room had been emptied when it began.
        changed: Set when there is news.
        is_last: False once the same student has another line.
    """

    def __init__(self, emptied: int) -> None:
        self.emptied, self.changed, self.is_last = emptied, asyncio.Event(), True


class News:
    """What goes on, read by one task and told to everybody who waits."""

    def __init__(self, room: Classroom) -> None:
        self.room, self.now, self.said = room, Now(serial=-1), ""
        self.lines: dict[str, _Line] = {}  # by student
        self.over = False

    async def read(self) -> None:
        """Read the store again and again; while it does not answer, nothing is news."""
        beaten = -BEAT
        while not self.over:
            with suppress(StoreError):
                now = await asyncio.to_thread(self.room.now)
                if now != self.now:
                    self.now, self.said = now, said(self.room, now)
                    self._tell()
                if time.monotonic() - beaten >= BEAT:
                    beaten = time.monotonic()
                    await asyncio.to_thread(self.room.store.heard, list(held))
            await asyncio.sleep(PERIOD)

    def _tell(self) -> None:
        for line in self.lines.values():
            line.changed.set()

    async def stream(self, student: str) -> AsyncIterator[str]:
        """What one phone is sent: what goes on now, then each change.

        A phone that wakes up may not have closed its last line: the newest counts.

        Args:
            student: Whose phone it is; their earlier line ends.
        """
        line = _Line(self.room.emptied)
        if earlier := self.lines.get(student):
            earlier.is_last = False
            earlier.changed.set()
        self.lines[student] = line
        try:
            async for news in self._news(line):
                yield news
        finally:
            if self.lines.get(student) is line:
                del self.lines[student]

    async def _news(self, line: "_Line") -> AsyncIterator[str]:
        yield "retry: 1000\n\n"
        told = None
        while not self.over:
            line.changed.clear()
            if not line.is_last or line.emptied != self.room.emptied:
                yield f"event: {EMPTIED if line.is_last else MOVED}\ndata: 1\n\n"
                return
            if self.said and self.said != told:
                told = self.said
                yield f"data: {told}\n\n"
                continue
            try:
                await asyncio.wait_for(line.changed.wait(), BEAT)
            except TimeoutError:
                yield ": still here\n\n"

    def end_with_server(self) -> None:
        """End all streams when the server is told to stop: it waits for them."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            self.over = True
            self._tell()

        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)

            def stop(sent: int, frame: Any, before: Any = before) -> None:
                loop.call_soon_threadsafe(end)
                if callable(before):
                    before(sent, frame)

            with suppress(ValueError):  # not in the main thread, as under another server
                signal.signal(number, stop)


def said(room: Classroom, now: Now) -> str:
    """What goes on, as it is sent to browsers: numbers, and where the stop is."""
    stop = room.stop(now)
    return json.dumps(
        {
            "serial": now.serial,
            "stop": now.number,
            "page": stop.page if stop else "",
            "href": address(room, now),
            "parts": class_panel.parts(stop) if stop else [],
            "title": stop.title if stop else "",
            "ballot": now.ballot,
            "phase": now.phase,
        }
    )


def address(room: Classroom, now: Now) -> str:
    """The present stop's address below the app's own, in normal size; "" if there is none."""
    stop = room.stop(now)
    if stop is None:
        return ""
    return f"{stop.page}?{urlencode(stop.values | {'size': '1'}, safe='~*')}"
