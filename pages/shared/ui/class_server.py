"""The class's own part of the server: joining, leading, and news to all who are in the room.

    /join?code=…   a student comes in; a cookie keeps who they are, and says nothing else
    /lead?token=…  the lecturer does
    /class/news    what goes on, pushed as it changes

A browser that waits for news costs no run of a page: one task on each server reads the store, and
whoever waits is told. Asked once a second by a fragment of each page, two hundred readers would
take most of a core's time to hear that nothing has happened.
"""

import asyncio
import json
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from string import Template
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from streamlit import config

from pages.shared.contents import CLASS, ROOT
from pages.shared.course.classroom import classroom, network
from pages.shared.course.classroom.classroom import Classroom, RefusedError, StoreError
from pages.shared.course.classroom.store import LIFE, Now, OverError
from pages.shared.course.direction import escape
from pages.shared.course.start_options import StartOptions
from pages.shared.ui import class_console, class_panel  # noqa: F401  (loaded before the first reader)
from pages.shared.ui.room import LECTURER, NEWS, STUDENT, role
from pages.shared.ui.served import root

PERIOD = 0.1  # seconds between two readings of the store
BEAT = 15.0  # seconds between two signs of life, so that no proxy takes a quiet line for a dead one
BURST, REFILL = 500, 2.0  # who may join from one address: a whole class, then so many a second
MOST_ADDRESSES = 10_000
_PAGE = Template((ROOT / "assets" / "class" / "join.html").read_text(encoding="utf-8"))


def parts(options: StartOptions) -> dict[str, Any]:
    """What `st.App` is given to serve a class beside the app; ends the start if it cannot be had.

    Args:
        options: Of the start; they ask for a class.
    """
    try:
        room = classroom.start(options.store)
    except StoreError as error:
        sys.exit(f"No class can be opened. {error}")
    news, door = _News(room), _Door()

    async def join(request: Request) -> Response:
        return await asyncio.to_thread(_join, room, door, request)

    async def lead(request: Request) -> Response:
        return _lead(room, request)

    async def events(request: Request) -> Response:
        if not role(room, request.cookies):
            return Response("Join the class first.", 403, media_type="text/plain")
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(news.stream(), 200, headers, media_type="text/event-stream")

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        _announce(room, options.public)
        reader = asyncio.create_task(news.read())
        news.end_with_server()
        yield
        reader.cancel()
        room.store.close()

    ways = {"join": join, "lead": lead, NEWS: events}
    routes = [Route(root() + where, answer) for where, answer in ways.items()]
    return {"routes": routes, "lifespan": lifespan}


def _announce(room: Classroom, public: str) -> None:
    listens = config.get_option("server.address") or ""
    port, path = config.get_option("server.port"), config.get_option("server.baseUrlPath")
    bases = network.bases(listens, port, public, path)
    print(network.announcement(*room.keys[:2], bases, listens), flush=True)


# ---------------------------------------------------------------------- news


class _News:
    """What goes on, read by one task and told to everybody who waits."""

    def __init__(self, room: Classroom) -> None:
        self.room, self.now, self.said = room, Now(serial=-1), ""
        self.changed = asyncio.Event()
        self.over = False

    async def read(self) -> None:
        """Read the store again and again; while it does not answer, nothing is news."""
        while not self.over:
            with suppress(StoreError):
                now = await asyncio.to_thread(self.room.now)
                if now != self.now:
                    self.now, self.said = now, said(self.room, now)
                    self._tell()
            await asyncio.sleep(PERIOD)

    def _tell(self) -> None:
        waiting, self.changed = self.changed, asyncio.Event()
        waiting.set()

    async def stream(self) -> AsyncIterator[str]:
        """What one browser is sent: what goes on now, then each change."""
        yield "retry: 1000\n\n"
        told = None
        while not self.over:
            changed = self.changed
            if self.said and self.said != told:
                told = self.said
                yield f"data: {told}\n\n"
                continue
            try:
                await asyncio.wait_for(changed.wait(), BEAT)
            except TimeoutError:
                yield ": still here\n\n"

    def end_with_server(self) -> None:
        """End all streams when the server is told to stop: it waits for them."""
        loop = asyncio.get_running_loop()

        def end() -> None:
            self.over = True
            self._tell()

        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)

            def stop(sent: int, frame: Any, before: Any = before) -> None:
                loop.call_soon_threadsafe(end)
                if callable(before):
                    before(sent, frame)

            with suppress(ValueError):  # not in the main thread, as under another server
                signal.signal(number, stop)


def said(room: Classroom, now: Now) -> str:
    """What goes on, as it is sent to browsers: numbers, and where the stop is."""
    stop = room.stop(now)
    return json.dumps(
        {
            "serial": now.serial,
            "stop": now.number,
            "page": stop.page if stop else "",
            "href": address(room, now),
            "parts": class_panel.parts(stop) if stop else [],
            "title": stop.title if stop else "",
            "ballot": now.ballot,
            "phase": now.phase,
        }
    )


def address(room: Classroom, now: Now) -> str:
    """The present stop's address below the app's own, in normal size; "" if there is none."""
    stop = room.stop(now)
    if stop is None:
        return ""
    return f"{stop.page}?{urlencode(stop.values | {'size': '1'}, safe='~*')}"


# ---------------------------------------------------------------------- the door


class _Door:
    """How many may come in from one address: a bucket that fills up again."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}  # address → how many, when

    def opens(self, host: str) -> bool:
        """Whether one more may knock."""
        now = time.monotonic()
        left, last = self._buckets.pop(host, (float(BURST), now))
        left = min(BURST, left + REFILL * (now - last))
        while len(self._buckets) >= MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        opens = left >= 1
        self._buckets[host] = (left - opens, now)  # who is not let in takes nobody's place
        return opens


def _join(room: Classroom, door: _Door, request: Request) -> Response:
    code = request.query_params.get("code", "")[:40]
    if not code:
        return _page("", "")
    if not door.opens(request.client.host if request.client else ""):
        return _page(code, "Many are coming in at once. Press the button again in a moment.", 429)
    try:
        cookie = room.join(code, request.cookies.get(STUDENT))
        there = address(room, room.now())
    except RefusedError as error:
        return _page(code, str(error), 403)
    except StoreError as error:
        return _page(code, str(error), 503)
    answer = RedirectResponse(root() + there, 303)
    answer.set_cookie("crf_joined", "1", max_age=60, path=root(), samesite="lax")  # for follow.js
    return _remembering(answer, STUDENT, cookie, request)


def _lead(room: Classroom, request: Request) -> Response:
    token = request.query_params.get("token", "")
    if room.is_over():
        return _page("", str(OverError()), 403)
    if not room.is_lecturer(token):
        return _page(
            "", "That is not the lecturer’s link. Copy the whole link that the start has printed.",
            403,
        )  # fmt: skip
    return _remembering(RedirectResponse(root() + CLASS.address, 303), LECTURER, token, request)


def _remembering(answer: Response, name: str, value: str, request: Request) -> Response:
    answer.set_cookie(
        name, value, max_age=int(LIFE), path=root(), httponly=True, samesite="lax",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _page(code: str, message: str, status: int = 200) -> Response:
    return HTMLResponse(
        _PAGE.substitute(code=escape(code), message=escape(message)),
        status,
        {"Cache-Control": "no-store"},
    )
