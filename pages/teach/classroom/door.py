"""The door of the class: the page that asks for the code, and the pace of new places.

A cookie keeps a student's place, however many others come; new places are given
at the pace of a class that comes in, so that no program takes them all at once.
"""

import asyncio
import ipaddress
import time
from collections.abc import Awaitable, Callable
from functools import lru_cache
from pathlib import Path
from string import Template
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from pages.shared.course.right_to_left import escape
from pages.shared.ui import component, fonts, language
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server_path import root
from pages.shared.ui.words import say as site
from pages.teach.classroom.news import News
from pages.teach.classroom.room import RefusedError, Room
from pages.teach.classroom.store import EXPIRES_AFTER, OverError, StoreError, say

Endpoint = Callable[[Request], Awaitable[Response]]

PHONE, LECTURER = "crf_student", "crf_lecturer"  # cookies
BURST, REFILL = 120, 5.0  # new places for one address: a class at once, then so many a second
AGAIN = 2.0  # seconds after which a phone that has to wait asks again
MOST_ADDRESSES = 10_000
LONGEST = 1000  # bytes of a form
_PAGE = Template(Path(__file__).with_name("join.html").read_text(encoding="utf-8"))
_SCRIPT = "pages/teach/classroom/join.js"


class Pace:
    """How many new places one address, which a class may share, is given: a bucket that refills."""

    def __init__(self) -> None:
        self._buckets: dict[str, tuple[float, float]] = {}  # address → how many, when

    def allows(self, host: str) -> bool:
        """Whether this address may have one more place now."""
        now = time.monotonic()
        host = _network(host)
        left, last = self._buckets.pop(host, (float(BURST), now))
        left = min(BURST, left + REFILL * (now - last))
        while len(self._buckets) >= MOST_ADDRESSES:
            del self._buckets[next(iter(self._buckets))]
        allows = left >= 1
        self._buckets[host] = (left - allows, now)  # who is not let in takes nobody's place
        return allows


def _network(host: str) -> str:
    """The address, or of IPv6 the network: there a machine has as many addresses as it likes."""
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host
    return host if ip.version == 4 else str(ipaddress.ip_network((ip, 64), strict=False))


def routes(room: Room, news: News) -> list[Route]:
    """The ways in: /join for students, /lead for the lecturer."""
    pace = Pace()

    async def join(request: Request) -> Response:
        code = request.query_params.get("code", "")[:40]
        if request.method != "POST":
            if await asyncio.to_thread(_is_in, room, code, request):
                return RedirectResponse(f"{root()}class", 303, {"Cache-Control": "no-store"})
            return _page(code, say("door.emptied") if "emptied" in request.query_params else "")
        try:
            body = await body_of(request, LONGEST)
        except TooLargeError:
            return _page("", "", 413)
        fields = parse_qs(body.decode("utf-8", "replace"))
        code = fields.get("code", [""])[0][:40]
        host = request.client.host if request.client else ""
        if not room.phone(request.cookies.get(PHONE)) and not pace.allows(host):
            return _page(code, say("door.wait"), 429)  # at once, whatever the store does
        return await asyncio.to_thread(_join, room, code, request, list(news.lines))

    async def lead(request: Request) -> Response:
        return await asyncio.to_thread(_lead, room, request)

    return [
        Route(f"{root()}join", in_its_language(join), methods=["GET", "POST"]),
        Route(f"{root()}lead", in_its_language(lead)),
    ]


def in_its_language(answer: Endpoint) -> Endpoint:
    """Make an endpoint answer in the language of the browser that asks."""

    async def spoken(request: Request) -> Response:
        with language.speaking(language.of_browser(request.headers.get("accept-language"))):
            return await answer(request)

    return spoken


def _is_in(room: Room, code: str, request: Request) -> bool:
    """Whether the phone that opens the link of this class, or one without a code, has a place."""
    phone = room.phone(request.cookies.get(PHONE))
    if not phone or (code and not room.is_code(code)):
        return False
    try:
        return room.store.place(phone) is not None
    except StoreError:
        return False


def _join(room: Room, code: str, request: Request, present: list[str]) -> Response:
    try:
        cookie = room.join(code, request.cookies.get(PHONE), present)
    except RefusedError as error:
        return _page(code, str(error), 403)
    except StoreError as error:
        return _page(code, error.public, 503)
    return _remembering(RedirectResponse(f"{root()}class", 303), PHONE, cookie, request)


def _lead(room: Room, request: Request) -> Response:
    token = request.query_params.get("token", "")
    if room.is_over():
        return _page("", str(OverError()), 403)
    if not room.is_lecturer(token):
        return _page("", say("door.no-lecturer"), 403)
    answer = RedirectResponse(f"{root()}class/lead", 303)
    return _remembering(answer, LECTURER, token, request)


def _remembering(answer: Response, name: str, value: str, request: Request) -> Response:
    answer.set_cookie(
        name,
        value,
        max_age=int(EXPIRES_AFTER),
        path=root(),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    answer.headers["Cache-Control"] = "no-store"
    return answer


@lru_cache(maxsize=8)
def _words(spoken: str) -> dict[str, str]:
    words = {name: say(f"door.{name}") for name in ("title", "about", "join", "cookie", "read")}
    script = component.module_address(_SCRIPT)
    more = {"label": say("door.code"), "site": site("site.title"), "script": script}
    return words | more | {"language": spoken, "fonts": fonts.faces()}


def _page(code: str, message: str, status: int = 200) -> Response:
    again = f"{AGAIN:g}" if status == 429 else ""
    words = _words(language.current())
    text = _PAGE.substitute(words, code=escape(code), message=escape(message), again=again)
    headers = {"Cache-Control": "no-store"} | ({"Retry-After": again} if again else {})
    return HTMLResponse(text, status, headers)
