"""Every page is sent what no browser or reader would send; one that comes afterwards has it whole.

A part of it: `python -m tests.hostile` tries all.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from itertools import cycle
from urllib.parse import quote, urlencode

import pytest

from benchmarks.raw_client import RawClient, run_apart
from benchmarks.serving import ROOT
from pages.shared.contents import COURSE, TEACHING
from pages.shared.course.state import KEYS
from tests.hostile.corpora import NUMBERS
from tests.hostile.forged import attack
from tests.hostile.watch import server

ALL = os.environ.get("HOSTILE") == "all"
PAGES = [entry.address for entry in (*COURSE, *TEACHING)]
SHORT = {*PAGES[::3]}
SOME = [p if p in SHORT else pytest.param(p, marks=pytest.mark.thorough) for p in PAGES]
LONGEST = 20_000  # characters of an address; a server refuses longer ones
TEXTS = (
    *(text for text in NUMBERS if "\ud800" not in text and len(text) < LONGEST),
    "~" * 500, "0.0~0.0", "99.99", "-1.-1", ".", "~.~", "x" * LONGEST, "%", "%ff%fe", "%00",
    "a&b=c", "../../etc/passwd", "~".join(["1"] * 3000), "old-man", "Fish swim", "9" * 400,
)  # fmt: skip
_KEY = re.compile(r"""(?:address=|ADDRESS = |query(?:_params)?\.get\(|\bin query\b)"(\w+)\"""")


@pytest.mark.parametrize("page", SOME)
def test_a_forged_value_ends_in_no_error_of_ours(alone, page):
    part = 1 if ALL else 100
    assert run_apart(lambda: attack(alone, page, part, ("widgets", "components"))) == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.thorough
def test_whatever_is_typed_is_answered(alone, page):
    assert run_apart(lambda: attack(alone, page, 1 if ALL else 40, ("fields",))) == []


def forged_addresses() -> Iterator[tuple[str, str]]:
    """Page and query: each text under each key, on one page after the other; and under all keys."""
    files = sorted((ROOT / "pages").rglob("*.py"))
    found = {key for path in files for key in _KEY.findall(path.read_text(encoding="utf-8"))}
    pages, names = cycle(PAGES), sorted(found | {*KEYS, "beat"})
    for text in TEXTS:
        for key in names:
            yield next(pages), f"{key}={quote(text)}"
        for page in PAGES:
            yield page, "&".join(f"{key}={quote(text)}" for key in names)[:LONGEST]
    for path in ("nowhere", "a/b/c", "../..", "%00", "<b>", "START", "start/", "x" * 5000):
        yield path, ""


def test_a_forged_address_is_answered(alone):
    async def read() -> list[str]:
        failures = []
        for page, query in list(forged_addresses())[:: 1 if ALL else 1000]:
            client = await alone.open(page, query)
            if fault := alone.fault(client):
                failures.append(f"/{page}?{query[:80]}: {fault}")
            await client.close()
        return failures

    alone.traceback()
    assert run_apart(read, within=None) == []


@pytest.mark.thorough
@pytest.mark.parametrize("readers", [5, 30])
def test_a_class_at_the_door_of_a_fresh_server(readers):
    """Every reader's page is drawn whole, with what its address says."""
    sentence = urlencode({"sentence": "Fish swim.", "tagger": "local"})

    async def read(url: str, page: str) -> str:
        client = await RawClient.open(url, page, "" if page else sentence)
        try:
            drawn = "".join(map(str, client.elements.values()))
            whole = len(client.elements) >= 5 and (page or "Fish swim." in drawn)
            return "".join(client.exceptions()) or ("" if whole else f"/{page}: a part is missing")
        finally:
            await client.close()

    async def come(url: str) -> list[str]:
        pages = ["", *PAGES] * readers
        return await asyncio.gather(*(read(url, pages[k]) for k in range(readers)))

    with server() as running:
        assert [fault for fault in run_apart(lambda: come(running.url)) if fault] == []
        assert running.traceback() == ""
