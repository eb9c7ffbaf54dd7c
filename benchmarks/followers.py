"""A class on one server or two: it follows its lecturer, it votes, and every vote counts.

Part of `benchmarks.sessions`, by `--followers`. A follower is what a phone is to the servers: a
line on which news comes, and a session that goes to the stop when it hears of it, with the scripts
of components that it has not met before. Until the page is there it shows the stop's picture, which
the lecturer's window, where the next stop stands ready, sends as it goes there. The first stop
comes when all phones have fetched what they fetch ahead of it. With two servers, Redis and nginx
stand beside them as `deploy/nginx.conf` has it, and one server is killed (SIGKILL) while the class
votes; whoever was on it comes back through nginx and sends the answer that was not confirmed again,
as a browser does.
"""

import asyncio
import http.client
import json
import math
import os
import posixpath
import random
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.raw_client import RawClient, run_apart
from benchmarks.serving import ROOT, Server, free_port, serving
from crf.figures import file
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.classroom import Classroom
from pages.shared.course.classroom.store import open_store
from pages.shared.course.lecture import Stop
from pages.shared.ui.class_session import LECTURER, NEWS, PICTURE, STUDENT
from pages.shared.ui.component_data import parts

WITHIN = 5.0  # seconds in which all join, and in which all votes come
STOP = Stop("forward", "ex=old-man&step=7&hide=controls~prose", "Forward")
_ROOT = re.compile(r'import\(new URL\("([^"]+)"')  # where a figure's modules are
_MODULES = re.compile(r'"([\w/.-]+\.js)"')  # those that it names
_IMPORTS = re.compile(r'from "(\.[^"]+\.js)"')  # those that a module needs
QUESTION = Ballot("Which one?", ("this", "that", "neither"), right=1)


@dataclass
class Follower:
    """One phone."""

    url: str  # where the class is
    cookie: str  # who it is
    news: dict = field(default_factory=dict)  # the latest that it has heard
    heard: dict[int, float] = field(default_factory=dict)  # when; by the news's serial number
    session: Any = None  # the open page
    scripts: set[str] = field(default_factory=set)  # of components, that its browser has kept
    line: Any = None  # the task that hears the news
    ahead: Any = None  # the task that fetches modules before they are needed

    @classmethod
    async def join(cls, url: str, code: str) -> "Follower":
        """Come in by the code, open the line and the page."""
        follower = cls(url, await asyncio.to_thread(_cookie, url, code))
        follower.line = asyncio.create_task(follower.listen())
        await follower.open("glossary")
        follower.ahead = asyncio.create_task(follower.fetch_ahead())
        return follower

    async def fetch_ahead(self) -> None:
        """Fetch the figures that a phone has ready before a stop needs them."""
        script = (ROOT / "pages/shared/ui/scripts/follow/index.js").read_text(encoding="utf-8")
        [names] = re.findall(r"const AHEAD = (\[.*?\]);", script)
        [within] = re.findall(r"const WITHIN = (\d+);", script)
        await asyncio.sleep(random.random() * int(within) / 1000)
        root = next(iter(self.scripts)).partition("crf/")[0].partition("pages/")[0]
        ahead = [f"{root}crf/figures/{name}/index.js" for name in json.loads(names)]
        await asyncio.to_thread(self._fetch, ahead)

    async def open(self, page: str, query: str = "") -> None:
        """Open a page, in a session of its own; the one before ends."""
        if self.session is not None:
            with suppress(Exception):  # it may have broken
                await self.session.close()
        self.session = await RawClient.open(self.url, page, query, {"Cookie": self.cookie})
        await self._scripts()

    async def follow(self, serial: int) -> None:
        """Hear that news and go where it leads: to another page in the session that is open.

        Not at once where the stop has a picture, so that all have that first.
        """
        await self.hear(serial)
        if self.news["picture"]:
            await asyncio.sleep(self.news["spread"] * random.uniform(0.5, 1.5))
        page, _, query = self.news["href"].partition("?")
        if page == self.session.page_name:
            await self.open(page, query)
        else:
            await self.session.go(page, query)
            await self._scripts()

    async def see(self, serial: int) -> None:
        """Hear that news and fetch the picture of its stop."""
        await self.hear(serial)
        reader, writer = await self._get(f"{PICTURE}?stop={self.news['stop']}", "close")
        with closing(writer):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0] or not body:
            raise ConnectionError("there is no picture")

    async def _scripts(self) -> None:
        """Fetch the scripts of what is on the page."""
        asked = []
        for _, kind, record in self.session.parts():
            if kind == "bidi_component" and (root := _ROOT.search(record.js_content)):
                asked += [root[1] + name for name in _MODULES.findall(record.js_content)]
        if not self.scripts.issuperset(asked):
            await asyncio.to_thread(self._fetch, asked)

    def _fetch(self, asked: list[str]) -> None:
        """Fetch modules, and those that they import, once each, on one connection."""
        with _line(self.url) as line:
            for where in asked:  # which grows
                if where not in self.scripts:
                    self.scripts.add(where)
                    line.request("GET", where, headers={"Cookie": self.cookie})
                    answer = line.getresponse()
                    text = answer.read().decode()
                    if answer.status != 200:
                        raise ConnectionError(f"{where} is not there")
                    near = partial(posixpath.join, posixpath.dirname(where))
                    asked += [posixpath.normpath(near(other)) for other in _IMPORTS.findall(text)]

    async def listen(self) -> None:
        """Hear the news, on one line after the other."""
        while True:
            with suppress(OSError):
                reader, writer = await self._get(NEWS)
                with closing(writer):
                    while line := await reader.readline():
                        if line.startswith(b"data: "):
                            self.news = json.loads(line[6:])
                            self.heard.setdefault(self.news["serial"], time.perf_counter())
            await asyncio.sleep(1.0)  # as the server asks for by `retry`

    async def _get(
        self, path: str, connection: str = "keep-alive"
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Ask for something on a connection of its own."""
        host, port = self.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = f"GET /{path} HTTP/1.1", f"Host: {host}:{port}", f"Cookie: {self.cookie}"
        writer.write("\r\n".join([*lines, f"Connection: {connection}", "", ""]).encode())
        return reader, writer

    async def leave(self) -> None:
        """Close the line and the session."""
        self.line.cancel()
        await asyncio.gather(self.line, self.ahead, return_exceptions=True)
        await self.session.close()

    async def hear(self, serial: int) -> None:
        """Wait for that news."""
        while self.news.get("serial", -1) < serial:
            await asyncio.sleep(0.005)

    async def vote(self, option: str, number: int) -> tuple[float, int]:
        """Answer, again if the session broke; how long the confirmed try took, in ms, and tries."""
        for tries in range(1, 30):
            try:
                start = time.perf_counter()
                await self.session.send("radio", f"class.vote.{number}", option, "string_value")
                drawn = (record for _, kind, record in self.session.parts() if kind == "html")
                if any("Your answer is in" in record.body for record in drawn):
                    return 1000 * (time.perf_counter() - start), tries
            except Exception:
                await asyncio.sleep(0.3)
            try:
                await self.open("glossary")
            except Exception:
                await asyncio.sleep(0.3)
        raise RuntimeError("an answer was never confirmed")


async def picture(url: str, room: Classroom, stop: Stop, key: str) -> str:
    """What the lecturer's window sends of a stop: its figure with this key."""
    cookie = {"Cookie": f"{LECTURER}={room.keys.token}"}
    session = await RawClient.open(url, stop.page, f"{stop.query}&screen=1", cookie)
    _, figure = session.find("bidi_component", key)
    await session.close()
    data = {name: value for part in parts(figure.bytes) for name, value in part.items()}
    folder = re.findall(r'"([\w/]+)/index\.js"', figure.js_content)[-1]
    return json.dumps({"folder": folder, "data": file.zipped(data)}, allow_nan=False)


def _cookie(url: str, code: str) -> str:
    """Come in by the code."""
    head = {"Content-Type": "application/x-www-form-urlencoded"}
    for _ in range(100):
        with _line(url) as line:
            line.request("POST", "/join", f"code={code}", head)
            answer = line.getresponse()
            if answer.status == 303:
                kept = answer.headers.get_all("Set-Cookie") or []
                return next(one.split(";")[0] for one in kept if one.startswith(STUDENT))
        time.sleep(0.5)  # many come in from one address: the door lets them in one by one
    raise RuntimeError("nobody is let in")


def _line(url: str) -> closing[http.client.HTTPConnection]:
    return closing(http.client.HTTPConnection(url.removeprefix("http://"), timeout=30))


# ---------------------------------------------------------------------- the servers


@contextmanager
def servers(number: int) -> Iterator[tuple[str, str, list[Server]]]:
    """So many app servers; their common address, the store, and they themselves."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        where = str(folder / "class.sqlite3") if number == 1 else stack.enter_context(redis(folder))
        port, options = free_port(), ["--class", "--store", where]
        if number > 1:
            options += ["--public-url", f"http://127.0.0.1:{port}"]
        apps = [
            stack.enter_context(serving("app.py", folder / f"{k}.log", *options))
            for k in range(number)
        ]
        url = apps[0].url if number == 1 else stack.enter_context(proxy(folder, apps, port))
        yield url, where, apps


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """A Redis server that keeps nothing."""
    port = free_port()
    with _program(folder / "redis.log", "redis-server", f"--port {port} --save '' --dir {folder}"):
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def proxy(folder: Path, apps: list[Server], port: int) -> Iterator[str]:
    """The nginx of `deploy/`, in front of these servers."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    for k, app in enumerate(apps, start=1):
        text = text.replace(f"app{k}:8501", app.url.removeprefix("http://"))
    text = text.replace("listen 8080", f"listen 127.0.0.1:{port}").replace("/tmp/", f"{folder}/")
    (folder / "nginx.conf").write_text(text, encoding="utf-8")
    folder.chmod(0o755)  # its workers, of another user, keep scripts below
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    with _program(folder / "nginx.log", nginx, f"-p {folder} -c nginx.conf -g 'daemon off;'"):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def _program(log: Path, name: str, options: str) -> Iterator[None]:
    command = [name, *shlex.split(options)]
    with log.open("wb") as output:
        program = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            time.sleep(1.0)
            if program.poll() is not None:
                raise RuntimeError(f"{name} did not start:\n{log.read_text()}")
            yield
        finally:
            program.terminate()
            program.wait(10)


# ---------------------------------------------------------------------- what is measured


async def lecture(url: str, where: str, apps: list[Server], followers: int, votes: int) -> dict:
    """A class joins, is led to a stop, and votes; with several servers one is killed meanwhile."""
    room = Classroom(open_store(where))

    async def come(k: int) -> tuple[Follower, float]:
        await asyncio.sleep(WITHIN * k / followers)
        start = time.perf_counter()
        return await Follower.join(url, room.code), time.perf_counter() - start

    phones, joined = zip(*(await asyncio.gather(*map(come, range(followers)))), strict=True)
    await asyncio.gather(*(phone.ahead for phone in phones))
    drawn = await picture(url, room, STOP, "stepper")
    cpu = _cpu(apps)
    start, number = time.perf_counter(), room.lead(STOP, drawn)
    serial = room.now().serial

    async def follow(phone: Follower) -> tuple[float, ...]:
        await phone.see(serial)
        seen = time.perf_counter()
        await phone.follow(serial)
        return tuple(at - start for at in (phone.heard[serial], seen, time.perf_counter()))

    waits = zip(*(await asyncio.gather(*map(follow, phones))), strict=True)
    cpu = {who: spent - cpu[who] for who, spent in _cpu(apps).items()}
    voted = await _voted(room, apps, phones[:votes])
    errors = [error for phone in phones for error in phone.session.exceptions()]
    await asyncio.gather(*(phone.leave() for phone in phones), return_exceptions=True)
    room.store.close()
    return {
        "followers": followers,
        "servers": len(apps),
        "stop": number,
        "joined_last_s": max(joined),
        **{
            f"{what}_{how}_s": of(seconds)
            for what, seconds in zip(("told", "seen", "there"), waits, strict=True)
            for how, of in (("median", statistics.median), ("last", max))
        },
        "there_cpu_s": cpu,
        **voted,
        "errors": errors[:5],
        "cores": os.cpu_count(),
    }


async def _voted(room: Classroom, apps: list[Server], voters: Sequence[Follower]) -> dict[str, Any]:
    """How a question is answered; of several servers one is killed meanwhile."""
    draw = random.Random(0)
    await asyncio.gather(*(phone.open("glossary") for phone in voters))
    ballot = room.ask(QUESTION)
    serial = room.now().serial

    async def vote(phone: Follower, wait: float) -> tuple[float, int]:
        await phone.hear(serial)
        await phone.session.trigger("class.follow", "news", serial)
        await asyncio.sleep(wait)
        return await phone.vote(draw.choice(QUESTION.options), ballot)

    async def kill() -> None:
        await asyncio.sleep(WITHIN / 2)
        if len(apps) > 1:
            apps[-1].process.kill()

    at = [draw.uniform(0, WITHIN) for _ in voters]
    _, *results = await asyncio.gather(kill(), *map(vote, voters, at))
    trips, tries = zip(*results, strict=True)
    return {
        "votes": len(voters),
        "counted": room.tally(ballot, QUESTION).total,
        "sent_again": sum(k > 1 for k in tries),
        "vote_median_ms": statistics.median(trips),
        "vote_p95_ms": statistics.quantiles(trips, n=20)[-1],
        "vote_last_ms": max(trips),
    }


def _cpu(apps: list[Server]) -> dict[str, float]:
    """Seconds of processor time that the servers have taken, and the measuring (on Linux)."""
    stats = [Path(f"/proc/{app.process.pid}/stat").read_text() for app in apps]
    ticks = sum(sum(map(int, stat.rpartition(") ")[2].split()[11:13])) for stat in stats)
    return {"servers": ticks / os.sysconf("SC_CLK_TCK"), "measuring": time.process_time()}


def measure(followers: int, votes: int, number: int) -> dict:
    """What `lecture` measures, on so many servers."""
    with servers(number) as (url, where, apps):
        return run_apart(lambda: lecture(url, where, apps, followers, votes))


def sentence(found: dict) -> str:
    """What was measured, as deploy/README.md says it of `benchmarks/class.json`."""
    told, seen, there = (
        f"{math.ceil(10 * found[f'{what}_last_s']) / 10:.1f} s"
        for what in ("told", "seen", "there")
    )
    servers, voting = "1 server leads", "While"
    if found["servers"] > 1:
        servers, voting = f"{found['servers']} servers lead", "With one server killed while"
    return (
        f"On {found['cores']} cores, shared with the benchmark, {servers} {found['followers']} "
        f"students. Every phone learns of a new stop within {told}, shows its picture within "
        f"{seen} and its full page within {there}. {voting} {found['votes']} votes arrived, "
        f"{found['counted']} counted (median {found['vote_median_ms']:.0f} ms)."
    )
