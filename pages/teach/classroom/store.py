"""A class's data in one SQLite file, so that a killed server continues when it is started again.

class   one row: its keys, whether the door is locked, what is shown, when it changed last
phones  who has a place: a random number for each phone, and its place, from 0
votes   one answer of each phone to each question
asked   what each question was: the beat that was shown
"""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pages.shared.course.words import words_of

say = words_of(Path(__file__).parent)

APPLICATION, SCHEMA = 0x63726643, 3  # in the file's header: whose it is, and which version of ours
MOST_PHONES = 500
EXPIRES_AFTER = 12 * 3600.0  # seconds after its last change a class is over
FREED_AFTER = 600.0  # seconds of silence after which a place is free, if all are taken
BETWEEN_VOTES = 1.0  # seconds, of one phone
_MAGIC = b"SQLite format 3\0"
_NEW = f"""
BEGIN;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA};
CREATE TABLE class (code TEXT, token TEXT, secret TEXT, emptied INTEGER DEFAULT 0,
                    locked INTEGER DEFAULT 0, shown TEXT DEFAULT '', touched REAL);
CREATE TABLE phones (phone TEXT PRIMARY KEY, place INTEGER, heard REAL, voted REAL DEFAULT 0);
CREATE TABLE votes (question TEXT, phone TEXT, step INTEGER, answer TEXT,
                    PRIMARY KEY (question, phone)) WITHOUT ROWID;
COMMIT;
"""
_ASKED = "CREATE TABLE IF NOT EXISTS asked (question TEXT PRIMARY KEY, shown TEXT) STRICT"


class StoreError(Exception):
    """The class cannot be kept or read.

    Attributes:
        public: A sentence for browsers. The error's own text is for the terminal: it may name the
            file.
    """

    def __init__(self, message: str, public: str = "") -> None:
        super().__init__(message)
        self.public = public or message


class OverError(StoreError):
    """The class is over."""

    def __init__(self) -> None:
        super().__init__(say("store.over"))


class Keys(NamedTuple):
    """The secrets of one class, of which students see the code only."""

    code: str  # by which students join
    token: str  # the secret of the lecturer's link
    secret: str  # signs what students' browsers keep


class Vote(NamedTuple):
    """An answer of a phone; nobody is told whose it is."""

    step: int  # the step that the phone was asked about, where a class shares them out; else 0
    answer: str  # an option's name, or a number with a decimal point; never what was typed


class Store:
    """One connection, which the server's threads take turns on; a change takes a tenth of a ms.

    Args:
        path: Of the file; it and its folder are made if need be, for this user alone.

    Raises:
        StoreError: The file cannot be used, or is not a class's; then nothing in it is changed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self.notes: list[str] = []  # for the owner of the server
        self._lock = threading.Lock()
        self._began = time.time() - _steady()
        with self._store_errors():
            is_new = self._check_and_make()
            self.file = sqlite3.connect(
                self.path, timeout=5, isolation_level=None, check_same_thread=False
            )
            if is_new:
                self.file.executescript(_NEW)
            self.file.execute(_ASKED)  # a class of an earlier version lacks it
            self.file.execute("PRAGMA journal_mode = WAL")
            self.file.execute("PRAGMA synchronous = NORMAL")

    def _check_and_make(self) -> bool:
        """Make the file, for its owner alone, or check that it is a class's; whether it is new."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self.path.is_file():
            raise self._not_ours("no-file")
        with open(os.open(self.path, os.O_CREAT | os.O_RDONLY, 0o600), "rb") as file:
            header = file.read(100)  # not by SQLite, which may repair or change what it opens
        ours = header[:16] == _MAGIC and header[68:72] == APPLICATION.to_bytes(4, "big")
        if header and not ours:
            raise self._not_ours("foreign")
        if header and header[60:64] != SCHEMA.to_bytes(4, "big"):
            raise self._not_ours("other-version")
        for end in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + end)
            mode = stat.S_IMODE(part.stat().st_mode) if part.exists() else 0
            if mode & 0o077:
                part.chmod(0o600)
                self.notes.append(say("store.tightened", path=part, mode=f"{mode:04o}"))
        return not header

    def _not_ours(self, why: str) -> StoreError:
        return StoreError(say("store.not-ours", path=self.path, why=say(f"store.{why}")))

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        """Turn errors within the block into a StoreError with a sentence."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            why = str(error.strerror if isinstance(error, OSError) else error)
            is_full = "full" in str(error) or "No space left" in why
            name = "disk-full" if is_full else "file"
            message = say(f"store.{name}", path=self.path, why=why)
            raise StoreError(message, say(f"store.public-{name}")) from None

    @contextmanager
    def _step(self, changes: bool = True) -> Iterator[sqlite3.Connection]:
        """One transaction, which happens completely or not at all.

        Raises:
            OverError: Nothing has changed for twelve hours.
        """
        with self._lock, self._store_errors():
            self.file.execute("BEGIN IMMEDIATE" if changes else "BEGIN")
            try:
                if self._is_over():
                    raise OverError
                yield self.file
                if changes:
                    self.file.execute("UPDATE class SET touched = ?", (self.clock(),))
                self.file.execute("COMMIT")
            except BaseException:
                if self.file.in_transaction:  # a full disk has rolled it back by itself
                    self.file.execute("ROLLBACK")
                raise

    def _is_over(self) -> bool:
        row = self.file.execute("SELECT touched FROM class").fetchone()
        if row and not isinstance(row[0], float):
            raise StoreError(say("store.damaged", path=self.path))
        return row is None or not self.clock() - row[0] < EXPIRES_AFTER

    def clock(self) -> float:
        """Seconds since 1970: the time when this server started, and what has passed since.

        A clock that is set meanwhile, by hand or by the network, moves nothing.
        """
        return self._began + _steady()

    # ------------------------------------------------------------------ the class

    def open(self, fresh: Keys) -> Keys:
        """The keys of the class that is running; `fresh` where none is, or it is over."""
        with self._lock, self._store_errors():
            if self._is_over():
                self.file.executescript(
                    "DELETE FROM class; DELETE FROM phones; DELETE FROM votes; DELETE FROM asked"
                )
                query = "INSERT INTO class (code, token, secret, touched) VALUES (?, ?, ?, ?)"
                self.file.execute(query, (*fresh, self.clock()))
            row = self.file.execute("SELECT code, token, secret FROM class").fetchone()
        return Keys(*row)

    def door(self) -> tuple[int, bool]:
        """How often the room was emptied, and whether the door is locked."""
        with self._step(changes=False) as file:
            emptied, locked = file.execute("SELECT emptied, locked FROM class").fetchone()
        return emptied, bool(locked)

    def lock(self, locked: bool) -> None:
        """Lock the door to new students, or open it again."""
        with self._step() as file:
            file.execute("UPDATE class SET locked = ?", (int(locked),))

    def empty(self, question: str) -> None:
        """Send everybody out: they must join again, and lose their votes on this question."""
        with self._step() as file:
            file.execute("DELETE FROM phones")
            file.execute("DELETE FROM votes WHERE question = ?", (question,))
            file.execute("UPDATE class SET emptied = emptied + 1")

    def shown(self) -> str:
        """The beat that is shown, as the room has written it; "" if there is none yet."""
        with self._step(changes=False) as file:
            return file.execute("SELECT shown FROM class").fetchone()[0]

    def show(self, text: str, question: str = "") -> None:
        """Keep the beat that is shown, and what it asks, by the question's name."""
        with self._step() as file:
            file.execute("UPDATE class SET shown = ?", (text,))
            if question:
                query = "INSERT INTO asked VALUES (?1, ?2) ON CONFLICT DO UPDATE SET shown = ?2"
                file.execute(query, (question, text))

    def asked(self) -> list[tuple[str, str]]:
        """The questions that were asked and answered, in their order, each with its beat."""
        query = (
            "SELECT question, shown FROM asked WHERE question IN (SELECT question FROM votes) "
            "ORDER BY asked.rowid"
        )
        with self._step(changes=False) as file:
            return file.execute(query).fetchall()

    # ------------------------------------------------------------------ phones

    def admit(self, phone: str, *, known: bool, present: Collection[str] = ()) -> str:
        """Let a phone in: "in", "locked" or "full"; a phone that has a place keeps it.

        A lock keeps nobody out who is `known`, as they had a place before. In a full room the
        places of those are free that were silent for `FREED_AFTER`, are not `present`, and have
        not voted.
        """
        with self._step() as file:
            if not file.execute("SELECT 1 FROM phones WHERE phone = ?", (phone,)).fetchone():
                if file.execute("SELECT locked FROM class").fetchone()[0] and not known:
                    return "locked"
                if file.execute("SELECT count(*) FROM phones").fetchone()[0] >= MOST_PHONES:
                    query = "SELECT phone FROM phones WHERE voted = 0 AND heard < ?"
                    silent = file.execute(query, (self.clock() - FREED_AFTER,)).fetchall()
                    gone = [row for row in silent if row[0] not in present]
                    if not gone:
                        return "full"
                    file.executemany("DELETE FROM phones WHERE phone = ?", gone)
                query = "SELECT coalesce(max(place), -1) + 1 FROM phones"
                place = file.execute(query).fetchone()[0]
                query = "INSERT INTO phones (phone, place) VALUES (?, ?)"
                file.execute(query, (phone, place))
            file.execute("UPDATE phones SET heard = ? WHERE phone = ?", (self.clock(), phone))
        return "in"

    def place(self, phone: str) -> int | None:
        """A phone's place, by which steps are shared out; None: it has none."""
        with self._step(changes=False) as file:
            row = file.execute("SELECT place FROM phones WHERE phone = ?", (phone,)).fetchone()
        return row[0] if row else None

    def taken(self) -> int:
        """How many places are taken."""
        with self._step(changes=False) as file:
            return file.execute("SELECT count(*) FROM phones").fetchone()[0]

    # ------------------------------------------------------------------ votes

    def vote(self, question: str, phone: str, vote: Vote) -> str:
        """Keep a phone's answer instead of an earlier one: "counted".

        Or "early", within `BETWEEN_VOTES` of the last one; "stranger", if the phone has no place.
        """
        now = self.clock()
        with self._step() as file:
            row = file.execute("SELECT voted FROM phones WHERE phone = ?", (phone,)).fetchone()
            if row is None:
                return "stranger"
            if abs(now - row[0]) < BETWEEN_VOTES:
                return "early"
            query = "INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?)"
            file.execute(query, (question, phone, *vote))
            file.execute(
                "UPDATE phones SET voted = ?, heard = ? WHERE phone = ?", (now, now, phone)
            )
        return "counted"

    def answer(self, question: str, phone: str) -> str:
        """A phone's answer; "" if it has not answered yet."""
        query = "SELECT answer FROM votes WHERE question = ? AND phone = ?"
        with self._step(changes=False) as file:
            row = file.execute(query, (question, phone)).fetchone()
        return row[0] if row else ""

    def votes(self, question: str) -> list[Vote]:
        """All answers to a question, in no order that tells whose they are."""
        query = "SELECT step, answer FROM votes WHERE question = ? ORDER BY step, answer"
        with self._step(changes=False) as file:
            return [Vote(*row) for row in file.execute(query, (question,))]

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self.file.close()


def _steady() -> float:
    """Seconds that nobody can set; where the system can tell, those asleep count, too."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)
