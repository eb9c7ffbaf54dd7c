"""A server that is watched while it is ill-treated, and the count of what was tried."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.raw_client import RawClient
from benchmarks.serving import running


@dataclass
class Tally:
    """What was tried of one kind, and a line for each try that failed."""

    what: str
    tries: int = 0
    failures: list[str] = field(default_factory=list)


class Server:
    """A running app and its log."""

    def __init__(self, url: str, log: Path) -> None:
        self.url, self.log, self._read = url, log, 0

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
def server() -> Iterator[Server]:
    """Start the app, and stop it in the end."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with running("app.py", log) as url:
            yield Server(url, log)
