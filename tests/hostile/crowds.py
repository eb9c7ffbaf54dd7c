"""What one student's phone or program does to the class: places, lines for news, connections."""

import asyncio
import resource
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

from websockets.exceptions import InvalidStatus

from benchmarks.raw_client import RawClient, run_apart
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.classroom.store import open_store
from pages.shared.ui.class_session import NEWS, STUDENT
from tests.hostile.network import HANDSHAKE, STREAM, Answer, ask
from tests.hostile.watch import Server, Tally, server

ATTACKER, ANOTHER = "127.0.0.2", "127.0.0.3"  # addresses on loopback
LONGEST_LOG = 100_000  # bytes
SOON = 3.0  # seconds that an honest phone waits at most


@contextmanager
def a_class(*limit: str) -> Iterator[tuple[Server, Classroom]]:
    """A class and its room; the server may be bound to so many open files, as `ulimit` has it."""
    before = ["sh", "-c", f'ulimit {" ".join(limit)}; exec "$@"', "sh"] if limit else []
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "class.sqlite3")
        with server("--class", "--store", store, before=before) as running:
            yield running, Classroom(open_store(store))


async def join(url: str, code: str, cookie: str = "", source: str = "127.0.0.1") -> Answer:
    """Press Join."""
    headers = {"Cookie": cookie} if cookie else {}
    body = f"code={code}".encode()
    return await ask(url, "join", headers, method="POST", body=body, source=source)


def cookie(answer: Answer) -> str:
    """Who one is after joining."""
    return f"{STUDENT}={answer.text.partition(f'{STUDENT}=')[2].partition(';')[0]}"


@asynccontextmanager
async def held(
    url: str, number: int, head: dict[str, str] | None, path: str = "", source: str = ATTACKER
) -> AsyncIterator[Counter[str]]:
    """So many connections that stay open, and how each was answered.

    Args:
        url: Of the server.
        number: How many.
        head: Headers of the request on each; None: nothing is sent.
        path: That it asks for.
        source: The address that they come from.
    """
    host, port = url.removeprefix("http://").split(":")
    lines = [f"GET /{path} HTTP/1.1", f"Host: {host}:{port}"]
    lines += [f"{name}: {text}" for name, text in (head or {}).items()]

    async def one() -> tuple[asyncio.StreamWriter | None, str]:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            async with asyncio.timeout(20):
                reader, writer = await asyncio.open_connection(
                    host, int(port), local_addr=(source, 0)
                )
                if head is None:
                    return writer, "open"
                writer.write("\r\n".join([*lines, "", ""]).encode())
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


async def _reads(url: str) -> list[str]:
    """What is wrong for a reader who comes now."""
    async with asyncio.timeout(60):
        client = None
        while client is None:
            try:
                client = await RawClient.open(url, "glossary")
            except InvalidStatus:  # the attack's pages are still being closed: as a browser does
                await asyncio.sleep(1)
        try:
            return client.exceptions()
        finally:
            await client.close()


def _of_log(running: Server) -> list[str]:
    size = running.log.stat().st_size
    return [f"the log has {size} bytes"] if size > LONGEST_LOG else []


def allow_files() -> None:
    """Let this process, which stands for all phones, open what it can."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))


# ---------------------------------------------------------------------- places


def a_full_room(tries: int = 499) -> Tally:
    """One program joins again and again: nobody else is kept out, whoever is in stays in."""
    tally = Tally("full room", tries)

    async def attack(url: str, room: Classroom) -> list[str]:
        member = cookie(await join(url, room.code))
        await asyncio.gather(*(ask(url, f"join?code={room.code}") for _ in range(tries)))
        wrong = [f"a GET takes places: {room.store.places()}"] * (room.store.places().taken > 1)
        joins = [join(url, room.code, source=ATTACKER) for _ in range(tries)]
        found = Counter(answer.status for answer in await asyncio.gather(*joins))
        if found[303] > 160 or set(found) != {303, 429}:
            wrong += [f"a program's joins are answered {dict(found)}"]
        for who, sent, source in [
            ("a member", member, "127.0.0.1"),
            ("a member at the program's address", member, ATTACKER),
            ("a new phone", "", ANOTHER),
        ]:
            answer = await join(url, room.code, sent, source)
            if answer.status != 303 or answer.seconds > SOON:
                wrong += [f"{who} is answered {answer.status} after {answer.seconds:.1f} s"]
        room.store.lock(True)
        statuses = [(await join(url, room.code, c)).status for c in ("", member)]
        room.store.lock(False)
        room.store.empty()
        await asyncio.sleep(1)
        async with held(url, 1, {"Cookie": member}, NEWS) as lines:
            pass
        statuses += [room.store.places().taken, (await join(url, room.code, member)).status]
        if statuses != [403, 303, 0, 303] or lines != {"200": 1}:
            wrong += [f"locked, a member, emptied, joined anew: {statuses}, {lines}"]
        return wrong

    with a_class() as (running, room):
        tally.failures += run_apart(lambda: attack(running.url, room))
    return tally


# ---------------------------------------------------------------------- connections


def many_lines(number: int = 1012) -> Tally:
    """One phone opens line after line, then page after page, where 1,024 files may be open."""
    tally = Tally("many lines", 2 * number)
    allow_files()

    async def attack(url: str, room: Classroom) -> list[str]:
        one = {"Cookie": cookie(await join(url, room.code))}
        other = {"Cookie": cookie(await join(url, room.code))}
        wrong = []
        for head, path in ((one, NEWS), (one | HANDSHAKE, STREAM), (HANDSHAKE, STREAM)):
            async with held(url, number, head, path) as found:
                async with held(url, 1, other, NEWS) as line:
                    pass
                async with held(url, 1, other | HANDSHAKE, STREAM) as page:
                    pass
                if (line, page) != ({"200": 1}, {"101": 1}):
                    wrong += [f"another phone is answered {line} and {page}"]
                if (
                    path == STREAM
                    and "Cookie" in head
                    and (found["101"], found["503"]) != (3, number - 3)
                ):
                    wrong += [f"one phone's pages are answered {dict(found)}"]
        return wrong + await _reads(url)

    with a_class("-Sn", "1024") as (running, room):
        tally.failures += run_apart(lambda: attack(running.url, room)) + _of_log(running)
    return tally


def idle(number: int = 5000, *limit: str) -> Tally:
    """Connections on which nothing is ever sent: a reader gets the page, the log stays short."""
    tally = Tally("idle lines", number)
    allow_files()

    async def attack(url: str) -> list[str]:
        async with held(url, number, None) as found:
            wrong = [f"of {number} connections: {found}"] * (found["open"] < number)
            return wrong + await _reads(url)

    with a_class(*(limit or ("-Sn", "1024"))) as (running, _):
        tally.failures += run_apart(lambda: attack(running.url)) + _of_log(running)
    return tally


def few_files(number: int = 300) -> Tally:
    """Where no more than 256 files may be open: the start says so, the log stays short."""
    tally = Tally("few files", number)

    async def attack(url: str) -> list[str]:
        async with held(url, number, None):
            await asyncio.sleep(4)
        await asyncio.sleep(2)
        return await _reads(url)

    with a_class("-n", "256") as (running, _):
        if "can hold 39 phones" not in running.log.read_text():
            tally.failures += ["the start does not say how few phones there can be"]
        tally.failures += run_apart(lambda: attack(running.url)) + _of_log(running)
    return tally


def a_whole_class(places: int = 500) -> Tally:
    """So many phones with two connections each."""
    tally = Tally("whole class", places)
    allow_files()

    async def come(url: str, room: Classroom) -> list[str]:
        wrong = []
        async with AsyncExitStack() as stack:
            for k in range(places):
                student = room.join(room.code, None)
                head = {"Cookie": f"{STUDENT}={student}"}
                for more, path, status in ((HANDSHAKE, STREAM, "101"), ({}, NEWS, "200")):
                    connection = held(url, 1, head | more, path, "127.0.0.1")
                    found = await stack.enter_async_context(connection)
                    if found != {status: 1}:
                        wrong += [f"phone {k} is answered {found}"]
            await asyncio.sleep(16)  # until they have been counted
            if (counted := room.store.places()) != (places, places):
                wrong += [f"counted: {counted}"]
        return wrong[:3]

    with a_class("-Sn", "1024") as (running, room):
        tally.failures += run_apart(lambda: come(running.url, room)) + _of_log(running)
    return tally


def attacks() -> Iterator[Tally]:
    """All of them."""
    yield a_full_room()
    yield many_lines()
    yield idle()
    yield few_files()
    yield a_whole_class()
