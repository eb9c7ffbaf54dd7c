"""A server that is watched while it is ill-treated, with a class or without."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.raw_client import RawClient
from benchmarks.serving import ROOT, serving
from pages import beats
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store


@dataclass
class Server:
    """A running app and its log."""

    url: str
    log: Path
    headers: Mapping[str, str] = field(default_factory=dict)  # in a class they say who reads
    _read: int = 0  # bytes of the log that were looked at

    async def open(self, page: str, query: str = "") -> RawClient:
        """A reader with that page open."""
        return await RawClient.open(self.url, page, query, self.headers)

    def traceback(self, *, forged: bool = False) -> str:
        """The last line of the first traceback in the log since this was asked last; "": none.

        After what was `forged`, as no widget says it, Streamlit's own error counts as none.
        """
        with self.log.open("rb") as log:
            log.seek(self._read)
            text = log.read()
        self._read += len(text)
        for trace in text.decode(errors="replace").split("Traceback (most recent")[1:]:
            lines = trace.splitlines()[1:]
            end = next(k for k, line in enumerate(lines) if line.strip() and line[0] not in " │")
            places = re.findall(r'File "(\S+)"', "\n".join(lines[:end]))
            raised = [place for place in places if "streamlit/" in place or _is_ours(place)]
            if not (forged and raised and not _is_ours(raised[-1])):
                return lines[end]
        return ""

    def fault(self, client: RawClient, *, forged: bool = False) -> str:
        """What went wrong in the run of this client that has just ended; "": nothing."""
        shown, logged = client.exceptions(), self.traceback(forged=forged)
        return logged or (shown[0] if shown and not forged else "")


def _is_ours(place: str) -> bool:
    return Path(place).is_relative_to(ROOT) and "site-packages" not in place


@contextmanager
def server(*options: str, before: Sequence[str] = (), site: str = "") -> Iterator[Server]:
    """Start the app, with options of its own, and stop it in the end.

    The code `site`, for which the environment's `LOOKUPS` names a file, runs before the app.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        (Path(folder) / "sitecustomize.py").write_text(site, encoding="utf-8")
        more = {"PYTHONPATH": f"{folder}:{ROOT}", "LOOKUPS": str(Path(folder) / "lookups")}
        with serving("app.py", log, *options, environment=more, before=before) as app:
            yield Server(app.url, log)


@contextmanager
def a_class(*limit: str) -> Iterator[tuple[Server, Room]]:
    """A class and its room; the server may be bound to so many open files, as `ulimit` has it."""
    before = ["sh", "-c", f'ulimit {" ".join(limit)}; exec "$@"', "sh"] if limit else []
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "class.sqlite3"
        with server("--class", "--store", str(where), before=before) as running:
            yield running, Room(Store(where), beats.LESSONS)
