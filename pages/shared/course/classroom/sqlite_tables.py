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
        with self._saying():
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
            raise self._not_ours("it is no file")
        with open(os.open(self.path, os.O_CREAT | os.O_RDONLY, 0o600), "rb") as file:
            header = file.read(100)  # not by SQLite, which may mend or change what it opens
        if header and not (
            header.startswith(_MAGIC) and header[68:72] == APPLICATION.to_bytes(4, "big")
        ):
            raise self._not_ours("another program has made it")
        if header and header[60:64] != SCHEMA.to_bytes(4, "big"):
            raise self._not_ours("another version of this app has made it")
        for end in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + end)
            mode = stat.S_IMODE(part.stat().st_mode) if part.exists() else 0
            if mode & 0o077:
                part.chmod(0o600)
                self.notes.append(
                    f"{part} could be used by others (mode {mode:04o}); now it is for you alone."
                )
        return not header

    def _not_ours(self, why: str) -> StoreError:
        return StoreError(
            f"{self.path} holds no class: {why}. Nothing in it was changed. Give another file by "
            "--store FILE, or move this one away."
        )

    @contextmanager
    def _saying(self) -> Iterator[None]:
        """What goes wrong inside is said in a sentence."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            if "full" in str(error) or "No space left" in str(reason):
                raise StoreError(
                    f"The disk is full, so this could not be kept in {self.path}. What was kept "
                    "before is safe. Free some space, then do it again."
                ) from None
            raise StoreError(
                f"The class’s file {self.path} cannot be used: {reason}. Give another one by "
                "--store FILE."
            ) from None

    def read(self, step: Callable[[Transaction], T]) -> T:
        """See `Tables`."""
        return self._run("BEGIN", step)

    def change(self, step: Callable[[Transaction], T]) -> T:
        """See `Tables`."""
        return self._run("BEGIN IMMEDIATE", step)

    def _run(self, begin: str, step: Callable[[Transaction], T]) -> T:
        with self._lock, self._saying():
            self._file.execute(begin)
            try:
                result = step(_SqliteTransaction(self._file, self.clock()))
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


class _SqliteTransaction:
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
