"""POST /plan/<what>: requests of a browser that prepares a lecture; nothing is kept here.

    read  {"text": a file's text, or the value of a link} → {"lecture", "left_out": [sentences]}
    story {"name": one of the default plans}              → the same
    link  {"lecture": …}                                  → {"link": value for an address}
    file  {"lecture": …}                                  → {"html": one file without a server}

Each may name the reader's "language".
What cannot be answered has a status and {"message"}: 413 too large, 422 no lecture, 503 too busy.
"""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crf.figures.languages import LANGUAGES, language
from crf.strict_json import JsonError, read_json
from pages.shared.contents import PAGES
from pages.shared.course import lecture_plan
from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.problem_checks import ProblemError, refuse, short
from pages.shared.ui import preload
from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import story_file
from pages.shared.ui.stage.draw import Lessons
from pages.shared.ui.words import say

PLANS = ("twenty-minutes", "fifty-minutes")
MOST_WAITING = 4  # questions
_THREAD = ThreadPoolExecutor(1, "plan")


def routes(lessons: Lessons) -> list[BaseRoute]:
    """The server's routes for lectures."""
    waiting = 0

    async def post(request: Request) -> Response:
        nonlocal waiting
        await preload.imported()
        speak = of_browser(request.headers.get("accept-language"))
        try:
            body = await body_of(request, MAX_FILE)
        except TooLargeError:
            return _message(413, say("draw.too-large"))
        if waiting >= MOST_WAITING:
            return _message(503, say("draw.busy"))
        waiting += 1
        try:
            loop, what = asyncio.get_running_loop(), request.path_params["what"]
            content = await loop.run_in_executor(_THREAD, _in_language, speak, what, body, lessons)
        except ProblemError as error:
            return _message(422, str(error))
        finally:
            waiting -= 1
        return Response(as_json(content), media_type="application/json")

    return [Route(f"{root()}plan/{{what:str}}", post, methods=["POST"])]


def _in_language(speak: str, *arguments: Any) -> dict[str, Any]:
    with speaking(speak):
        return answer(*arguments)


def answer(what: str, body: bytes, lessons: Lessons) -> dict[str, Any]:
    """Answer one request.

    Raises:
        ProblemError: There is none; the message says why.
    """
    known = {(lesson, beat.name) for lesson, beats in lessons.items() for beat in beats}
    try:
        data = read_json(body, MAX_FILE)
    except JsonError as error:
        raise ProblemError(f"file: {error}; save the lecture again") from None
    data = data if isinstance(data, dict) else {}
    named = str(data.get("language"))
    with speaking(named if named in LANGUAGES else language()):
        return _answered(what, data, known, lessons)


def _answered(
    what: str, data: dict[str, Any], known: lecture_plan.Known, lessons: Lessons
) -> dict[str, Any]:
    if what == "read":
        text = str(data.get("text", ""))
        is_file = text.lstrip()[:1] in "{["
        read = lecture_plan.from_json if is_file else lecture_plan.from_link
        plan, left_out = read(text, known)
    elif what == "story":
        name = data.get("name")
        if name not in PLANS:
            raise refuse("name", f"one of {', '.join(PLANS)}", short(name), "choose one")
        file = PAGES / "trellis" / f"{name}.json"
        own = file.with_suffix(f".{language()}.json")
        file = own if own.exists() else file
        plan, left_out = lecture_plan.from_json(file.read_bytes(), known)
    else:
        text = json.dumps(data.get("lecture"), allow_nan=False)
        plan, left_out = lecture_plan.from_json(text, known)
    if what == "link":
        return {"link": lecture_plan.to_link(plan)}
    if what == "file":
        if not plan.beats:
            raise refuse("beats", "at least one", "none", "add one")
        return {"html": story_file.document(plan, lessons)}
    return {"lecture": lecture_plan.to_data(plan), "left_out": list(left_out)}


def _message(status: int, message: str) -> Response:
    return Response(as_json({"message": message}), status, media_type="application/json")
