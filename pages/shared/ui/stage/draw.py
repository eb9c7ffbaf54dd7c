"""POST /draw/<lesson>/<beat>: a beat in a state, for any client. It keeps no session.

The body is {"state": {key: text}, "want": "whole" or "now", "language": "en"}. The answer is
{"view": …}, or {"now": …} with the state's parts and queries, and with the tables that a dragged
score changes where "tables" is true. While a sentence is typed, "typed" is wanted: the front page's
picture alone. What cannot be answered has a status and {"message"}: 400 no JSON, 404 no such beat,
413 too large, 422 not a state, 503 too busy.
"""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crf.figures.languages import LANGUAGES
from crf.strict_json import JsonError, read_json
from pages.shared.figures.beat import Beat, beat_with
from pages.shared.ui import preload
from pages.shared.ui.component_data import as_json, zipped
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server.connections import Visitor
from pages.shared.ui.server.shares import NoPlaceError, Shares
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import view as views
from pages.shared.ui.words import say

Lessons = Mapping[str, Sequence[Beat]]
LONGEST = 16_384  # bytes of a question
MOST_WAITING = 64  # questions
OF_A_PHONE = 4  # of them: the step on screen, the next one, what is dragged
THREADS = ThreadPoolExecutor(2, "draw")
OTHERS = ThreadPoolExecutor(1, "others")


def routes(lessons: Lessons, visitor: Visitor | None = None) -> list[BaseRoute]:
    """The server's route for drawing a beat; `visitor` says who asks, in a class."""
    shares = Shares(MOST_WAITING, visitor, each=OF_A_PHONE)

    async def answer(request: Request) -> Response:
        await preload.imported()
        beat = find(lessons, request)
        speak = of_browser(request.headers.get("accept-language"))
        if beat is None:
            return _refused(404, "no-beat", speak)
        try:
            body = await body_of(request, LONGEST)
        except TooLargeError:
            return _refused(413, "too-large", speak)
        try:
            data = read_json(body, LONGEST)
        except JsonError:
            return _refused(400, "no-json", speak)
        state, want, speak = question(data, speak)
        if state is None:
            return _refused(422, "no-state", speak)
        try:
            with shares.place(request):
                loop = asyncio.get_running_loop()
                lesson = request.path_params["lesson"]
                tables = isinstance(data, dict) and data.get("tables") is True
                how = beat, lesson, state, want, speak, lessons[lesson], tables
                content = await loop.run_in_executor(threads(shares, request), _content, *how)
        except NoPlaceError:
            return _refused(503, "busy", speak)
        headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
        return Response(content, headers=headers, media_type="application/json")

    return [Route(f"{root()}draw/{{lesson}}/{{beat}}", answer, methods=["POST"])]


def threads(shares: Shares, request: Request) -> ThreadPoolExecutor:
    """Where a drawing is made: in a class, no phone waits for those who have not joined."""
    return OTHERS if shares.visitor and not shares.who(request) else THREADS


def find(lessons: Lessons, request: Request) -> Beat | None:
    """The beat that a path names."""
    beats = lessons.get(request.path_params["lesson"], ())
    return next((beat for beat in beats if beat.name == request.path_params["beat"]), None)


def question(data: object, speak: str) -> tuple[dict[str, str] | None, str, str]:
    """The state, the wanted part and the language in a request; None instead of a bad state."""
    if not isinstance(data, dict):
        return None, "whole", speak
    state, want, chosen = data.get("state"), data.get("want", "whole"), data.get("language")
    if isinstance(chosen, str) and chosen in LANGUAGES:
        speak = chosen
    is_state = isinstance(state, dict) and all(isinstance(text, str) for text in state.values())
    return (state if is_state and want in ("whole", "now", "typed") else None), str(want), speak


def _content(
    beat: Beat,
    lesson: str,
    query: dict[str, str],
    want: str,
    speak: str,
    beats: Sequence[Beat],
    tables: bool,
) -> bytes:
    with speaking(speak):
        state, fault = views.state_of(query, lesson)
        has_step = beat_with(beat, state, beats)[0] is beat
        if want == "now" and has_step:
            content: dict[str, Any] = {"now": beat.now(state), **views.address(state, beat, beats)}
            if tables and (changed := beat.tables(state)):
                content["now"] |= {"picture": changed}
        elif want == "typed" and (typed := beat.typed(state)):
            content = {"typed": typed, "message": fault}
        else:
            content = {"view": views.view(beat, lesson, state, fault, beats)}
        return zipped(content)


def _refused(status: int, why: str, speak: str) -> Response:
    with speaking(speak):
        message = as_json({"message": say(f"draw.{why}")})
    return Response(message, status, media_type="application/json")
