"""Work in a process beside the server: it can be stopped, and is bounded."""

import asyncio
import os
import subprocess
import sys
import time

import pytest
from starlette.requests import Request

from benchmarks.raw_client import run_apart
from pages.shared.contents import ROOT
from pages.shared.ui.server.shares import NoPlaceError, Shares
from pages.shared.ui.server.worker import GoneError, Worker, WorkerError

MODULE = "tests.ui.server.slow_work"


def request(goes_after=60.0, cookie=""):
    async def receive():
        await asyncio.sleep(goes_after)
        return {"type": "http.disconnect"}

    headers = [(b"cookie", cookie.encode())]
    return Request({"type": "http", "headers": headers, "path": "/", "query_string": b""}, receive)


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b"Z" not in open(f"/proc/{pid}/stat", "rb").read().split(b") ")[1][:1]


def asked(*jobs, seconds=20.0):
    """The answers to some jobs, one after the other; of a failure, its exception."""

    async def ask():
        worker, answers = Worker(MODULE, seconds), []
        for job, goes_after in jobs:
            try:
                answers.append((await worker.ask(request(goes_after), job)).strip())
            except (WorkerError, GoneError) as error:
                answers.append(type(error))
        await worker.end()
        return answers

    return run_apart(ask)


def test_one_process_does_all_jobs():
    first, second = asked((b"who", 60), (b"who", 60))
    assert first == second
    assert not is_alive(int(first))


def test_a_job_that_takes_too_long_ends_and_the_next_is_done():
    first, late, next_one = asked((b"who", 60), (b"wait 60", 60), (b"who", 60), seconds=3.0)
    assert late is WorkerError
    assert int(next_one) != int(first)
    assert not is_alive(int(first))


def test_a_job_whose_client_goes_ends():
    first, gone, next_one = asked((b"who", 60), (b"wait 60", 0.2), (b"who", 60))
    assert gone is GoneError
    assert int(next_one) != int(first)
    assert not is_alive(int(first))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere memory is not limited")
def test_a_job_that_takes_too_much_memory_is_told_so():
    assert asked((b"take 1000000000", 60)) == [b"too much"]
    assert asked((b"take 1000000", 60)) != [b"too much"]


def test_when_the_server_ends_so_does_a_job_under_way():
    with subprocess.Popen(
        [sys.executable, "-m", MODULE], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"wait 60\n")
        process.stdin.flush()
        time.sleep(0.5)
        process.stdin.close()
        assert process.wait(10) == 0


def who(path, query, cookies):
    return cookies.get("name", "")


@pytest.mark.parametrize(
    ("taken", "asks", "may"),
    [
        ([""] * 2, "", False),  # all who have not joined have half
        ([""] * 2, "ann", True),
        (["ann"], "ann", False),  # a phone has one place
        (["ann", "bob", "cid", "dan"], "eve", False),
        (["ann", "bob", "cid", "dan"], "lecturer", True),
        (["lecturer"] * 6, "lecturer", False),
    ],
)
def test_nobody_takes_the_places_of_others(taken, asks, may):
    shares = Shares(4, who)
    shares.taken.update(taken)
    if may:
        with shares.place(request(cookie=f"name={asks}")):
            assert shares.taken.total() == len(taken) + 1
    else:
        with pytest.raises(NoPlaceError), shares.place(request(cookie=f"name={asks}")):
            pass
    assert shares.taken.total() == len(taken)


def test_without_a_class_all_are_one_queue():
    shares = Shares(4)
    shares.taken.update([""] * 3)
    with shares.place(request()), pytest.raises(NoPlaceError), shares.place(request()):
        pass
