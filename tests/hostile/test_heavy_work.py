"""Work that takes seconds keeps nobody waiting, and ends with its request and with the server."""

import asyncio
import json
import time
from pathlib import Path

import pytest

from benchmarks.raw_client import run_apart
from benchmarks.serving import serving
from tests.hostile.connections import ask, request

WORDS = "+".join(["word"] * 59)
BEAT = {"lesson": "constraints", "beat": "broken", "minutes": 0, "note": ""}
DEAR = [BEAT | {"state": f"sentence=w{k}+{WORDS}"} for k in range(64)]
LECTURE = {"format": "crf lecture", "version": 2, "title": "Dear", "beats": DEAR}
BODY = json.dumps({"lecture": LECTURE}).encode()
SOON = 0.5  # seconds until the server says that it is well


def workers() -> list[int]:
    """Processes that make a lecture's file."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if b"stage.lectures" in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


async def until(done, seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not done():
            await asyncio.sleep(0.1)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes cannot be listed")
def test_a_lecture_whose_file_is_dear_keeps_nobody_waiting_and_ends(tmp_path):
    before = set(workers())

    async def attack(url: str) -> None:
        host, port = url.removeprefix("http://").split(":")
        length = {"Content-Length": str(len(BODY))}
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(request(url, "plan/file", length, "POST") + BODY)
        await writer.drain()
        await until(lambda: set(workers()) - before)
        slowest = 0.0
        for _ in range(40):
            slowest = max(slowest, (await ask(url, "_stcore/health")).seconds)
            await asyncio.sleep(0.1)
        assert slowest < SOON
        writer.transport.abort()  # the reader goes
        await until(lambda: set(workers()) <= before)
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(request(url, "plan/file", length, "POST") + BODY)
        await writer.drain()
        await until(lambda: set(workers()) - before)
        start = time.monotonic()
        running.process.terminate()
        await asyncio.to_thread(running.process.wait, 20)
        ended.append(time.monotonic() - start)
        writer.close()

    ended: list[float] = []
    with serving("app.py", tmp_path / "log") as running:
        run_apart(lambda: attack(running.url))
    assert ended[0] < 5  # seconds
    assert set(workers()) <= before
