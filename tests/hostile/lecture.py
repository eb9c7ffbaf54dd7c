"""A class that goes through a lecture while one student's program attacks it."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.followers import QUESTION, Follower
from benchmarks.raw_client import run_apart
from benchmarks.serving import ROOT
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.lecture import Stop
from pages.shared.ui.class_door import REFILL
from pages.shared.ui.class_session import NEWS
from tests.hostile import crowds
from tests.hostile.watch import Tally

STOPS = [Stop("forward", "ex=old-man&step=7", "Forward"), Stop("glossary", "", "Words")]
WITHIN = 5.0  # seconds in which all join, and in which all vote
EVERY = 15.0  # seconds between two attacks
SHARE = 2.0  # on a machine with other work: times what the same class waits without the attack


def attack(url: str, code: str) -> None:
    """Join 499 times, open 1,012 lines for news, as many pages, 1,000 idle connections; again."""

    async def again() -> None:
        while True:
            joins = [crowds.join(url, code, source=crowds.ATTACKER) for _ in range(499)]
            answers = await asyncio.gather(*joins)
            own = next((crowds.cookie(one) for one in answers if one.status == 303), "")
            head = {"Cookie": own}
            async with (
                crowds.held(url, 1012, head, NEWS),
                crowds.held(url, 1012, head | crowds.HANDSHAKE, crowds.STREAM),
                crowds.held(url, 1000, None),
            ):
                await asyncio.sleep(EVERY)

    crowds.allow_files()
    run_apart(again, within=None)  # until it is killed


@contextmanager
def attacked(url: str, code: str) -> Iterator[None]:
    """Have a program of its own attack the class meanwhile."""
    words = f"from tests.hostile.lecture import attack; attack({url!r}, {code!r})"
    program = subprocess.Popen([sys.executable, "-c", words], cwd=ROOT)
    try:
        yield
        assert program.poll() is None, "the attack has ended by itself"
    finally:
        program.kill()
        program.wait()


class _Waits:
    """How long phones waited, by what they waited for."""

    def __init__(self) -> None:
        self.longest: dict[str, float] = {}

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        waited = time.perf_counter() - start
        self.longest[what] = max(waited, self.longest.get(what, 0.0))


async def _lecture(url: str, room: Classroom, students: int, waits: _Waits) -> list[str]:
    async def come(k: int) -> Follower:
        await asyncio.sleep(WITHIN * k / students)
        with waits.of("join"):
            return await Follower.join(url, room.code)

    phones = await asyncio.gather(*(come(k) for k in range(students)))
    await asyncio.gather(*(phone.ahead for phone in phones))

    async def follow(phone: Follower, serial: int) -> None:
        with waits.of("news"):
            await phone.hear(serial)
        with waits.of("page"):
            page, _, query = phone.news["href"].partition("?")
            await phone.open(page, query)

    for stop in STOPS:
        room.lead(stop)
        serial = room.now().serial
        await asyncio.gather(*(follow(phone, serial) for phone in phones))

    async def vote(phone: Follower, k: int, number: int, serial: int) -> int:
        await phone.hear(serial)
        await asyncio.sleep(WITHIN * k / students)
        await phone.session.trigger("class.follow", "news", serial)
        with waits.of("vote"):
            _, tries = await phone.vote(QUESTION.options[k % 3], number)
        return tries

    number = room.ask(QUESTION)
    serial = room.now().serial
    await asyncio.gather(*(vote(phone, k, number, serial) for k, phone in enumerate(phones)))
    names = [phone.cookie.partition("=")[2].rpartition(".")[0] for phone in phones]
    lost = [k for k, name in enumerate(names) if room.answer(name, number) != k % 3]
    errors = [error for phone in phones for error in phone.session.exceptions()]
    await asyncio.gather(*(phone.leave() for phone in phones), return_exceptions=True)
    return errors[:3] + [f"lost votes: {lost}"] * bool(lost)


def under_attack(students: int = 80) -> Tally:
    """So many students join, follow two stops and vote: no vote is lost, nobody waits long."""
    tally = Tally("lecture", students)
    with crowds.a_class("-Sn", "1024") as (running, room):
        alone, waits = _Waits(), _Waits()
        tally.failures += run_apart(lambda: _lecture(running.url, room, students, alone))
        room.store.empty()
        time.sleep(students / REFILL)  # until as many can come in from one address again
        with attacked(running.url, room.code):
            tally.failures += run_apart(lambda: _lecture(running.url, room, students, waits))
        for what, longest in waits.longest.items():
            else_longest = alone.longest[what]
            said = f"{what}: {longest:.2f} s, without the attack {else_longest:.2f} s"
            print(f"  {students} phones, longest wait, {said}", file=sys.stderr)
            if longest > max(crowds.SOON, SHARE * else_longest):
                tally.failures += [said]
        if (size := running.log.stat().st_size) > crowds.LONGEST_LOG:
            tally.failures += [f"the log has {size} bytes"]
    return tally


def attacks() -> Iterator[Tally]:
    """A whole class."""
    yield under_attack()
