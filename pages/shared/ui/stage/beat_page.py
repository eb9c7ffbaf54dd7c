"""GET /beat/<lesson>/<beat>?<state>: the stage on a page of its own, for frames on course sites.

With ?speaker=<id> it is the page of the speaker's window, which follows a presentation.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from crf.figures import modules
from crf.figures.languages import LANGUAGES
from pages.shared import contents
from pages.shared.course.right_to_left import escape
from pages.shared.ui import component, fonts, preload
from pages.shared.ui.component_data import as_json
from pages.shared.ui.language import of_browser, speaking
from pages.shared.ui.server.connections import Visitor
from pages.shared.ui.server.shares import NoPlaceError, Shares
from pages.shared.ui.server_path import root
from pages.shared.ui.stage import draw
from pages.shared.ui.stage import view as views
from pages.shared.ui.state import LANGUAGE
from pages.shared.ui.words import say

SPEAKER = "speaker"  # of a query: the page of the speaker's window is asked for
_PAGE = Path(__file__).with_suffix(".html")


def routes(lessons: draw.Lessons, visitor: Visitor | None = None) -> list[BaseRoute]:
    """The server's routes for these pages; `visitor` says who asks, in a class.

    They are made where drawings are, so that votes and joins never wait for them.
    """
    shares = Shares(draw.MOST_WAITING, visitor, each=draw.OF_A_PHONE)

    async def answer(request: Request) -> Response:
        await preload.imported()
        try:
            with shares.place(request):
                loop, threads = asyncio.get_running_loop(), draw.threads(shares, request)
                return await loop.run_in_executor(threads, page, request)
        except NoPlaceError:
            with speaking(of_browser(request.headers.get("accept-language"))):
                return _refused(503, "busy")

    def page(request: Request) -> Response:
        query = dict(request.query_params)
        chosen = query.get(LANGUAGE, "")
        browser = of_browser(request.headers.get("accept-language"))
        speak = chosen if chosen in LANGUAGES else browser
        beat, lesson = draw.find(lessons, request), request.path_params["lesson"]
        with speaking(speak):
            if beat is None:
                return _refused(404, "no-beat")
            if SPEAKER in query:
                script = "pages/shared/ui/stage/speaker_page.js"
                heading, data = "", {"words": views.all_words()}
            else:
                state, fault = views.state_of(query, lesson)
                beats = lessons[lesson]
                data = views.data(beat, lesson, state, fault, "frame", opens=not query, beats=beats)
                script = f"{views.STAGE}/beat_page.js"
                heading = data["view"].get("heading") or contents.entry(lesson).title
            text = document(speak, heading, data, script)
        return HTMLResponse(text, headers={"Cache-Control": "no-store"})

    return [Route(f"{root()}beat/{{lesson}}/{{beat}}", answer)]


def _refused(status: int, why: str) -> Response:
    return HTMLResponse(f"<!doctype html><p>{escape(say(f'draw.{why}'))}", status)


def document(
    speak: str, heading: str, data: Mapping[str, Any], script: str, styles: str = ""
) -> str:
    """A page that holds a stage and nothing else.

    Args:
        speak: Its language.
        heading: What it is called before the site's name; "": nothing.
        data: What its script reads from the page.
        script: The module's path.
        styles: More rules of style.
    """
    return Template(_PAGE.read_text(encoding="utf-8")).substitute(
        language=speak,
        title=escape(" · ".join(filter(None, (heading, say("site.title"))))),
        fonts=fonts.faces(),
        style=modules.style(views.STAGE) + styles,
        noscript=escape(say("draw.no-script")),
        data=as_json(data).decode("utf-8", "replace").replace("<", "\\u003c"),
        script=component.module_address(script),
    )
