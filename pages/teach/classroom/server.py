"""The class's part of the server.

/join, /lead?token=…       the ways in (door.py)
/class                     a phone's page
/class/lead                the lecturer's page, which the class sees: how one joins, who is there
/class/desk                the lecturer's own: the door, and the way to the votes
/class/votes, votes.csv    all votes of the lecture, for the lecturer
/class/news                what goes on, as an event stream
/class/picture/<hash>      a picture, which never changes
POST /class/vote           a phone's answer
POST /class/show           what the lecturer presents
POST /class/door           the lecturer locks the door, opens it, or empties the room
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from streamlit import config

from crf.figures.words import words
from crf.strict_json import JsonError, read_json
from pages.shared.course.start_options import StartOptions
from pages.shared.ui import language
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server.connections import Visitor
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import beat_page
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.draw import LONGEST, Lessons
from pages.teach.classroom import board, door, network, results
from pages.teach.classroom.door import LECTURER, PHONE, in_its_language
from pages.teach.classroom.news import EMPTIED, News, NewsLine
from pages.teach.classroom.room import RefusedError, Room, room_of
from pages.teach.classroom.store import StoreError, say

_FOLDER = Path(__file__).parent
_FOREVER = {"Content-Encoding": "gzip", "Cache-Control": "private, max-age=43200, immutable"}
_NO_STORE = {"Cache-Control": "no-store"}
_STATUS = {"counted": 200, "closed": 409, "early": 429, "stranger": 403}  # of a vote

running: list[Room] = []  # none or one


class ClassParts(NamedTuple):
    """The parts of a class that app.py adds to the server."""

    routes: list[BaseRoute]
    lifespan: Any
    visitor: Visitor


def parts(options: StartOptions, lessons: Lessons) -> ClassParts:
    """Open the class; if that fails, end the program with a sentence."""
    try:
        room = room_of(options.store, lessons)
    except StoreError as error:
        sys.exit(f"No class can be opened. {error}")
    for note in room.store.notes:
        print(note, file=sys.stderr, flush=True)
    running[:] = [room]
    news = News(room)

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        _announce(room, options.public)
        await asyncio.to_thread(room.go_on)
        counting = asyncio.create_task(news.count())
        news.end_with_server()
        yield
        counting.cancel()
        room.store.close()

    return ClassParts(routes(room, news, options.public), lifespan, partial(visitor, room))


def visitor(room: Room, path: str, query: str, cookies: Mapping[str, str]) -> str:
    """The sender of a request: a phone, "lecturer", or "" for anybody else."""
    token = query.partition("token=")[2] if path == f"{root()}lead" else ""
    if room.is_lecturer(cookies.get(LECTURER)) or (token and room.is_lecturer(token)):
        return "lecturer"
    return room.phone(cookies.get(PHONE))


def _announce(room: Room, public: str) -> None:
    listens, bases = addresses(public)
    link = network.lecturers_link(room.keys.token, bases)
    link = "" if network.print_when_asked(link) else link  # the terminal may be on the projector
    network.show(network.announcement(room.keys.code, bases, listens, link))


def addresses(public: str) -> tuple[str, list[str]]:
    """The address that the server is bound to, and those at which others reach the app."""
    listens = config.get_option("server.address") or ""
    port, path = config.get_option("server.port"), config.get_option("server.baseUrlPath")
    return listens, network.bases(listens, port, public, path)


def routes(room: Room, news: News, public: str = "") -> list[BaseRoute]:
    """All that a class adds to the server."""
    leads = partial(_is_lecturer, room)
    own = {
        "class": partial(_phone_page, room),
        "class/news": partial(_events, room, news),
        "class/picture/{name}": partial(_picture, room),
        "class/lead": partial(_board, room, public),
        "class/desk": partial(_desk, room),
        "class/votes": partial(_votes, room),
        "class/votes.csv": partial(_votes, room),
    }
    posts = {
        "class/vote": partial(_vote, room, news),
        "class/show": partial(_show, room, news, leads),
        "class/door": partial(_door, room, news, leads),
    }
    return [
        *door.routes(room, news),
        *(Route(root() + path, in_its_language(answer)) for path, answer in own.items()),
        *(
            Route(root() + path, in_its_language(answer), methods=["POST"])
            for path, answer in posts.items()
        ),
    ]


def _is_lecturer(room: Room, request: Request) -> bool:
    return room.is_lecturer(request.cookies.get(LECTURER))


async def _phone_page(room: Room, request: Request) -> Response:
    phone = room.phone(request.cookies.get(PHONE))
    place = await asyncio.to_thread(_place, room, phone) if phone else None
    if place is None:
        return RedirectResponse(f"{root()}join?emptied=1" if phone else f"{root()}join", 303)
    speak = language.current()
    texts = words(_FOLDER) | views.all_words()
    data = {"words": texts, "language": speak, "base": root(), "place": place}
    style = (_FOLDER / "phone.css").read_text(encoding="utf-8")
    script = "pages/teach/classroom/phone.js"
    page = beat_page.document(speak, say("phone.title"), data, script, style)
    return HTMLResponse(page, headers=_NO_STORE)


def _place(room: Room, phone: str) -> int | None:
    try:
        return room.store.place(phone)
    except StoreError:
        return None


async def _events(room: Room, news: News, request: Request) -> Response:
    speak, window = language.current(), request.query_params.get("window", "")[:20]
    if window and _is_lecturer(room, request):
        line, name = NewsLine(speak, True, room.emptied), f"lecturer {window}"
    else:
        cookie = request.cookies.get(PHONE)
        if not cookie:
            return _message(403, say("refused.stranger"))
        name, line = room.phone(cookie), NewsLine(speak, False, room.emptied)
    stream = news.stream(name, line) if name else iter([EMPTIED])
    headers = _NO_STORE | {"X-Accel-Buffering": "no", "Connection": "close"}
    return StreamingResponse(stream, 200, headers, media_type="text/event-stream")


async def _picture(room: Room, request: Request) -> Response:
    cookies = request.cookies
    if not room.phone(cookies.get(PHONE)) and not room.is_lecturer(cookies.get(LECTURER)):
        return _message(403, say("refused.stranger"))
    picture = room.pictures.picture(request.path_params["name"])
    if picture is None:
        return _message(404, say("refused.unreadable"))
    return Response(picture, 200, _FOREVER, "application/json")


async def _vote(room: Room, news: News, request: Request) -> Response:
    phone = room.phone(request.cookies.get(PHONE))
    data = await _object_of(request, 1000)
    question, answer = data.get("question"), data.get("answer")
    if not phone:
        return _message(403, say("refused.stranger"))
    if not isinstance(question, str) or not isinstance(answer, str):
        return _message(422, say("refused.unreadable"))
    speak = language.current()
    try:
        outcome = await asyncio.to_thread(_in, speak, room.vote, phone, question, answer)
    except RefusedError as error:
        return _message(422, str(error))
    except StoreError as error:
        return _message(503, error.public)
    news.stale = True
    text = say("phone.in" if outcome == "counted" else f"phone.{outcome}")
    return _message(_STATUS[outcome], text)


async def _show(room: Room, news: News, leads: Any, request: Request) -> Response:
    if not leads(request):
        return _message(403, say("refused.lecturer"))
    try:
        shown = room.read(await _object_of(request, LONGEST))
        await news.show(shown)
    except RefusedError as error:
        return _message(422, str(error))
    except StoreError as error:
        return _message(503, error.public)
    task = room.scene.task if room.scene else None
    answer = {"task": {"kind": task.kind, "steps": task.steps} if task else None}
    return Response(as_json(answer), 200, _NO_STORE, "application/json")


async def _door(room: Room, news: News, leads: Any, request: Request) -> Response:
    if not leads(request):
        return _message(403, say("refused.lecturer"))
    action = (await _object_of(request, 1000)).get("do")
    does: dict[str, Callable[[], None]] = {
        "lock": partial(room.lock, True),
        "open": partial(room.lock, False),
        "empty": room.empty,
    }
    if not isinstance(action, str) or action not in does:
        return _message(422, say("refused.unreadable"))
    try:
        await asyncio.to_thread(does[action])
    except StoreError as error:
        return _message(503, error.public)
    news.tell()
    return Response(status_code=204)


async def _board(room: Room, public: str, request: Request) -> Response:
    if not _is_lecturer(room, request):
        return RedirectResponse(f"{root()}join", 303)
    _, bases = addresses(public)
    return HTMLResponse(board.page(room.keys.code, bases, str(request.url)), headers=_NO_STORE)


async def _desk(room: Room, request: Request) -> Response:
    if not _is_lecturer(room, request):
        return RedirectResponse(f"{root()}join", 303)
    return HTMLResponse(board.desk(), headers=_NO_STORE)


async def _votes(room: Room, request: Request) -> Response:
    if not _is_lecturer(room, request):
        return RedirectResponse(f"{root()}join", 303)
    speak, is_file = language.current(), request.url.path.endswith(".csv")
    try:
        text = await asyncio.to_thread(_in, speak, results.csv if is_file else results.page, room)
    except StoreError as error:
        return _message(503, error.public)
    if not is_file:
        return HTMLResponse(text, headers=_NO_STORE)
    headers = _NO_STORE | {"Content-Disposition": 'attachment; filename="votes.csv"'}
    return Response("\ufeff" + text, 200, headers, "text/csv")  # Excel reads UTF-8 by the mark


async def _object_of(request: Request, longest: int) -> Mapping[str, Any]:
    """The JSON object of a body; {} where it is none."""
    try:
        data = read_json(await body_of(request, longest), longest)
    except (JsonError, TooLargeError):
        return {}
    return data if isinstance(data, dict) else {}


def _in(speak: str, act: Any, *how: Any) -> Any:
    with language.speaking(speak):
        return act(*how)


def _message(status: int, message: str) -> Response:
    return Response(as_json({"message": message}), status, _NO_STORE, "application/json")
