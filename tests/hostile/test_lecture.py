"""A class goes through a lecture while one student's program attacks it: nobody waits long."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from benchmarks import followers
from benchmarks.raw_client import run_apart
from benchmarks.serving import ROOT
from pages.shared.ui.class_door import REFILL
from pages.shared.ui.class_session import NEWS
from tests.hostile import connections
from tests.hostile.connections import ATTACKER, HANDSHAKE, STREAM, held, join
from tests.hostile.watch import a_class

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


def lecture(url: str, where: str, students: int) -> dict[str, float]:
    """All join, follow a stop and vote; every vote counts. The longest waits, in seconds."""
    found = run_apart(lambda: followers.lecture(url, where, [], students, students))
    assert (found["counted"], found["errors"]) == (students, [])
    waits = {what: found[f"{what}_last_s"] for what in ("joined", "told", "seen", "there")}
    return waits | {"vote": found["vote_last_ms"] / 1000}


@pytest.mark.thorough
@pytest.mark.parametrize("students", [8, 80])
def test_a_lecture_goes_on_while_it_is_attacked(students):
    with a_class("-Sn", "1024") as (running, room):
        where = str(room.store.tables.path)
        alone = lecture(running.url, where, students)
        room.store.empty()
        time.sleep(students / REFILL)  # until as many can come in from one address again
        with attacked(running.url, room.code):
            waits = lecture(running.url, where, students)
        print(f"{students} phones, longest waits in seconds: attacked {waits}, alone {alone}")
        for what, longest in waits.items():
            assert longest < max(SOON, SHARE * alone[what]), what
        assert running.log.stat().st_size < LONGEST_LOG
