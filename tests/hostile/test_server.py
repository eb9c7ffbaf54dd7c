"""What one page, phone or program does to the server: nobody else notices."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest
from websockets.exceptions import InvalidHandshake

from benchmarks.raw_client import RawClient, run_apart
from pages.shared.course.problem import Problem
from pages.shared.course.problem_links import to_query
from pages.shared.ui.server.stack import NEWS
from pages.teach.classroom.door import LECTURER, PHONE
from pages.teach.classroom.room import Room
from tests.hostile.connections import (
    ANOTHER,
    ATTACKER,
    HANDSHAKE,
    STREAM,
    allow_files,
    ask,
    cookie,
    held,
    join,
)
from tests.hostile.watch import Server, a_class

SOON = 3.0  # seconds that an honest phone waits at most
LONGEST_LOG = 100_000  # bytes
ROUNDS = 5
MEGABYTE = 1024 * 1024


@pytest.fixture(scope="module")
def crowded() -> Iterator[tuple[Server, Room]]:
    """A class where 1,024 files may be open."""
    allow_files()
    with a_class("-Sn", "1024") as found:
        yield found


async def reads(running: Server) -> None:
    """A reader who comes now has the page, and the log is short."""
    async with asyncio.timeout(60):
        client = None
        while client is None:
            try:
                client = await running.open("glossary")
            except InvalidHandshake:  # the attack's pages are still being closed: as a browser does
                await asyncio.sleep(1)
    assert client.exceptions() == []
    await client.close()
    assert running.log.stat().st_size < LONGEST_LOG


@pytest.mark.parametrize("path", [STREAM, "", "_stcore/host-config"])
def test_a_foreign_page_is_refused_and_nobody_else_waits(alone, path):
    at_once = 20

    async def visit(url: str) -> None:
        port = url.rpartition(":")[2]
        foreign = "http://evil.example", "http://localhost:1", f"file://127.0.0.1:{port}"
        evil = {"Host": f"evil.example:{port}"}  # a name that was made to lead here
        heads = [{"Origin": origin} for origin in ("null", "", *foreign)]
        heads += [evil, evil | {"Origin": f"http://evil.example:{port}"}]
        heads += [{"Host": "127.0.0.1:1"}, {"Host": f"127.0.0.1:{port}@evil.example"}]
        for head in heads:
            sent = head | (HANDSHAKE if path == STREAM else {})
            rounds = []
            while len(rounds) < ROUNDS and not any(rounds):  # a busy machine is given another try
                cheap = await asyncio.gather(*(ask(url, "_stcore/health") for _ in range(at_once)))
                asked = [ask(url, path, sent) for _ in range(at_once)]
                *answers, health = await asyncio.gather(*asked, ask(url, "_stcore/health"))
                assert {answer.status for answer in answers} == {403}, head
                slowest = max(answer.seconds for answer in [*answers, health])
                rounds.append(slowest < max(0.05, 4 * max(answer.seconds for answer in cheap)))
            assert any(rounds), head

    run_apart(lambda: visit(alone.url))
    assert not alone.log.with_name("lookups").exists()


def test_a_program_that_joins_again_and_again_keeps_nobody_out(crowded):
    running, room = crowded
    tries = 499

    async def attack(url: str, room) -> None:
        member = cookie(await join(url, room.keys.code))
        await asyncio.gather(*(ask(url, f"join?code={room.keys.code}") for _ in range(tries)))
        assert room.store.taken() == 1  # a GET takes none
        joins = [join(url, room.keys.code, source=ATTACKER) for _ in range(tries)]
        found = Counter(answer.status for answer in await asyncio.gather(*joins))
        assert found.keys() == {303, 429}
        assert found[303] <= 160
        for sent, source in ((member, "127.0.0.1"), (member, ATTACKER), ("", ANOTHER)):
            answer = await join(url, room.keys.code, sent, source)
            assert answer.status == 303
            assert answer.seconds < SOON
        room.store.lock(True)
        assert [(await join(url, room.keys.code, c)).status for c in ("", member)] == [403, 303]
        room.store.lock(False)
        room.empty()
        await asyncio.sleep(1)
        async with held(url, 1, {"Cookie": member}, NEWS) as lines:
            assert lines == {"200": 1}
        assert room.store.taken() == 0
        assert (await join(url, room.keys.code, member)).status == 303

    room.empty()
    run_apart(lambda: attack(running.url, room))


def test_a_phone_with_many_lines_leaves_others_theirs(crowded):
    """Line after line, then page after page."""
    number, (running, room) = 1012, crowded

    async def attack(url: str) -> None:
        one, other = [{"Cookie": cookie(await join(url, room.keys.code))} for _ in range(2)]
        for head, path in ((one, NEWS), (one | HANDSHAKE, STREAM), (HANDSHAKE, STREAM)):
            async with held(url, number, head, path) as found:
                async with held(url, 1, other, NEWS) as line:
                    assert line == {"200": 1}
                async with held(url, 1, other | HANDSHAKE, STREAM) as page:
                    assert page == {"101": 1}
                if path == STREAM and "Cookie" in head:
                    assert (found["101"], found["503"]) == (3, number - 3)
                if path == NEWS:  # the newest line ends the others, of which a few may be left
                    assert found["503"] > number // 2
        await reads(running)

    run_apart(lambda: attack(running.url))


def test_connections_on_which_nothing_is_sent_keep_nobody_out(crowded):
    running, number = crowded[0], 5000

    async def attack() -> None:
        async with held(running.url, number, None) as found:
            assert found["open"] == number
            await reads(running)
        await reads(running)

    run_apart(attack)


@pytest.mark.thorough
def test_more_connections_than_a_server_may_open_keep_nobody_out_afterwards():
    """The start says how few phones there can be."""

    async def attack(running: Server) -> None:
        async with held(running.url, 300, None):
            await asyncio.sleep(2)
        await reads(running)

    with a_class("-n", "256") as (running, _):
        assert "can serve only 39 phones" in running.log.read_text()
        run_apart(lambda: attack(running))


@pytest.mark.parametrize("slow", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_one_address_without_the_code_does_not_shut_out_the_lecturer(crowded, slow):
    """It holds 750 pages, or 800 requests whose bodies never come."""
    running, room = crowded
    head = {"Content-Length": "9"} if slow else HANDSHAKE
    number, path = (800, "join") if slow else (750, STREAM)

    async def attack(url: str) -> None:
        link = f"lead?token={room.keys.token}"
        mine = {"Cookie": f"{LECTURER}={room.keys.token}"}
        phone = {"Cookie": cookie(await join(url, room.keys.code))}
        async with held(url, number, head, path, method="POST" if slow else "GET") as found:
            assert slow or found["101"] >= number // 2
            await asyncio.sleep(1)
            stranger = await ask(url, "glossary" if slow else STREAM, {} if slow else HANDSHAKE)
            assert stranger.status == 503
            for path_, sent, status in (
                (link, {}, 303),
                ("class/lead", mine, 200),
                ("structure", mine, 200),
                (STREAM, mine | HANDSHAKE, 101),
                ("class", phone, 200),
            ):
                answer = await ask(url, path_, sent)
                assert (path_, answer.status) == (path_, status)
                assert answer.seconds < SOON

    run_apart(lambda: attack(running.url))
    run_apart(lambda: reads(running))


@pytest.mark.thorough
def test_a_whole_class_is_held(crowded):
    """So many phones with a page of the course beside their line."""
    running, room = crowded
    phones = 500

    async def come(url: str) -> None:
        async with AsyncExitStack() as stack:
            for _ in range(phones):
                head = {"Cookie": f"{PHONE}={room.join(room.keys.code, None)}"}
                for more, path, status in ((HANDSHAKE, STREAM, "101"), ({}, NEWS, "200")):
                    connection = held(url, 1, head | more, path, "127.0.0.1")
                    assert await stack.enter_async_context(connection) == {status: 1}

    room.empty()
    run_apart(lambda: come(running.url))
    assert running.log.stat().st_size < LONGEST_LOG


def test_a_reader_who_asks_for_many_drawings_does_not_keep_the_door(crowded):
    lines = 200  # of which the server lets 64 wait
    large = Problem.blank([f"T{s}" for s in range(12)], [f"w{t}" for t in range(20)]).random(1)
    whole = json.dumps({"state": to_query(large), "want": "whole"}).encode()

    async def attack(url: str, code: str) -> None:
        path = "draw/trellis/best"
        drawn = await ask(url, path, method="POST", body=whole)
        asked = [ask(url, path, method="POST", body=whole) for _ in range(lines)]
        tasks = [asyncio.create_task(one) for one in asked]
        await asyncio.sleep(0.2)
        joined = await join(url, code)
        found = Counter(answer.status for answer in await asyncio.gather(*tasks))
        assert (drawn.status, joined.status) == (200, 303)
        assert joined.seconds < max(1.0, 4 * drawn.seconds)
        assert found.keys() == {200, 503}
        assert found[503] >= lines // 2

    running, room = crowded
    run_apart(lambda: attack(running.url, room.keys.code))


@pytest.mark.parametrize(
    "asks",
    [
        "draw/tag/flow",
        *(
            pytest.param(path, marks=pytest.mark.thorough)
            for path in ("plan/read", "train", "join", "beat/tag/flow")
        ),
    ],
)
def test_whatever_a_stranger_asks_again_and_again_the_class_gets_answers(crowded, asks):
    running, room = crowded
    lines = 200
    words = "+".join(f"w{k}" for k in range(60))
    body = json.dumps({"state": {"sentence": words}, "text": "x", "encoder": "none"}).encode()
    if asks.startswith("beat"):
        asks, body = f"{asks}?sentence={words}", b""
    method = "POST" if body else "GET"

    async def attack(url: str) -> None:
        mine = {"Cookie": f"{LECTURER}={room.keys.token}"}
        phone = {"Cookie": cookie(await join(url, room.keys.code))}
        again = [ask(url, asks, method=method, body=body, source=ATTACKER) for _ in range(lines)]
        tasks = [asyncio.create_task(one) for one in again]
        await asyncio.sleep(0.1)
        drawing = "draw/trellis/add", b'{"state": {}}'
        vote = "class/vote", b'{"question": "x", "answer": "1"}'
        for who, (path, sent), status in (
            (mine, ("class/lead", b""), 200),
            (phone, ("class", b""), 200),
            (phone, vote, 409),  # there is no such question
            (phone, drawing, 200),
            (mine, drawing, 200),
            (mine, ("class/door", b'{"do": "open"}'), 204),
            ({}, ("_stcore/health", b""), 200),
        ):
            answer = await ask(url, path, who, method="POST" if sent else "GET", body=sent)
            assert (path, answer.status) == (path, status)
            assert answer.seconds < SOON, path
        await asyncio.gather(*tasks)

    run_apart(lambda: attack(running.url))


def test_of_one_session_s_files_the_server_keeps_64_megabytes(alone):
    number, size = 6, 15 * MEGABYTE
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n%b\r\n--x--\r\n'
    body = part % bytes(size)

    async def attack(url: str) -> None:
        client = await RawClient.open(url, "glossary")
        health = await ask(url, "_stcore/health")
        token = health.text.partition("_streamlit_xsrf=")[2].partition(";")[0]
        head = {
            "Content-Type": "multipart/form-data; boundary=x",
            "Cookie": f"_streamlit_xsrf={token}",
            "X-Xsrftoken": token,
        }

        async def put(k: int) -> int:
            path = f"_stcore/upload_file/{client.session}/f{k}"
            return (await ask(url, path, head, method="PUT", body=body)).status

        found, most = [await put(k) for k in range(number)], 64 * MEGABYTE // size
        assert found == [204] * most + [413] * (number - most)
        await ask(url, f"_stcore/upload_file/{client.session}/f0", head, method="DELETE")
        assert await put(number) == 204
        await client.close()

    run_apart(lambda: attack(alone.url))
