"""One event stream for each phone: the current beat and the number of votes, as they change.

An event is made once for each language, whatever the number of phones. The lecturer's own line
says how the answers stand.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import speaking
from pages.shared.ui.server.stopping import when_told_to_stop
from pages.teach.classroom.pictures import Shown
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import StoreError

PERIOD = 0.25  # seconds between two counts, for the lecturer
SELDOM = 8  # of these counts one is told to the phones
SIGN_OF_LIFE = 15.0  # seconds, so that no proxy takes a quiet line for a dead one
# How a line ends: the room was emptied, so join again; the same phone has opened a newer line.
EMPTIED, MOVED = b"event: emptied\ndata: 1\n\n", b"event: moved\ndata: 1\n\n"


@dataclass(eq=False)
class NewsLine:
    """A phone's line, or one of the lecturer's."""

    language: str
    is_lecturer: bool
    emptied: int  # the room's version when the line was opened
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class News:
    """The class's current beat and counts, made once and sent to every open line."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.lines: dict[str, NewsLine] = {}  # by phone; the lecturer's by the window's own name
        self.serial = self.counted = 0
        self.over = self.stale = False
        self._beats: dict[str, bytes] = {}  # language → event of what is shown
        self._tallies: dict[str, bytes] = {}  # language → event for the lecturer
        self._count = b""  # for phones
        self._one = asyncio.Lock()

    async def show(self, shown: Shown) -> None:
        """Show a beat to the class.

        Raises:
            StoreError: It cannot be kept; then it is not shown.
        """
        async with self._one:
            await asyncio.to_thread(self.room.show, shown)
            spoken = {line.language for line in self.lines.values()} or {"en"}
            self._beats = await asyncio.to_thread(self._events, shown, spoken)
            self.serial += 1
        self.tell()

    def _events(self, shown: Shown, languages: set[str]) -> dict[str, bytes]:
        return {one: _event("", self.room.pictures.told(shown, one)) for one in languages}

    async def _event_in(self, language: str) -> bytes:
        """The event with the current beat, for a new line or one in another language."""
        async with self._one:
            if language not in self._beats and self.room.shown:
                shown = self.room.shown
                self._beats |= await asyncio.to_thread(self._events, shown, {language})
            return self._beats.get(language, b"")

    def tell(self) -> None:
        """Count again, and end the lines of students who were sent out."""
        self.stale = True
        self._wake()

    def _wake(self) -> None:
        for line in self.lines.values():
            line.changed.set()

    @property
    def phones(self) -> int:
        """The number of phones that are connected now."""
        return sum(not line.is_lecturer for line in self.lines.values())

    # ------------------------------------------------------------------ counts

    async def count(self) -> None:
        """Count again and again, where anything has changed."""
        turn = 0
        while not self.over:
            turn += 1
            if self.stale:
                self.stale = False
                spoken = {line.language for line in self.lines.values() if line.is_lecturer}
                with suppress(StoreError):  # counted again with the next answer
                    await asyncio.to_thread(self._make_tallies, spoken)
                    self.counted += 1
                    for line in self.lines.values():
                        if line.is_lecturer or turn % SELDOM == 0:
                            line.changed.set()
            elif turn % SELDOM == 0:
                self._wake()
            await asyncio.sleep(PERIOD)

    def _make_tallies(self, languages: set[str]) -> None:
        for language in languages or {"en"}:
            with speaking(language):
                tally = self.room.tally()
            voted = tally.get("answered", 0)
            present = max(self.phones, voted)  # who has gone has answered all the same
            tally |= {"present": present, "here": self.phones, "locked": self.room.locked}
            self._tallies[language] = _event("tally", tally)
            self._count = _event("count", {"voted": voted, "of": present})

    # ------------------------------------------------------------------ lines

    async def stream(self, name: str, line: NewsLine) -> AsyncIterator[bytes]:
        """Send a line the current beat, then every change.

        An earlier line of this name ends: a phone that wakes up may not have closed its last one.
        """
        if earlier := self.lines.get(name):
            earlier.changed.set()
        self.lines[name], self.stale = line, True
        serial, counted = -1, b""
        try:
            yield b"retry: 1000\n\n"
            while not self.over:
                line.changed.clear()
                is_last = self.lines.get(name) is line
                if not is_last or (not line.is_lecturer and line.emptied != self.room.emptied):
                    yield EMPTIED if is_last else MOVED
                    return
                if serial != self.serial and (event := await self._event_in(line.language)):
                    serial = self.serial
                    yield event
                    continue
                tallied = self._tallies.get(line.language, b"") if line.is_lecturer else self._count
                if counted != tallied:
                    counted = tallied
                    yield tallied
                    continue
                try:
                    await asyncio.wait_for(line.changed.wait(), SIGN_OF_LIFE)
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self.stale = True
            if self.lines.get(name) is line:
                del self.lines[name]

    def end_with_server(self) -> None:
        """End all streams when the server is told to stop: it waits for them."""

        def end() -> None:
            self.over = True
            self._wake()

        when_told_to_stop(end)


def _event(kind: str, data: dict[str, Any]) -> bytes:
    named = f"event: {kind}\n".encode() if kind else b""
    return named + b"data: " + as_json(data) + b"\n\n"
