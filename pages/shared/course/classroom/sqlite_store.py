"""A class in an SQLite file: for one server; a restart in mid-lecture loses nothing."""

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pages.shared.course.classroom.store import (
    LIFE,
    MOST_BALLOTS,
    MOST_STUDENTS,
    PAUSE,
    Keys,
    Now,
    StoreError,
)

_TABLES = """
CREATE TABLE IF NOT EXISTS class (
    one INTEGER PRIMARY KEY CHECK (one = 1), code TEXT, token TEXT, secret TEXT, touched REAL,
    serial INTEGER, number INTEGER, stop TEXT, ballot INTEGER, phase TEXT);
CREATE TABLE IF NOT EXISTS ballots (number INTEGER PRIMARY KEY, ballot TEXT);
CREATE TABLE IF NOT EXISTS students (student TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS votes (
    ballot INTEGER, student TEXT, answer TEXT, at REAL, PRIMARY KEY (ballot, student)
) WITHOUT ROWID;
"""
_CHANGE = "UPDATE class SET serial = serial + 1, touched = ?"


class SqliteStore:
    """One connection, which the server's threads take turns on; a write takes a tenth of a ms.

    Args:
        path: Of the file; it and its folder are made if need be, for this user alone.

    Raises:
        StoreError: The file cannot be used.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser()
        self._lock = threading.Lock()
        with self._steps():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT, 0o600))  # it has the token in it
            self._file = sqlite3.connect(
                self.path, timeout=5, isolation_level=None, check_same_thread=False
            )
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")
            self._file.executescript(_TABLES)

    @contextmanager
    def _steps(self) -> Iterator[None]:
        """What goes wrong inside is said in a sentence."""
        try:
            with self._lock:
                yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise StoreError(
                    "The server’s disk is full, so this could not be kept. What was kept before "
                    "is safe. Free some space, then do it again."
                ) from None
            raise StoreError(
                f"The class’s file {self.path.name} cannot be used: {error}."
            ) from None
        except (sqlite3.DatabaseError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise StoreError(
                f"The class’s file {self.path} cannot be used: {reason}. Give another one by "
                "--store FILE."
            ) from None

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._steps():
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield self._file
                self._file.execute("COMMIT")
            except BaseException:
                if self._file.in_transaction:  # a full disk has rolled it back by itself
                    self._file.execute("ROLLBACK")
                raise

    def _row(self, query: str, *values: object) -> tuple | None:
        with self._steps():
            return self._file.execute(query, values).fetchone()

    def open(self, fresh: Keys) -> Keys:
        """See `Store`."""
        with self._writing() as file:
            kept = file.execute("SELECT code, token, secret, touched FROM class").fetchone()
            if kept and time.time() - kept[3] < LIFE:
                return Keys(*kept[:3])
            for table in ("class", "ballots", "students", "votes"):
                file.execute(f"DELETE FROM {table}")
            file.execute(
                "INSERT INTO class VALUES (1, ?, ?, ?, ?, 0, 0, '', 0, 'over')",
                (*fresh, time.time()),
            )
            return fresh

    def now(self) -> Now:
        """See `Store`."""
        row = self._row("SELECT serial, number, stop, ballot, phase FROM class")
        return Now(*row) if row else Now()

    def lead(self, stop: str) -> int:
        """See `Store`."""
        with self._writing() as file:
            query = f"{_CHANGE}, number = number + 1, stop = ? RETURNING number"
            return file.execute(query, (time.time(), stop)).fetchone()[0]

    def ask(self, ballot: str) -> int:
        """See `Store`."""
        with self._writing() as file:
            query = f"{_CHANGE}, ballot = ballot + 1, phase = 'open' WHERE ballot < ?"
            if not file.execute(query, (time.time(), MOST_BALLOTS)).rowcount:
                return 0
            number = file.execute("SELECT ballot FROM class").fetchone()[0]
            file.execute("INSERT INTO ballots VALUES (?, ?)", (number, ballot))
            return number

    def turn(self, ballot: int, phase: str) -> bool:
        """See `Store`."""
        with self._writing() as file:
            query = f"{_CHANGE}, phase = ? WHERE ballot = ? AND ballot > 0"
            return bool(file.execute(query, (time.time(), phase, ballot)).rowcount)

    def ballots(self) -> list[str]:
        """See `Store`."""
        with self._steps():
            rows = self._file.execute("SELECT ballot FROM ballots ORDER BY number").fetchall()
        return [text for (text,) in rows]

    def admit(self, student: str) -> bool:
        """See `Store`."""
        with self._writing() as file:
            file.execute(
                "INSERT OR IGNORE INTO students SELECT ? WHERE (SELECT count(*) FROM students) < ?",
                (student, MOST_STUDENTS),
            )
            return _is_in(file, student)

    def students(self) -> int:
        """See `Store`."""
        row = self._row("SELECT count(*) FROM students")
        return row[0] if row else 0

    def vote(self, ballot: int, student: str, answer: str) -> str:
        """See `Store`."""
        at = time.time()
        with self._writing() as file:
            if not _is_in(file, student):
                return "stranger"
            row = file.execute("SELECT ballot, phase FROM class").fetchone()
            if row != (ballot, "open"):
                return "closed"
            (last,) = file.execute(
                "SELECT max(at) FROM votes WHERE student = ?", (student,)
            ).fetchone()
            if last is not None and abs(at - last) < PAUSE:
                return "early"
            file.execute(
                "INSERT OR REPLACE INTO votes VALUES (?, ?, ?, ?)", (ballot, student, answer, at)
            )
            return "counted"

    def answer(self, ballot: int, student: str) -> str | None:
        """See `Store`."""
        query = "SELECT answer FROM votes WHERE ballot = ? AND student = ?"
        row = self._row(query, ballot, student)
        return row[0] if row else None

    def answers(self, ballot: int) -> list[str]:
        """See `Store`."""
        with self._steps():
            query = "SELECT answer FROM votes WHERE ballot = ?"
            return [text for (text,) in self._file.execute(query, (ballot,)).fetchall()]

    def close(self) -> None:
        """See `Store`."""
        with self._lock:
            self._file.close()


def _is_in(file: sqlite3.Connection, student: str) -> bool:
    query = "SELECT 1 FROM students WHERE student = ?"
    return file.execute(query, (student,)).fetchone() is not None
