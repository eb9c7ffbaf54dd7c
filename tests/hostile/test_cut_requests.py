"""A reader who goes away while a file is sent spoils it for nobody."""

import asyncio
import gzip
import re
from importlib.resources import files
from urllib.request import Request, urlopen

import pytest

from benchmarks.raw_client import run_apart
from tests.hostile.connections import request
from tests.hostile.watch import server

OWN = re.compile(r'(?:src|href)="\./((?:streamlit|static)/(?:js|css)/[\w.-]+)"')
FOLDER = files("streamlit").joinpath("static", "static")


def read(url: str, **headers: str) -> bytes:
    with urlopen(Request(url, headers=headers), timeout=20) as answer:
        return answer.read()


@pytest.mark.parametrize("after", [0, 0.002, 0.01], ids=lambda seconds: f"{1000 * seconds:g} ms")
def test_scripts_that_were_broken_off_are_whole_for_the_next(fresh, after):
    url = fresh.url
    paths = OWN.findall(read(f"{url}/", accept="text/html").decode())
    assert len(paths) > 40

    async def breaks_off() -> None:
        for path in paths:
            await send_and_go(url, request(url, path, {"Accept-Encoding": "gzip"}), after)

    run_apart(breaks_off)
    for path in paths:
        whole = FOLDER.joinpath(*path.split("/")[1:]).read_bytes()
        assert read(f"{url}/{path}") == whole, path
        zipped = read(f"{url}/{path}", **{"Accept-Encoding": "gzip"})
        assert gzip.decompress(zipped) == whole, path


@pytest.mark.parametrize("path", ["draw/tag/flow", "plan/read", "plan/file", "train"])
def test_a_body_that_is_broken_off_leaves_no_traceback(fresh, path):
    fresh.traceback()  # what was there before

    async def breaks_off() -> None:
        json = {"Content-Type": "application/json", "Content-Length": "1000"}
        await send_and_go(fresh.url, request(fresh.url, path, json, "POST") + b'{"state"', 0.3)
        await asyncio.sleep(0.5)

    run_apart(breaks_off)
    assert fresh.traceback() == ""


async def send_and_go(url: str, text: bytes, after: float) -> None:
    """Send a request, and close the connection so many seconds later."""
    host, port = url.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    writer.write(text)
    await writer.drain()
    await asyncio.sleep(after)
    writer.transport.abort()


@pytest.fixture(scope="module")
def fresh():
    with server() as running:
        yield running
