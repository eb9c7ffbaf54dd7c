"""A class at the door: a fresh server and many readers at once, on every page.

Every reader's page must be drawn without an exception, with what its address says, and none may
stand in the server's log.
"""

import asyncio
from urllib.parse import urlencode

from benchmarks.raw_client import RawClient, run_apart
from pages.shared.contents import COURSE, TEACHING
from tests.hostile.watch import Tally, server

ADDRESSES = ("", *(entry.address for entry in (*COURSE, *TEACHING)))
SENTENCE = {"sentence": "Fish swim.", "tagger": "local"}  # on the front page


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


def start(readers: int = 30) -> Tally:
    """Start a server, let so many readers in at once, and stop it."""
    tally = Tally("cold starts", readers)
    with server() as running:
        tally.failures += run_apart(lambda: _class(running.url, readers))
        if trace := running.traceback():
            tally.failures.append(f"the log: {trace}")
    return tally
