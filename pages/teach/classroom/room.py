"""The class that runs on this server: who may lead, who may vote, and the current beat.

room = room_of("class.sqlite3", lessons)
room.show(shown)                          # the lecturer, who has the token
cookie = room.join("K7QF9", None)         # a student
room.vote(room.phone(cookie), question, "w2")
"""

import hashlib
import hmac
import os
import secrets
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from crf.figures.numbers import format_score
from crf.strict_json import JsonError, read_json, write_json
from pages.shared.figures.beat import SHOWN
from pages.shared.ui.stage.draw import LONGEST, Lessons
from pages.teach.classroom import pictures
from pages.teach.classroom.pictures import SentPictures, Shown, ShownBeat
from pages.teach.classroom.store import (
    MOST_PHONES,
    Keys,
    OverError,
    Store,
    StoreError,
    Vote,
    say,
)

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
CODE_LENGTH = 5


class RefusedError(ValueError):
    """A student or a lecturer asked for something that is not allowed; the message says so."""


class Room:
    """A class, and what its members may do; a class that is in its store keeps its code."""

    def __init__(self, store: Store, lessons: Lessons) -> None:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        self.store, self.lessons = store, lessons
        self.keys = store.open(Keys(code, secrets.token_urlsafe(16), secrets.token_urlsafe(32)))
        self.emptied, self.locked = store.door()
        self.pictures = SentPictures(lessons)
        self.shown: Shown | None = None
        self.scene: ShownBeat | None = None

    def go_on(self) -> None:
        """Show the beat that was on screen when the server stopped, if it still exists."""
        with suppress(JsonError, RefusedError, StoreError):
            if text := self.store.shown():
                self.shown = self.read(read_json(text, 2 * LONGEST))
                self.scene = pictures.scene(self.shown, self.lessons)

    def is_over(self) -> bool:
        """Whether the class has ended; if the file cannot be read just now, it has not."""
        try:
            self.store.door()
        except StoreError as error:
            return isinstance(error, OverError)
        return False

    # ------------------------------------------------------------------ the lecturer

    def is_lecturer(self, token: object) -> bool:
        """Whether this is the token of the class."""
        return isinstance(token, str) and _same(token, self.keys.token)

    def read(self, data: object) -> Shown:
        """Read which beat a lecturer's browser shows.

        Raises:
            RefusedError: There is no such beat, or this is no state.
        """
        data = data if isinstance(data, dict) else {}
        lesson, beat, parts = (data.get(name) for name in ("lesson", "beat", "state"))
        beats = self.lessons.get(lesson, ()) if isinstance(lesson, str) else ()
        if not any(one.name == beat for one in beats):
            raise RefusedError(say("refused.beat"))
        if not isinstance(parts, dict) or not all(isinstance(text, str) for text in parts.values()):
            raise RefusedError(say("refused.state"))
        state = {name: text for name, text in parts.items() if text}
        named, resting = data.get("named") is True, data.get("resting") is not False
        return Shown(str(lesson), str(beat), state, named, resting)

    def show(self, shown: Shown) -> None:
        """Show a beat in a state to the class."""
        self.scene = pictures.scene(shown, self.lessons)
        self.shown = shown
        if shown.resting:
            record = {"lesson": shown.lesson, "beat": shown.beat, "state": shown.parts}
            text = write_json(record | {"named": shown.named})
            self.store.show(text, self.scene.question)

    def lock(self, locked: bool) -> None:
        """Lock the door to new students, or open it again."""
        self.store.lock(locked)
        self.locked = locked

    def empty(self) -> None:
        """Send everybody out: they must join again, and lose their votes on an open question."""
        self.store.empty(self.scene.question if self.scene else "")
        self.emptied, self.locked = self.store.door()

    def tally(self) -> dict[str, Any]:
        """The counted answers to the open question; {} if there is none."""
        if not self.shown or not self.scene or not self.scene.phase:
            return {}
        votes = self.store.votes(self.scene.question)
        return pictures.tally(self.scene, votes, self.shown.lesson)

    def results(self) -> "list[tuple[Shown, ShownBeat, dict[str, Any]]]":
        """All questions of the class that somebody answered, in their order, with the counts."""
        found = []
        for question, text in self.store.asked():
            with suppress(JsonError, RefusedError):
                shown = self.read(read_json(text, 2 * LONGEST))
                revealed = replace(shown, parts=shown.parts | {"bet": SHOWN})
                scene = pictures.scene(revealed, self.lessons)
                votes = self.store.votes(question)
                found.append((shown, scene, pictures.tally(scene, votes, shown.lesson)))
        return found

    # ------------------------------------------------------------------ students

    def join(self, code: str, cookie: str | None, present: Collection[str] = ()) -> str:
        """Let a student in who typed the code; return the cookie that the browser keeps.

        A browser with a cookie of this class stays the same student.

        Raises:
            RefusedError: The code is wrong, or the room is full or locked.
        """
        if not self.is_code(code):
            raise RefusedError(say("refused.code"))
        own = self.phone(cookie)
        phone = own or secrets.token_urlsafe(9)
        outcome = self.store.admit(phone, known=bool(own), present=present)
        if outcome != "in":
            raise RefusedError(say(f"refused.{outcome}", n=MOST_PHONES))
        return f"{phone}.{self._signed(phone)}"

    def is_code(self, code: str) -> bool:
        """Whether this is the code of the class, as somebody typed it."""
        return _same("".join(code.split()).upper(), self.keys.code)

    def phone(self, cookie: object) -> str:
        """The phone that has this cookie; "" if it is not one of this class."""
        if not isinstance(cookie, str) or len(cookie) > 100:
            return ""
        phone, _, signature = cookie.rpartition(".")
        return phone if phone and _same(signature, self._signed(phone)) else ""

    def vote(self, phone: str, question: str, answer: str) -> str:
        """Take a phone's answer: "counted", or why not: "closed", "early", "stranger".

        Raises:
            RefusedError: It is no answer to this question.
        """
        scene = self.scene
        if not scene or scene.question != question or scene.phase != pictures.OPEN:
            return "closed"
        place = self.store.place(phone)
        if place is None and self.store.admit(phone, known=True) == "in":
            place = self.store.place(phone)  # its place was given up meanwhile
        if place is None:
            return "stranger"
        try:
            answer = pictures.read_answer(scene, answer)
        except ValueError as error:
            name = "number" if str(error) else "answer"
            raise RefusedError(say(f"refused.{name}", example=format_score(8.21))) from None
        return self.store.vote(question, phone, Vote(pictures.step_of(scene, place), answer))

    def _signed(self, phone: str) -> str:
        key = f"{self.keys.code}.{self.keys.secret}.{self.emptied}".encode()
        return hmac.new(key, phone.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:24]


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode())


def room_of(where: str, lessons: Lessons) -> Room:
    """Open the class that is kept in a file; "": in one in the user's own folder.

    Raises:
        StoreError: The file cannot be used.
    """
    home = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
    return Room(Store(where or home / "linear-chain-crf" / "class.sqlite3"), lessons)
