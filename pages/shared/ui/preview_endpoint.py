"""A score that follows the hand is answered by a request of its own, beside the page's runs.

A run has the browser go through the whole page, which takes longer than drawing what moves. So a
session offers to draw it, under an address that only its browser knows; nothing is kept of what is
asked there, and the offer ends with the session. Where the reader is, which changes nothing on the
page, is said there, too, for the next run.
"""

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from crf.strict_json import JsonError, read_json
from pages.shared.ui.component_data import zipped
from pages.shared.ui.server_path import root
from pages.shared.ui.state import SessionValue

Draw = Callable[[object], dict[str, Any] | None]  # what the browser sends → JSON, or None
LONGEST = 4096  # bytes of a question
MOST_AT_ONCE = 64  # sessions that are drawn for
_THREADS = ThreadPoolExecutor(2, "live")  # apart from those that the class's phones wait for


@dataclass(eq=False)
class PreviewChannel:
    """One session's callback for live previews."""

    # runs in a worker thread, without a session: what it needs of one, it has
    draw: Draw = lambda asked: None
    said: object = None  # what the browser has said last, of itself: anything
    draws: bool = False  # whether it draws now: its browser asks again when it has its answer
    token: str = field(default_factory=partial(secrets.token_urlsafe, 16))

    @property
    def address(self) -> str:
        """Where the browser asks."""
        return f"{root()}live/{self.token}"


_OFFER = SessionValue[PreviewChannel | None]("{}·live", None, kind=PreviewChannel)
_OFFERS: WeakValueDictionary[str, PreviewChannel] = WeakValueDictionary()  # the sessions hold them


def offer(key: str) -> PreviewChannel:
    """The session's offer to the component with this key; it keeps its address."""
    kept = _OFFER.at(key).begin(PreviewChannel)
    _OFFERS[kept.token] = kept
    return kept


def route() -> Route:
    """The part of the server that answers."""
    return Route(f"{root()}live/{{token}}", _answer, methods=["POST"])


async def _answer(request: Request) -> Response:
    """What an offer draws; 204: nothing to draw; 400: no JSON; 404: no such offer; 429: it draws
    already, or too many others do.
    """
    found = _OFFERS.get(request.path_params["token"])
    if found is None:
        return Response(status_code=404)
    asked = b""
    async for part in request.stream():
        asked += part
        if len(asked) > LONGEST:
            return Response(status_code=413)
    try:
        question = read_json(asked, LONGEST)
    except JsonError:
        return Response(status_code=400)
    if isinstance(question, dict) and "said" in question:
        found.said = question["said"]
        return Response(status_code=204)
    if found.draws or sum(offer.draws for offer in _OFFERS.values()) >= MOST_AT_ONCE:
        return Response(status_code=429)
    found.draws = True
    try:
        loop = asyncio.get_running_loop()
        drawn = await loop.run_in_executor(_THREADS, _drawn, found.draw, question)
    finally:
        found.draws = False
    if drawn is None:
        return Response(status_code=204)
    headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
    return Response(drawn, headers=headers, media_type="application/json")


def _drawn(draw: Draw, question: object) -> bytes | None:
    drawn = draw(question)
    return None if drawn is None else zipped(drawn)
