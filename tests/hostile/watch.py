"""A server that is watched while it is ill-treated, and the count of what was tried."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.raw_client import RawClient
from benchmarks.serving import ROOT, serving


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
def server(*options: str, before: Sequence[str] = (), site: str = "") -> Iterator[Server]:
    """Start the app, with options of its own, and stop it in the end.

    Args:
        options: Of the app.
        before: See `serving`.
        site: Code that Python runs before the app; `LOOKUPS` in its environment is a file's path.
    """
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        (Path(folder) / "sitecustomize.py").write_text(site, encoding="utf-8")
        more = {"PYTHONPATH": f"{folder}:{ROOT}", "LOOKUPS": str(Path(folder) / "lookups")}
        with serving("app.py", log, *options, environment=more, before=before) as app:
            yield Server(app.url, log)
