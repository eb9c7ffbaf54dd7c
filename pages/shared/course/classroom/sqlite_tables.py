"""A class in an SQLite file: for one server; a restart in mid-lecture loses nothing."""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pages.shared.course.classroom.tables import StoreError, T, Transaction
from pages.shared.course.words import say

APPLICATION, SCHEMA = 0x63726643, 2  # in the file's header: whose it is, and which version of ours
_MAGIC = b"SQLite format 3\0"
_NEW = f"""
BEGIN;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA};
CREATE TABLE kept (name TEXT, key TEXT, text TEXT, PRIMARY KEY (name, key)) WITHOUT ROWID;
COMMIT;
"""


class SqliteTables:
    """One connection, which the server's threads take turns on; a change takes a tenth of a ms.

    Args:
        path: Of the file; it and its folder are made if need be, for this user alone.

    Raises:
        StoreError: The file cannot be used, or is not a class's; then nothing in it is changed.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.notes = Path(path).expanduser(), []
        self._lock = threading.Lock()
        self._began = time.time() - _steady()
        with self._said():
            is_new = self._check_and_make()
            self._file = sqlite3.connect(
                self.path, timeout=5, isolation_level=None, check_same_thread=False
            )
            if is_new:
                self._file.executescript(_NEW)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = NORMAL")

    def _check_and_make(self) -> bool:
        """Make the file, for its owner alone, or check that it is a class's; whether it is new."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and not self.path.is_file():
            raise self._not_ours("no-file")
        with open(os.open(self.path, os.O_CREAT | os.O_RDONLY, 0o600), "rb") as file:
            header = file.read(100)  # not by SQLite, which may mend or change what it opens
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
    def _said(self) -> Iterator[None]:
        """Say in a sentence what goes wrong inside."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            why = str(error.strerror if isinstance(error, OSError) else error)
            if "full" in str(error) or "No space left" in why:
                raise StoreError(say("store.disk-full", path=self.path)) from None
            raise StoreError(say("store.file", path=self.path, why=why)) from None

    def run(self, step: Callable[[Transaction], T], *, changes: bool) -> T:
        """See `Tables`."""
        with self._lock, self._said():
            self._file.execute("BEGIN IMMEDIATE" if changes else "BEGIN")
            try:
                result = step(_Transaction(self._file, self.clock()))
                self._file.execute("COMMIT")
                return result
            except BaseException:
                if self._file.in_transaction:  # a full disk has rolled it back by itself
                    self._file.execute("ROLLBACK")
                raise

    def clock(self) -> float:
        """Seconds since 1970: the time when this server started, and what has passed since.

        A clock that is set meanwhile, by hand or by the network, moves nothing.
        """
        return self._began + _steady()

    def close(self) -> None:
        """See `Tables`."""
        with self._lock:
            self._file.close()


class _Transaction:
    def __init__(self, file: sqlite3.Connection, now: float) -> None:
        self._file, self.time = file, now

    def get(self, table: str, key: str) -> str | None:
        query = "SELECT text FROM kept WHERE name = ? AND key = ?"
        row = self._file.execute(query, (table, key)).fetchone()
        return row[0] if row else None

    def all(self, table: str) -> dict[str, str]:
        return dict(self._file.execute("SELECT key, text FROM kept WHERE name = ?", (table,)))

    def put(self, table: str, texts: Mapping[str, str]) -> None:
        rows = [(table, key, text) for key, text in texts.items()]
        self._file.executemany("INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", rows)

    def delete(self, table: str, *keys: str) -> None:
        if not keys:
            self._file.execute("DELETE FROM kept WHERE name = ?", (table,))
        rows = [(table, key) for key in keys]
        self._file.executemany("DELETE FROM kept WHERE name = ? AND key = ?", rows)


def _steady() -> float:
    """Seconds that nobody can set; where the system can tell, those asleep count, too."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)
