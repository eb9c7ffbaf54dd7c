"""The class's own part of the server.

/join         a student comes in; a cookie keeps who they are, and says nothing else
/lead?token=… the lecturer does
/class/news   what goes on, pushed as it changes
/class/picture?stop=…   the picture of a stop
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from pages.shared.course.classroom import classroom, network
from pages.shared.course.classroom.classroom import Classroom, StoreError
from pages.shared.course.start_options import StartOptions
from pages.shared.ui import class_console, class_door
from pages.shared.ui.class_news import EMPTIED, News, StopPictures
from pages.shared.ui.class_session import NEWS, PICTURE, STUDENT
from pages.shared.ui.server_path import root


def parts(options: StartOptions) -> dict[str, Any]:
    """What `st.App` is given to serve a class; ends the start if it cannot be had."""
    try:
        room = classroom.start(options.store)
    except StoreError as error:
        sys.exit(f"No class can be opened. {error}")
    news = News(room)
    pictures = StopPictures(news)

    async def events(request: Request) -> Response:
        cookie = request.cookies.get(STUDENT)
        if not cookie:
            return Response("Join the class first.", 403, media_type="text/plain")
        student = room.named(cookie)  # None: of a class that was, or before the room was emptied
        told = news.stream(student) if student else iter([f"event: {EMPTIED}\ndata: 1\n\n"])
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Connection": "close"}
        return StreamingResponse(told, 200, headers, media_type="text/event-stream")

    async def picture(request: Request) -> Response:
        number = request.query_params.get("stop", "")
        if not room.named(request.cookies.get(STUDENT)) or not number.isdecimal():
            return Response("", 404)
        found = await pictures.answer(int(number[:9]))
        headers = {"Cache-Control": "no-store", "Content-Encoding": "gzip"}
        return Response(found, 200, headers, "application/json") if found else Response("", 404)

    @asynccontextmanager
    async def lifespan(app: object) -> AsyncIterator[None]:
        _announce(room)
        reader = asyncio.create_task(news.read())
        news.end_with_server()
        yield
        reader.cancel()
        room.store.close()

    own = Route(root() + NEWS, events), Route(root() + PICTURE, picture)
    return {"routes": [*class_door.routes(room), *own], "lifespan": lifespan}


def _announce(room: Classroom) -> None:
    listens, bases = class_console.addresses()
    link = network.lecturers_link(room.keys.token, bases)
    shown = "" if network.print_when_asked(link) else link  # the terminal may be on the projector
    print(network.announcement(room.code, bases, listens, shown), flush=True)
