"""A class at the door: a fresh server and many readers at once, on every page.

    python -m tests.hostile.cold_start [--starts 20] [--readers 30]

Every reader's page must be drawn without an exception, with what its address says, and none may
stand in the server's log.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from benchmarks.raw_client import RawClient, run_apart
from benchmarks.serving import running
from pages.shared.contents import COURSE, TEACHING

ADDRESSES = ("", *(entry.address for entry in (*COURSE, *TEACHING)))
SENTENCE = {"sentence": "Fish swim.", "tagger": "local"}  # on the front page


class Start(NamedTuple):
    """What came of one cold start.

    Attributes:
        readers: How many there were.
        failures: A sentence for each reader whose page has an error, or an error in the log.
    """

    readers: int
    failures: list[str]


async def _read(url: str, address: str) -> str | None:
    """One reader; what went wrong, if anything."""
    client = await RawClient.open(url, address, "" if address else urlencode(SENTENCE))
    try:
        found = client.exceptions()
        if found:
            return f"/{address}: {found[0][:200]}"
        if len(client.elements) < 5:
            return f"/{address}: only {len(client.elements)} elements were drawn"
        drawn = "".join(map(str, client.elements.values()))
        if not address and not all(text in drawn for text in ("Fish swim.", "Local CRF")):
            return "the front page has not the sentence and the tagger of its address"
        return None
    finally:
        await client.close()


async def _class(url: str, readers: int) -> list[str]:
    every = [_read(url, ADDRESSES[k % len(ADDRESSES)]) for k in range(readers)]
    results = await asyncio.gather(*every, return_exceptions=True)
    return [result if isinstance(result, str) else repr(result) for result in results if result]


def start(readers: int) -> Start:
    """Start a server, let so many readers in at once, and stop it."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with running("app.py", log) as url:
            failures = run_apart(lambda: _class(url, readers))
        text = log.read_text(encoding="utf-8", errors="replace")
    if "Traceback" in text:
        failures.append("the log: " + text[text.index("Traceback") :].strip()[-300:])
    return Start(readers, failures)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--readers", type=int, default=30)
    options = parser.parse_args()
    failures = 0
    for k in range(options.starts):
        found = start(options.readers)
        failures += len(found.failures)
        print(f"start {k + 1}: {found.readers} readers, {len(found.failures)} failures", flush=True)
        for line in found.failures[:3]:
            print(f"  {line}", flush=True)
    print(f"{options.starts * options.readers} readers, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
