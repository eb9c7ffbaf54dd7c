"""What a hostile page, phone or program does to a server over the network."""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

from benchmarks.raw_client import run_apart
from tests.hostile.watch import Server, Tally, server

SOON = 0.05  # seconds within which a request is refused, on a machine that does nothing else
SHARE = 4.0  # on a busy one: as many times what as many of the cheapest requests take
ROUNDS = 3  # of which the quickest counts
PATIENCE = 10.0  # seconds that an answer is waited for
HEALTH = "_stcore/health"
STREAM = "_stcore/stream"
HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "streamlit",
}
# Every look-up of a name, and every connection, is written down; the resolver does not answer.
_RESOLVER = """
import ipaddress, os, sys, time
def watch(event, args):
    if event not in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect"):
        return
    host = args[1] if event == "socket.connect" else args[0]
    host = host[0] if isinstance(host, tuple) else host
    try:
        away = not ipaddress.ip_address(host).is_loopback
    except ValueError:
        away = host not in (None, "", "localhost", b"localhost")
    if away and host != "192.0.2.1":  # which is asked nothing, but for the way to it
        with open(os.environ["LOOKUPS"], "a") as file:
            print(event, host, file=file)
        time.sleep(5)
sys.addaudithook(watch)
"""


class Answer:
    """What came back for one request.

    Attributes:
        text: All that came before the body.
        status: Of HTTP; 0: nothing came.
        headers: By their names in small letters.
        body: As far as it was read.
        seconds: How long it took.
    """

    def __init__(self, text: bytes, seconds: float) -> None:
        head, _, self.body = text.partition(b"\r\n\r\n")
        self.text = head.decode("latin1")
        first, *lines = self.text.split("\r\n")
        self.status = int(first.split()[1]) if first else 0
        pairs = (line.partition(":") for line in lines)
        self.headers = {name.lower(): value.strip() for name, _, value in pairs}
        self.seconds = seconds


async def ask(
    url: str,
    path: str,
    headers: dict[str, str] | None = None,
    *,
    method: str = "GET",
    body: bytes = b"",
    source: str = "127.0.0.1",
) -> Answer:
    """Send one request as it is written here, and read the answer to its end."""
    start = time.perf_counter()
    try:
        async with asyncio.timeout(PATIENCE):
            text = await _asked(url, path, headers or {}, method, body, source)
    except (TimeoutError, OSError, asyncio.IncompleteReadError):
        text = b""
    return Answer(text, time.perf_counter() - start)


async def _asked(
    url: str, path: str, headers: dict[str, str], method: str, body: bytes, source: str
) -> bytes:
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
    with closing(writer):
        sent = {"Host": f"{host}:{port}", "Connection": "close"} | headers
        if body or method == "POST":
            sent["Content-Length"] = str(len(body))
        lines = [f"{method} /{path} HTTP/1.1", *(f"{name}: {text}" for name, text in sent.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = await reader.readuntil(b"\r\n\r\n")
        upgraded = b" 101 " in head.split(b"\r\n")[0]
        rest = b"" if upgraded else await reader.read()
    return head + rest


@contextmanager
def without_a_resolver(*options: str) -> Iterator[tuple[Server, Path]]:
    """A server that no name is found for; and the file that its look-ups are written to."""
    with server(*options, site=_RESOLVER) as running:
        yield running, running.log.with_name("lookups")


# ---------------------------------------------------------------------- other sites' pages


def foreign_names(port: int) -> list[dict[str, str]]:
    """Headers that a page of another site makes a browser send."""
    evil = f"evil.example:{port}"
    return [
        *({"Origin": origin} for origin in _foreign_origins(port)),
        {"Host": evil},  # a name that was made to lead here
        {"Host": evil, "Origin": f"http://{evil}"},
        {"Host": "127.0.0.1:1"},
        {"Host": f"127.0.0.1:{port}@evil.example"},
    ]


def _foreign_origins(port: int) -> list[str]:
    return ["http://evil.example", "null", "", "http://localhost:1", f"file://127.0.0.1:{port}"]


def a_foreign_page(at_once: int = 50) -> Tally:
    """So many handshakes and requests of each kind at once: all refused, nobody else waits."""
    tally = Tally("foreign page")
    with without_a_resolver() as (running, lookups):
        tries = [
            (path, headers | (HANDSHAKE if path == STREAM else {}))
            for headers in foreign_names(int(running.url.rpartition(":")[2]))
            for path in (STREAM, "", "_stcore/host-config")
        ]
        for path, headers in tries:
            tally.tries += at_once
            tally.failures += run_apart(partial(_refused, running.url, path, headers, at_once))
            if tally.failures:
                break  # a server that hangs says no more of the next
        if lookups.exists():
            tally.failures += [f"a name was looked up: {lookups.read_text()[:100]}"]
    return tally


async def _refused(url: str, path: str, headers: dict[str, str], at_once: int) -> Iterable[str]:
    shown = f"/{path} with {headers.get('Origin')} at {headers.get('Host')}"
    slowest = []
    for _ in range(ROUNDS):
        cheap = await asyncio.gather(*(ask(url, HEALTH) for _ in range(at_once)))
        asked = [ask(url, path, headers) for _ in range(at_once)]
        *answers, health = await asyncio.gather(*asked, ask(url, HEALTH))
        if found := {answer.status for answer in answers} - {403}:
            return [f"{shown} is answered {found}"]
        slowest.append(max(answer.seconds for answer in [*answers, health]))
        if slowest[-1] < max(SOON, SHARE * max(answer.seconds for answer in cheap)):
            return []
    return [f"{shown} takes {min(slowest):.3f} s"]


def attacks() -> Iterator[Tally]:
    """All of them."""
    yield a_foreign_page()
