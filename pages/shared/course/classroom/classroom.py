"""The class that runs on this server: who may lead, who may vote, what goes on.

room = classroom.start("class.sqlite3")   # once, at the start; then classroom.running()
room.lead(stop), room.ask(ballot)         # the lecturer, who has the token
cookie = room.join("K7QF", None)          # a student
room.vote(cookie, 1, 0)
"""

import hashlib
import hmac
import os
import secrets
import sys
from dataclasses import asdict
from pathlib import Path

from crf.strict_json import read_json, write_json
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.store import (
    MOST_BALLOTS,
    MOST_STUDENTS,
    MOST_TEXT,
    Keys,
    Now,
    OverError,
    Store,
    StoreError,
    open_store,
)
from pages.shared.course.classroom.tally import Tally, count
from pages.shared.course.lecture import Stop
from pages.shared.course.problem import ProblemError
from pages.shared.course.words import say

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
CODE_LENGTH = 5


class RefusedError(ValueError):
    """What a student or a lecturer may not do; the message is a sentence."""


class Classroom:
    """A class, and what its members may do; one that runs in its store goes on with its code."""

    def __init__(self, store: Store) -> None:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        self.store = store
        self.keys = store.open(Keys(code, secrets.token_urlsafe(16), secrets.token_urlsafe(32)))
        self.emptied = store.now().emptied  # how often, as it was last read

    @property
    def code(self) -> str:
        """By which students join."""
        return self.keys.code

    def now(self, within: float = 0.0) -> Now:
        """What goes on, or went on so many seconds ago at most."""
        now = self.store.now(within)
        self.emptied = now.emptied
        return now

    def is_over(self) -> bool:
        """Whether nobody can do anything here any more; while the store is silent, it goes on."""
        try:
            self.now()
        except StoreError as error:
            return isinstance(error, OverError)
        return False

    def stop(self, now: Now) -> Stop | None:
        """The present stop; None if there is none."""
        try:
            return Stop(**read_json(now.stop, MOST_TEXT)) if now.stop else None
        except (ValueError, TypeError):
            return None

    # ------------------------------------------------------------------ the lecturer

    def is_lecturer(self, token: object) -> bool:
        """Whether this is the token of a class that goes on."""
        return isinstance(token, str) and _same(token, self.keys.token) and not self.is_over()

    def lead(self, stop: Stop, picture: str = "") -> int:
        """Show a stop to the class, less its notes, and its picture, if any; its running number."""
        shown = asdict(stop)
        del shown["note"], shown["minutes"]
        return self.store.lead(write_json(shown), picture)

    def ask(self, ballot: Ballot) -> int:
        """Ask the class; the number of the question.

        Raises:
            RefusedError: There have been as many as there may be.
        """
        number = self.store.ask(ballot.to_text())
        if not number:
            raise RefusedError(say("class.asked", n=MOST_BALLOTS))
        return number

    def ballots(self) -> list[Ballot]:
        """All questions so far."""
        return [Ballot.from_text(text) for text in self.store.ballots()]

    def ballot(self, number: int) -> Ballot | None:
        """A question by its number, from 1."""
        texts = self.store.ballots()
        return Ballot.from_text(texts[number - 1]) if 0 < number <= len(texts) else None

    def tally(self, number: int, ballot: Ballot) -> Tally:
        """How its answers stand."""
        return count(ballot, self.store.answers(number))

    # ------------------------------------------------------------------ students

    def join(self, code: str, cookie: str | None) -> str:
        """Let a student in by the code as it was typed; the cookie that the browser is to keep.

        Whoever has a cookie of this class stays the same student.

        Raises:
            RefusedError: The code is wrong, or the room is full or locked.
        """
        if not _same("".join(code.split()).upper(), self.code):
            raise RefusedError(say("class.code"))
        known = self.student(cookie)
        student = known or secrets.token_urlsafe(9)
        outcome = self.store.admit(student, known is not None)
        if outcome != "in":
            raise RefusedError(say(f"class.{outcome}", n=MOST_STUDENTS))
        return f"{student}.{self._signed(student)}"

    def student(self, cookie: object) -> str | None:
        """The student whose browser has kept this; None: it is not of this class."""
        return None if self.is_over() else self.named(cookie)

    def named(self, cookie: object) -> str | None:
        """The same without a look at the store, by what was last read of it."""
        if not isinstance(cookie, str) or len(cookie) > 100:
            return None
        student, _, signature = cookie.rpartition(".")
        return student if student and _same(signature, self._signed(student)) else None

    def vote(self, student: str, number: int, ballot: Ballot, said: object) -> str:
        """Take a student's answer, as `Store.vote`; the last before the question closes counts.

        Raises:
            RefusedError: It is no answer to this question.
        """
        try:
            answer = ballot.check(said)
        except ProblemError as error:
            raise RefusedError(str(error)) from None
        outcome = self.store.vote(number, student, answer)
        if outcome == "stranger" and self.store.admit(student, known=True) == "in":
            return self.store.vote(number, student, answer)  # the place was given up, or lost
        return outcome

    def answer(self, student: str, number: int) -> object:
        """What a student has answered; None: nothing yet."""
        text = self.store.answer(number, student)
        return None if text is None else read_json(text, MOST_TEXT)

    def _signed(self, student: str) -> str:
        key = f"{self.code}.{self.keys.secret}.{self.emptied}".encode()
        return hmac.new(key, student.encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:24]


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode("utf-8", "replace"), b.encode())


# ---------------------------------------------------------------------- the one of this server

_running: list[Classroom] = []  # none or one


def start(where: str) -> Classroom:
    """Open the class of this server in this store; "": in a file in the user's own folder.

    Raises:
        StoreError: The store cannot be had.
    """
    home = Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state")
    store = open_store(where or str(home / "linear-chain-crf" / "class.sqlite3"))
    for note in store.tables.notes:
        print(note, file=sys.stderr, flush=True)
    _running[:] = [Classroom(store)]
    return _running[0]


def running() -> Classroom | None:
    """The class of this server; None where the app was started without one."""
    return _running[0] if _running else None


__all__ = ["Classroom", "RefusedError", "StoreError", "running", "start"]
