"""A class on one server: how soon its phones have a beat, and whether each of its votes counts.

    python -m benchmarks.classroom [--json] [--phones 500] [--votes 200] [--beats 5]

A phone is what it is to the server: one line on which it is told, a request for each picture, and a
vote that is sent again until it is confirmed. While the class votes the server is killed (SIGKILL)
and started again. Times are those of the last phone, the median of the beats; the phones share the
machine with the server.
"""

import argparse
import asyncio
import http.client
import json
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.raw_client import run_apart
from benchmarks.serving import Server, free_port, serving
from crf.strict_json import write_json
from pages import beats
from pages.teach.classroom.door import LECTURER, PHONE
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store

WITHIN = 5.0  # seconds in which all votes come
SHOWN = ("path", "count", "add", "logz", "best", "back", "both", "meet", "learn")


@dataclass
class Phone:
    """One phone, and when it received the news and the picture."""

    url: str
    cookie: str
    told: asyncio.Event = field(default_factory=asyncio.Event)
    event: dict[str, Any] = field(default_factory=dict)
    pictured: str = ""
    at: tuple[float, float] = (0.0, 0.0)  # when it was told, and when it had the picture

    async def follow(self) -> None:
        """Hear the news, on one line after the other, and fetch each new picture."""
        while True:
            with suppress(OSError, asyncio.IncompleteReadError):
                reader, writer = await self.get("class/news", "keep-alive")
                with closing(writer):
                    while line := await reader.readline():
                        if line.startswith(b'data: {"lesson"'):
                            await self.hear(json.loads(line[6:]))
            await asyncio.sleep(1.0)  # as the server asks for by `retry`

    async def hear(self, event: dict[str, Any]) -> None:
        """Take an event, and fetch its picture."""
        start, self.event = time.perf_counter(), event
        if event["picture"] != self.pictured:
            reader, writer = await self.get(f"class/picture/{event['picture']}", "close")
            with closing(writer):
                head = await reader.read()
            if b" 200 " not in head.split(b"\r\n")[0]:
                raise ConnectionError("there is no picture")
            self.pictured = event["picture"]
        self.at = start, time.perf_counter()
        self.told.set()

    async def get(
        self, path: str, connection: str, method: str = "GET", body: bytes = b""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Ask for something on a connection of its own."""
        host, port = self.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = f"{method} /{path} HTTP/1.1", f"Host: {host}:{port}", f"Cookie: {self.cookie}"
        more = f"Connection: {connection}", f"Content-Length: {len(body)}", "", ""
        writer.write("\r\n".join([*lines, *more]).encode() + body)
        return reader, writer

    async def vote(self, after: float, option: str) -> None:
        """Send an answer until it is confirmed."""
        await asyncio.sleep(after)
        body = write_json({"question": self.event["question"], "answer": option}).encode()
        while True:
            with suppress(OSError):
                reader, writer = await self.get("class/vote", "close", "POST", body)
                with closing(writer):
                    if b" 200 " in await reader.readline():
                        return
            await asyncio.sleep(1.0)


def show(url: str, token: str, beat: str, **state: str) -> None:
    """Show a beat, as the lecturer's browser does."""
    body = write_json({"lesson": "trellis", "beat": beat, "state": {"ex": "old-man"} | state})
    with closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)) as line:
        line.request("POST", "/class/show", body, {"Cookie": f"{LECTURER}={token}"})
        answer = line.getresponse()
        if answer.status != 200:
            raise ConnectionError(answer.read().decode())


async def tell(phones: Sequence[Phone], token: str, beat: str) -> tuple[float, float]:
    """Show a beat; after how many seconds the last phone was told, and had the picture."""
    for phone in phones:
        phone.told.clear()
    start = time.perf_counter()
    await asyncio.to_thread(show, phones[0].url, token, beat)
    await asyncio.gather(*(phone.told.wait() for phone in phones))
    news, picture = (max(times) for times in zip(*(phone.at for phone in phones), strict=True))
    return news - start, picture - start


async def lecture(server: Server, room: Room, cookies: Sequence[str], shown: int) -> dict[str, Any]:
    """A class is shown beats; how long each took, and what it cost the server."""
    phones = len(cookies)
    class_ = [Phone(server.url, f"{PHONE}={cookie}") for cookie in cookies]
    lines = [asyncio.create_task(phone.follow()) for phone in class_]
    await asyncio.to_thread(show, server.url, room.keys.token, "path")
    await asyncio.gather(*(phone.told.wait() for phone in class_))
    cpu, memory = _cpu(server), _memory(server)
    waits = [await tell(class_, room.keys.token, SHOWN[(k + 1) % len(SHOWN)]) for k in range(shown)]
    cost = 1000 * (_cpu(server) - cpu) / phones / shown
    news, picture = (statistics.median(times) for times in zip(*waits, strict=True))
    grown = (_memory(server) - memory) / 2**20
    for line in lines:
        line.cancel()
    await asyncio.gather(*lines, return_exceptions=True)
    return {
        "phones": phones,
        "told_s": news,
        "picture_s": picture,
        "cpu_ms_per_phone": cost,
        "grown_mb": grown,
    }


async def ballot(url: str, room: Room, cookies: Sequence[str], kill: Any) -> dict[str, int]:
    """Have phones vote within five seconds, while the server is killed and restarted."""
    votes = len(cookies)
    class_ = [Phone(url, f"{PHONE}={cookie}") for cookie in cookies]
    lines = [asyncio.create_task(phone.follow()) for phone in class_]
    await asyncio.to_thread(show, url, room.keys.token, "bet")
    await asyncio.gather(*(phone.told.wait() for phone in class_))
    answers = [phone.vote(WITHIN * k / votes, f"w{k % 3}") for k, phone in enumerate(class_)]
    killed = asyncio.to_thread(kill, WITHIN / 2)
    await asyncio.gather(*answers, killed)
    question = class_[0].event["question"]
    for line in lines:
        line.cancel()
    await asyncio.gather(*lines, return_exceptions=True)
    return {"votes": votes, "counted": len(room.store.votes(question))}


def measure(phones: int, votes: int, shown: int) -> dict[str, Any]:
    """Measure a lecture and a ballot, each on a server of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options, port = ("--class", "--store", str(folder / "class")), free_port()
        with serving("app.py", folder / "log", *options, port=port) as server:
            room = Room(Store(folder / "class"), beats.LESSONS)
            cookies = [room.join(room.keys.code, None) for _ in range(max(phones, votes))]
            results = run_apart(lambda: lecture(server, room, cookies[:phones], shown), None)
            second = []

            def kill(after: float) -> None:
                time.sleep(after)
                server.process.kill()
                server.process.wait()
                second.append(serving("app.py", folder / "log2", *options, port=port))
                second[0].__enter__()

            tally = run_apart(lambda: ballot(server.url, room, cookies[:votes], kill), None)
            second[0].__exit__(None, None, None)
            room.store.close()
    return results | tally


def _cpu(server: Server) -> float:
    """Seconds of processor time that a server has spent."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(server: Server) -> int:
    """Bytes that a server holds."""
    pages = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one line of JSON")
    parser.add_argument("--phones", type=int, default=500)
    parser.add_argument("--votes", type=int, default=200)
    parser.add_argument("--beats", type=int, default=5, help="so many are shown")
    options = parser.parse_args()
    row = measure(options.phones, options.votes, options.beats)
    if options.json:
        print(write_json(row))
        return
    print(
        f"{row['phones']} phones: told {row['told_s']:.2f} s, picture {row['picture_s']:.2f} "
        f"s after the lecturer's key, {row['cpu_ms_per_phone']:.1f} ms of processor a phone; "
        f"{row['counted']} of {row['votes']} votes counted, though the server was killed; "
        f"memory grew by {row['grown_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
