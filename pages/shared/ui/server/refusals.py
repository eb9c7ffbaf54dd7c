"""Refuse a request, whether it came as HTTP or as a WebSocket's handshake."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from pages.shared.figures.text import LessonText
from pages.shared.ui.language import of_browser, speaking

_FILE = Path(__file__).with_name("text.md")
TEXT = LessonText.load(_FILE)  # for the console


@lru_cache(maxsize=64)  # a program that is refused asks again at once
def _page(speak: str, paragraph: str, **facts: object) -> str:
    with speaking(speak):
        html = LessonText.load(_FILE).html(paragraph, **facts)
    return f"<!doctype html><html lang={speak}><meta charset=utf-8>{html}"


async def refuse(
    scope: Scope,
    receive: Receive,
    send: Send,
    status: int,
    paragraph: str,
    headers: Mapping[str, str] | None = None,
    **facts: object,
) -> None:
    """Answer a request, or a WebSocket's handshake, with a paragraph of text.md, holes filled."""
    speak = of_browser(Headers(scope=scope).get("accept-language"))
    headers = {"Cache-Control": "no-store"} | dict(headers or {})
    answer = HTMLResponse(_page(speak, paragraph, **facts), status, headers)
    if scope["type"] == "http":
        await answer(scope, receive, send)
        return
    await receive()  # the handshake
    if "websocket.http.response" in scope.get("extensions", {}):
        await WebSocket(scope, receive, send).send_denial_response(answer)
    else:
        await send({"type": "websocket.close"})  # the server makes a 403 of it
