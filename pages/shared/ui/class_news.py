"""What goes on in the class, pushed to every phone as it changes, and the picture of a stop.

A browser that waits for news costs no run of a page: one task on each server reads the store, and
whoever waits is told. Asked once a second by a fragment of each page, two hundred readers would
take most of a core's time to hear that nothing has happened.

The picture, which the lecturer's window sends, is shown until a phone has the stop's page, as two
hundred pages take a server seconds. All phones get the same answer, made once.
"""

import asyncio
import gzip
import signal
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from crf.figures import modules
from crf.strict_json import read_json, write_json
from pages.shared.course.classroom.classroom import Classroom, StoreError
from pages.shared.course.classroom.store import MOST_TEXT, Now
from pages.shared.ui import class_panel, class_session, client_values, component
from pages.shared.ui import view as views
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server.connections import held

PERIOD = 0.1  # seconds between two readings of the store
SPREAD = 0.006  # seconds for each phone: in that time they go to a stop whose picture they have
BEAT = 15.0  # seconds between two signs of life, so that no proxy takes a quiet line for a dead one
_PATIENCE = 5 * PERIOD  # seconds for which a picture is waited for: another server may be ahead
# How a line ends: the room was emptied, so join again; the same phone has opened a newer line.
EMPTIED, MOVED = "emptied", "moved"


class News:
    """What goes on, read by one task and told to everybody who waits."""

    def __init__(self, room: Classroom) -> None:
        self.room, self.now, self.said = room, Now(serial=-1), ""
        self.lines: dict[str, asyncio.Event] = {}  # student -> set when there is news
        self.over = False

    async def read(self) -> None:
        """Read the store again and again; while it does not answer, nothing is news."""
        beaten = -BEAT
        while not self.over:
            with suppress(StoreError):
                now = await asyncio.to_thread(self.room.now)
                if now != self.now:
                    self.now, self.said = now, said(self.room, now, len(self.lines))
                    self._tell()
                if time.monotonic() - beaten >= BEAT:
                    beaten = time.monotonic()
                    await asyncio.to_thread(self.room.store.heard, list(held))
            await asyncio.sleep(PERIOD)

    def _tell(self) -> None:
        for changed in self.lines.values():
            changed.set()

    async def stream(self, student: str) -> AsyncIterator[str]:
        """Send a student's phone what goes on now, then each change.

        An earlier line of the student ends: a phone that wakes up may not have closed its last one.
        """
        changed, emptied, told = asyncio.Event(), self.room.emptied, None
        if earlier := self.lines.get(student):
            earlier.set()
        self.lines[student] = changed
        try:
            yield "retry: 1000\n\n"
            while not self.over:
                changed.clear()
                is_last = self.lines.get(student) is changed
                if not is_last or emptied != self.room.emptied:
                    yield f"event: {EMPTIED if is_last else MOVED}\ndata: 1\n\n"
                    return
                if self.said and self.said != told:
                    told = self.said
                    yield f"data: {told}\n\n"
                    continue
                try:
                    await asyncio.wait_for(changed.wait(), BEAT)
                except TimeoutError:
                    yield ": still here\n\n"
        finally:
            if self.lines.get(student) is changed:
                del self.lines[student]

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


def said(room: Classroom, now: Now, phones: int) -> str:
    """What goes on, as it is sent to so many browsers: numbers, and where the stop is."""
    stop = room.stop(now)
    return write_json(
        {
            "serial": now.serial,
            "stop": now.number,
            "page": stop.page if stop else "",
            "href": address(room, now),
            "parts": class_panel.parts(stop) if stop else [],
            "title": stop.title if stop else "",
            "picture": now.picture == now.number > 0,
            "spread": SPREAD * phones,
            "ballot": now.ballot,
            "phase": now.phase,
        }
    )


def address(room: Classroom, now: Now) -> str:
    """The present stop's address below the app's own, for a phone; "" if there is none.

    A phone is led to the way through a page, in normal size: two hundred of them come at once.
    """
    stop = room.stop(now)
    if stop is None:
        return ""
    hide = {*filter(None, stop.values.get("hide", "").split("~")), views.MORE}
    values = stop.values | {"size": "1", "hide": "~".join(sorted(hide))}
    values[class_session.STOP] = str(now.number)
    return f"{stop.page}?{urlencode(values, safe='~*')}"


def sent(message: object) -> str:
    """The picture as it is kept, of what the lecturer's window says; "" if it has none.

    It is a figure's folder and data; where the stop has none yet, as before its question, no folder
    and what the stop says.
    """
    picture = client_values.record(
        folder=client_values.one_of({"", *component.folders()}), data=client_values.text(MOST_TEXT)
    )
    found = client_values.genuine(message, client_values.record(picture=picture))
    return write_json(found["picture"]) if found else ""


class StopPictures:
    """What phones are answered; that of the present stop is made once."""

    def __init__(self, news: News) -> None:
        self.news = news
        self._made: tuple[int, asyncio.Future[bytes]] | None = None  # of which stop, and the answer

    async def answer(self, number: int) -> bytes:
        """The picture of the present stop with its style, as gzipped JSON; b"" of any other."""
        waited = 0.0
        while self.news.now.picture < number and waited < _PATIENCE:
            await asyncio.sleep(PERIOD)
            waited += PERIOD
        if self.news.now.picture != number:
            return b""
        if self._made is None or self._made[0] != number:
            self._made = number, asyncio.ensure_future(asyncio.to_thread(self._make, number))
        return await asyncio.shield(self._made[1])

    def _make(self, number: int) -> bytes:
        try:
            kept = self.news.room.store.picture(number)
        except StoreError:
            kept = ""
        if not kept:
            return b""
        picture = read_json(kept, 2 * MOST_TEXT)
        figure = picture["folder"]
        picture["style"] = modules.style(*component.styles(figure)) if figure else ""
        return gzip.compress(as_json(picture), mtime=0)
