"""Bound the connections that one phone, and that all together, can keep open.

A page holds one WebSocket, a student's phone a line for the class's news as well. Whoever has
joined the class is sure of theirs, whatever others open who have not.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.ui.server import descriptors
from pages.shared.ui.server.refusals import refuse

MOST = 3000  # connections in use at once: 500 phones with four each, and as many others again
PAGES = 3  # WebSockets of a place; its line for the news is the fourth connection
LINES = 8  # of a place, while the newest ends the others
REQUESTS = 32  # of a place in work at once; a browser keeps six
PATIENCE = 300.0  # seconds after which a request is given up that is not the news

Who = Callable[[Mapping[str, str]], str]
held: Counter[str] = Counter()  # pages and lines that are open now, by the student who has them


def phones(limit: int) -> int:
    """How many phones a server can hold that may open so many files."""
    return max(0, min(limit - descriptors.OWN, MOST)) // 4


class Connections:
    """Middleware that answers 503 where too many connections are open.

    Of all that there may be, readers who have not joined get a quarter for their pages and a
    quarter for their other requests.

    Args:
        app: What answers the rest.
        most: How many in all.
        who: The student whose cookies these are; "" for anybody else. None where there is no class.
        news: Path of the line for the class's news.
    """

    def __init__(self, app: ASGIApp, most: int, who: Who | None = None, news: str = "") -> None:
        self.app, self.most, self.who, self.news = app, most, who, news
        self.share = most // 4 if who else most
        self.all = 0
        self.open: Counter[tuple[str, str]] = Counter()  # by student and kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            if scope["type"] == "lifespan":
                descriptors.keep_log_short()
            await self.app(scope, receive, send)
            return
        student = self.who(HTTPConnection(scope).cookies) if self.who else ""
        page, line = scope["type"] == "websocket", scope["path"] == self.news
        kind = "page" if page else "line" if line else "request"
        most = {"page": PAGES, "line": LINES, "request": REQUESTS}[kind] if student else self.share
        if self.open[student, kind] >= most or self.all >= self.most:
            wait = {"Retry-After": "5", "Connection": "close"}
            await refuse(scope, receive, send, 503, "crowded", wait)
            return
        self._count(student, kind, 1)
        try:
            async with asyncio.timeout(PATIENCE if kind == "request" else None):
                await self.app(scope, receive, send)
        except TimeoutError:
            pass  # the server closes the connection
        finally:
            self._count(student, kind, -1)

    def _count(self, student: str, kind: str, by: int) -> None:
        self.all += by
        self.open[student, kind] += by
        if not self.open[student, kind]:
            del self.open[student, kind]
        if student and kind != "request":
            held[student] += by
            if not held[student]:
                del held[student]
