"""Forged addresses: every key that a page reads from its address, with values that no link has."""

import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote

from benchmarks.serving import ROOT
from pages.shared.contents import COURSE, TEACHING
from pages.shared.ui.problem_state import ADDRESS_KEYS
from tests.hostile.corpora import NUMBERS
from tests.hostile.watch import Server, Tally

_KEY = re.compile(r"""(?:address=|ADDRESS = |query(?:_params)?\.get\(|\bin query\b)"(\w+)\"""")
_LONGEST = 20_000  # characters; a server refuses longer ones
TEXTS = (
    *(text for text in NUMBERS if "\ud800" not in text and len(text) < _LONGEST),
    "~" * 500, "0.0~0.0", "99.99", "-1.-1", ".", "~.~", "x" * _LONGEST, "%", "%ff%fe", "%00",
    "a&b=c", "../../etc/passwd", "~".join(["1"] * 3000), "old-man", "Fish swim", "9" * 400,
)  # fmt: skip


def keys() -> list[str]:
    """The address's keys, from our sources."""
    files = sorted((ROOT / "pages").rglob("*.py"))
    found = {key for path in files for key in _KEY.findall(path.read_text(encoding="utf-8"))}
    return sorted(found | set(ADDRESS_KEYS))


def forged() -> Iterator[tuple[str, str]]:
    """Page and query: each text under each key, on one page after the other; and under all keys."""
    entries = (*COURSE, *TEACHING)
    pages, names = cycle(entry.address for entry in entries), keys()
    for text in TEXTS:
        for key in names:
            yield next(pages), f"{key}={quote(text)}"
        for entry in entries:
            yield entry.address, "&".join(f"{key}={quote(text)}" for key in names)[:_LONGEST]
    for path in ("nowhere", "a/b/c", "../..", "%00", "<b>", "START", "start/", "x" * 5000):
        yield path, ""


async def addresses(server: Server, part: int = 1) -> Tally:
    """Open all of them, or every so many-th, each in a session of its own."""
    tally = Tally("addresses")
    server.traceback()
    for page, query in list(forged())[::part]:
        tally.tries += 1
        try:
            client = await server.open(page, query)
            fault = server.fault(client)
            await client.close()
        except Exception as error:
            fault = repr(error)
        if fault:
            tally.failures.append(f"/{page}?{query[:80]}: {fault}")
    return tally
