"""A class goes through a lecture while one student's program attacks it: nobody waits long."""

import asyncio
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks.followers import QUESTION, Follower, picture
from benchmarks.raw_client import run_apart
from benchmarks.serving import ROOT
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.lecture import Stop
from pages.shared.ui.class_door import REFILL
from pages.shared.ui.class_session import NEWS
from tests.hostile import connections
from tests.hostile.connections import ATTACKER, HANDSHAKE, STREAM, held, join
from tests.hostile.watch import a_class

STOPS = [Stop("forward", "ex=old-man&step=7", "Forward"), Stop("glossary", "", "Words")]
FIGURE = "stepper"  # of the first one; the other has none
WITHIN = 5.0  # seconds in which all join, and in which all vote
EVERY = 15.0  # seconds between two attacks
SOON = 3.0  # seconds that an honest phone waits at most
SHARE = 2.0  # on a machine with other work: times what the same class waits without the attack
LONGEST_LOG = 100_000  # bytes


def attack(url: str, code: str) -> None:
    """Join 499 times, open 1,012 lines for news, as many pages, 1,000 idle connections; again."""

    async def again() -> None:
        while True:
            joins = [join(url, code, source=ATTACKER) for _ in range(499)]
            answers = await asyncio.gather(*joins)
            own = next((connections.cookie(one) for one in answers if one.status == 303), "")
            head = {"Cookie": own}
            async with (
                held(url, 1012, head, NEWS),
                held(url, 1012, head | HANDSHAKE, STREAM),
                held(url, 1000, None),
            ):
                await asyncio.sleep(EVERY)

    os.nice(19)  # the real one has a machine of its own
    connections.allow_files()
    run_apart(again, within=None)  # until it is killed


@contextmanager
def attacked(url: str, code: str) -> Iterator[None]:
    """Have a program of its own attack the class meanwhile."""
    words = f"from tests.hostile.test_lecture import attack; attack({url!r}, {code!r})"
    program = subprocess.Popen([sys.executable, "-c", words], cwd=ROOT)
    try:
        yield
        assert program.poll() is None, "the attack has ended by itself"
    finally:
        program.kill()
        program.wait()


async def lecture(url: str, room: Classroom, students: int) -> dict[str, float]:
    """All join, follow the stops and vote; every vote counts. The longest waits, in seconds."""
    longest: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def waiting(what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        longest[what] = max(longest[what], time.perf_counter() - start)

    async def come(k: int) -> Follower:
        await asyncio.sleep(WITHIN * k / students)
        with waiting("join"):
            return await Follower.join(url, room.code)

    async def follow(phone: Follower, serial: int) -> None:
        with waiting("news"):
            await phone.hear(serial)
        with waiting("page"):
            with waiting("stop"):
                if phone.news["picture"]:
                    await phone.see(serial)
                else:
                    await phone.follow(serial)
            if phone.news["picture"]:
                await phone.follow(serial)

    async def vote(phone: Follower, k: int, number: int, serial: int) -> None:
        await phone.hear(serial)
        await asyncio.sleep(WITHIN * k / students)
        await phone.session.trigger("class.follow", "news", serial)
        with waiting("vote"):
            await phone.vote(QUESTION.options[k % 3], number)

    phones = await asyncio.gather(*(come(k) for k in range(students)))
    await asyncio.gather(*(phone.ahead for phone in phones))
    for stop, drawn in zip(STOPS, (await picture(url, room, STOPS[0], FIGURE), ""), strict=True):
        room.lead(stop, drawn)
        serial = room.now().serial
        await asyncio.gather(*(follow(phone, serial) for phone in phones))
    number = room.ask(QUESTION)
    serial = room.now().serial
    await asyncio.gather(*(vote(phone, k, number, serial) for k, phone in enumerate(phones)))
    names = [phone.cookie.partition("=")[2].rpartition(".")[0] for phone in phones]
    assert [room.answer(name, number) for name in names] == [k % 3 for k in range(students)]
    assert [error for phone in phones for error in phone.session.exceptions()] == []
    await asyncio.gather(*(phone.leave() for phone in phones), return_exceptions=True)
    return longest


@pytest.mark.thorough
@pytest.mark.parametrize("students", [8, 80])
def test_a_lecture_goes_on_while_it_is_attacked(students):
    with a_class("-Sn", "1024") as (running, room):
        alone = run_apart(lambda: lecture(running.url, room, students))
        room.store.empty()
        time.sleep(students / REFILL)  # until as many can come in from one address again
        with attacked(running.url, room.code):
            waits = run_apart(lambda: lecture(running.url, room, students))
        print(f"{students} phones, longest waits in seconds: attacked {waits}, alone {alone}")
        for what, longest in waits.items():
            assert longest < max(SOON, SHARE * alone[what]), what
        assert running.log.stat().st_size < LONGEST_LOG
