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
    paths = OWN.findall(read(f"{fresh}/", accept="text/html").decode())
    assert len(paths) > 40

    async def breaks_off() -> None:
        host, port = fresh.removeprefix("http://").split(":")
        for path in paths:
            _, writer = await asyncio.open_connection(host, int(port))
            writer.write(request(fresh, path, {"Accept-Encoding": "gzip"}))
            await writer.drain()
            await asyncio.sleep(after)
            writer.transport.abort()

    run_apart(breaks_off)
    for path in paths:
        whole = FOLDER.joinpath(*path.split("/")[1:]).read_bytes()
        assert read(f"{fresh}/{path}") == whole, path
        zipped = read(f"{fresh}/{path}", **{"Accept-Encoding": "gzip"})
        assert gzip.decompress(zipped) == whole, path


@pytest.fixture(scope="module")
def fresh():
    with server() as running:
        yield running.url
