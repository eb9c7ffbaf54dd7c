"""A server that is watched while it is ill-treated, and the count of what was tried."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.raw_client import RawClient
from benchmarks.serving import serving


@dataclass
class Tally:
    """What was tried of one kind, and a line for each try that failed."""

    what: str
    tries: int = 0
    failures: list[str] = field(default_factory=list)


class Server:
    """A running app and its log.

    Attributes:
        url: Its address.
        log: What it writes.
        headers: That each reader sends; in a class they say who it is.
    """

    def __init__(self, url: str, log: Path) -> None:
        self.url, self.log, self._read = url, log, 0
        self.headers: Mapping[str, str] = {}

    async def open(self, page: str, query: str = "") -> RawClient:
        """A reader with that page open."""
        return await RawClient.open(self.url, page, query, self.headers)

    def traceback(self) -> str:
        """The last line of the first traceback in the log since this was asked last; "": none."""
        with self.log.open("rb") as log:
            log.seek(self._read)
            text = log.read()
        self._read += len(text)
        _, found, after = text.decode(errors="replace").partition("Traceback (most recent")
        if not found:
            return ""
        return next(line for line in after.splitlines()[1:] if line.strip() and line[0] not in " │")

    def fault(self, client: RawClient) -> str:
        """What went wrong in the run that has just ended; "": nothing."""
        shown = client.exceptions()
        return self.traceback() or (shown[0] if shown else "")


@contextmanager
def server(*options: str) -> Iterator[Server]:
    """Start the app, with options of its own, and stop it in the end."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with serving("app.py", log, *options) as app:
            yield Server(app.url, log)
