"""POST /plan/<what>: requests of a browser that prepares a lecture; nothing is kept here.

    read  {"text": a file's text, or the value of a link} → {"lecture", "left_out": [sentences]}
    story {"name": one of the default plans}              → the same
    link  {"lecture": …}                                  → {"link": value for an address}
    file  {"lecture": …}                                  → {"html": one file without a server}

Each may name the reader's "language".
What cannot be answered has a status and {"message"}: 413 too large, 422 no lecture, 503 too busy.

A file takes seconds, so it is made in a worker's process, `python -m` this module. That has the
taggers of the app only: of any other it is handed the scores.
"""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from crf.figures.languages import LANGUAGES, language
from crf.strict_json import JsonError, read_json, write_json
from pages.shared.contents import PAGES
from pages.shared.course import lecture_plan, problem_files
from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.problem_checks import ProblemError, refuse, short
from pages.shared.course.state import Given
from pages.shared.ui import preload, taggers
from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server.body import TooLargeError, body_of
from pages.shared.ui.server.connections import Visitor
from pages.shared.ui.server.shares import NoPlaceError, Shares
from pages.shared.ui.server.worker import GoneError, Worker, WorkerError, serve
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import scores, story_file
from pages.shared.ui.stage import view as views
from pages.shared.ui.stage.draw import Lessons
from pages.shared.ui.words import say

PLANS = ("twenty-minutes", "fifty-minutes")
MOST_WAITING = 4  # questions, and as many files
SECONDS, MEMORY = 30.0, 1_500_000_000  # that a file may take; bytes
_THREAD = ThreadPoolExecutor(1, "plan")


def routes(lessons: Lessons, visitor: Visitor | None = None) -> list[BaseRoute]:
    """The server's routes for lectures; `visitor` says who asks, in a class."""
    worker = Worker(__name__, SECONDS + 5)
    questions, files = Shares(MOST_WAITING, visitor), Shares(MOST_WAITING, visitor)

    async def post(request: Request) -> Response:
        await preload.imported()
        speak = of_browser(request.headers.get("accept-language"))
        with speaking(speak):
            try:
                body = await body_of(request, MAX_FILE)
            except TooLargeError:
                return _message(413, say("draw.too-large"))
            try:
                with (files if request.path_params["what"] == "file" else questions).place(request):
                    content = await answered(request, speak, body)
            except ProblemError as error:
                return _message(422, str(error))
            except NoPlaceError:
                return _message(503, say("draw.busy"))
            except WorkerError:
                return _message(422, say("lecture.too-dear"))
            except GoneError:
                return Response(status_code=499)  # nobody reads it
        return Response(content, media_type="application/json")

    async def answered(request: Request, speak: str, body: bytes) -> bytes:
        what, loop = request.path_params["what"], asyncio.get_running_loop()
        content = await loop.run_in_executor(_THREAD, _in_language, speak, what, body, lessons)
        if what != "file":
            return as_json(content)
        line = await worker.ask(request, write_json(content).encode())
        if refused := read_json(line, len(line)).get("refused"):
            raise ProblemError(refused)
        return line

    return [Route(f"{root()}plan/{{what:str}}", post, methods=["POST"])]


def _in_language(speak: str, *arguments: Any) -> dict[str, Any]:
    with speaking(speak):
        return answer(*arguments)


def answer(what: str, body: bytes, lessons: Lessons) -> dict[str, Any]:
    """Answer one request; a file's answer is the job for the worker, see `made`.

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
        handed = _handed(plan)
        return {"lecture": lecture_plan.to_data(plan), "language": language(), "handed": handed}
    return {"lecture": lecture_plan.to_data(plan), "left_out": list(left_out)}


def _handed(plan: lecture_plan.LecturePlan) -> list[list[Any]]:
    """The scores that only this server has: of sentences that other taggers than the app's read."""
    handed = {}
    for one in plan.beats:
        parts = dict(parse_qsl(one.state))
        if parts.get("tagger", "") not in ("", *taggers.shipped_entries()):
            state, _ = views.state_of(parts, one.lesson)
            (_, *base, _), (problem, *rest) = state.base, state.given
            handed[tuple(base)] = [base, problem_files.to_json(problem), rest]
    return list(handed.values())


def made(line: bytes) -> bytes:
    """What the worker makes of a job: {"html": …}, or {"refused": why}."""
    job = read_json(line, len(line))
    for base, problem, rest in job["handed"]:
        scores.HANDED[*base] = Given(problem_files.from_json(problem), *rest)
    with speaking(job["language"]):
        lessons = import_module("pages.beats").LESSONS
        known = {(lesson, beat.name) for lesson, beats in lessons.items() for beat in beats}
        plan, _ = lecture_plan.from_json(write_json(job["lecture"]), known)
        try:
            return as_json({"html": story_file.document(plan, lessons, SECONDS)})
        except ProblemError as error:
            return as_json({"refused": str(error)})
        except MemoryError:
            return as_json({"refused": say("lecture.too-dear")})
        finally:
            scores.HANDED.clear()


def _message(status: int, message: str) -> Response:
    return Response(as_json({"message": message}), status, media_type="application/json")


if __name__ == "__main__":
    import_module("torch")  # now, so that its size is no job's
    serve(made, MEMORY)
