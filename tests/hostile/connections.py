"""Requests as they are written here, and connections that stay open."""

import asyncio
import resource
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from typing import NamedTuple

from pages.teach.classroom.door import PHONE

ATTACKER, ANOTHER = "127.0.0.2", "127.0.0.3"  # addresses on loopback
PATIENCE = 10.0  # seconds that an answer is waited for
STREAM = "_stcore/stream"
HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "streamlit",
}


class Answer(NamedTuple):
    """What came back for one request."""

    text: str  # all that came before the body; "": nothing came
    seconds: float  # how long it took

    @property
    def status(self) -> int:
        """Of HTTP; 0: nothing came."""
        return int(self.text.split()[1]) if self.text else 0


def request(url: str, path: str, head: dict[str, str], method: str = "GET") -> bytes:
    """A request without its body; headers replace those that it would have."""
    headers = {"Host": url.removeprefix("http://")} | head
    lines = [f"{method} /{path} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


async def ask(
    url: str,
    path: str,
    headers: dict[str, str] | None = None,
    *,
    method: str = "GET",
    body: bytes = b"",
    source: str = "127.0.0.1",
) -> Answer:
    """Send one request, and read the answer to its end."""
    host, port = url.removeprefix("http://").split(":")
    length = {"Content-Length": str(len(body))} if body or method == "POST" else {}
    head = {"Connection": "close"} | (headers or {}) | length
    start, text = time.perf_counter(), b""
    with suppress(TimeoutError, OSError, asyncio.IncompleteReadError):
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection(host, int(port), local_addr=(source, 0))
            with closing(writer):
                writer.write(request(url, path, head, method) + body)
                text = await reader.readuntil(b"\r\n\r\n")
                if b" 101 " not in text.split(b"\r\n")[0]:
                    await reader.read()
    return Answer(text.partition(b"\r\n\r\n")[0].decode("latin1"), time.perf_counter() - start)


async def join(url: str, code: str, cookie: str = "", source: str = "127.0.0.1") -> Answer:
    """Press Join."""
    body, headers = f"code={code}".encode(), {"Cookie": cookie} if cookie else {}
    return await ask(url, "join", headers, method="POST", body=body, source=source)


def cookie(answer: Answer) -> str:
    """Who one is after joining."""
    return f"{PHONE}={answer.text.partition(f'{PHONE}=')[2].partition(';')[0]}"


@asynccontextmanager
async def held(
    url: str,
    number: int,
    head: dict[str, str] | None,
    path: str = "",
    source: str = ATTACKER,
    *,
    method: str = "GET",
) -> AsyncIterator[Counter[str]]:
    """So many connections that stay open, and how each was answered; no `head`: nothing is sent.

    Of a POST nothing is waited for: its body never comes.
    """
    host, port = url.removeprefix("http://").split(":")

    async def one() -> tuple[asyncio.StreamWriter | None, str]:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(2 * PATIENCE):
                local = (source, 0)
                reader, writer = await asyncio.open_connection(host, int(port), local_addr=local)
                if head is None:
                    return writer, "open"
                writer.write(request(url, path, head, method))
                if method == "POST":
                    return writer, "open"
                return writer, (await reader.readline()).split()[1].decode()
        return None, "none"

    writers, found = [], Counter()
    for k in range(0, number, 200):
        some = await asyncio.gather(*(one() for _ in range(min(200, number - k))))
        writers += [writer for writer, _ in some if writer]
        found.update(status for _, status in some)
    try:
        yield found
    finally:
        for writer in writers:
            writer.transport.abort()


def allow_files() -> None:
    """Let this process, which stands for all phones, open what it can."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
