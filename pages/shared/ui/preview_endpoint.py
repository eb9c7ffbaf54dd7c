"""A score that follows the hand is answered by a request of its own, beside the page's runs.

A run has the browser go through the whole page, which takes longer than drawing what moves. So a
session offers to draw it, under an address that only its browser knows; nothing is kept of what is
asked there, and the offer ends with the session. Where the reader is, which changes nothing on the
page, is said there, too, for the next run.

    offer = live.offer("viterbi.stepper")
    offer.draw = draw  # what the browser sends → JSON, or None
    data = {"live": offer.address}
"""

import asyncio
import gzip
import json
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from crf.strict_json import JsonError, read_json
from pages.shared.ui.server_path import root
from pages.shared.ui.state import SessionValue

Draw = Callable[[object], dict[str, Any] | None]
LONGEST = 4096  # bytes of a question
MOST_AT_ONCE = 64  # sessions that are drawn for, or wait for it
_THREADS = ThreadPoolExecutor(2, "live")  # apart from those that the class's phones wait for
_drawing = 0  # sessions


class PreviewChannel:
    """What one session draws on demand.

    Attributes:
        draw: Called in a thread of its own, without a session: what it needs of one, it has.
        said: What the browser has said last, of itself; anything may come from there.
        token: Names it.
    """

    def __init__(self) -> None:
        self.draw: Draw = lambda asked: None
        self.said: object = None
        self.token = secrets.token_urlsafe(16)
        self._draws = False
        self._waiting: asyncio.Future[bool] | None = None

    @property
    def address(self) -> str:
        """Where the browser asks."""
        return f"{root()}live/{self.token}"

    async def is_next(self) -> bool:
        """Wait until nothing else is drawn for this session; False: a newer question has come."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(False)
        if not self._draws:
            return True
        self._waiting = asyncio.get_running_loop().create_future()
        return await self._waiting

    def starts(self) -> bool:
        """Begin to draw; False: too many sessions do already."""
        global _drawing
        if self._draws or _drawing >= MOST_AT_ONCE:
            return False
        self._draws = True
        _drawing += 1
        return True

    def ends(self) -> None:
        """Have drawn; whoever waits is next."""
        global _drawing
        self._draws = False
        _drawing -= 1
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(True)


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
    """What an offer draws; 204: nothing to draw; 400: no JSON; 404: no such offer; 429: a newer
    question has come, or too many readers ask at once.
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
    if not await found.is_next() or not found.starts():
        return Response(status_code=429)
    try:
        loop = asyncio.get_running_loop()
        drawn = await loop.run_in_executor(_THREADS, _drawn, found.draw, question)
    finally:
        found.ends()
    if drawn is None:
        return Response(status_code=204)
    headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
    return Response(drawn, headers=headers, media_type="application/json")


def _drawn(draw: Draw, question: object) -> bytes | None:
    drawn = draw(question)
    if drawn is None:
        return None
    text = json.dumps(drawn, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return gzip.compress(text.encode(), compresslevel=1, mtime=0)
