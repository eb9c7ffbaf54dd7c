"""Bound the connections that one phone, and that all together, can keep open.

A page holds one WebSocket, a phone of a class one line for its news. The lecturer and the students
who have joined always get theirs, however many connections others open.
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
RESERVE = 64  # connections of each kind that are kept for the lecturer
LECTURER = "lecturer"
PATIENCE = 300.0  # seconds after which a request is given up that is not the news

# (path, query, cookies) → a phone's name, `LECTURER`, or "" for anybody else
Visitor = Callable[[str, str, Mapping[str, str]], str]


def phones(limit: int) -> int:
    """How many phones a server can hold that may open so many files."""
    return max(0, min(limit - descriptors.OWN, MOST)) // 4


class Connections:
    """Middleware that answers 503 where too many connections are open.

    Of all that there may be, readers who have not joined get a quarter for their pages and a
    quarter for their other requests; of the last ones, the lecturer gets `RESERVE`.

    Args:
        app: What answers the rest.
        most: How many in all.
        visitor: Who asks; None where there is no class.
        news: Path of the line for the class's news.
    """

    def __init__(
        self, app: ASGIApp, most: int, visitor: Visitor | None = None, news: str = ""
    ) -> None:
        self.app, self.most, self.visitor, self.news = app, most, visitor, news
        self.share = most // 4 if visitor else most
        self.all = 0
        self.open: Counter[tuple[str, str]] = Counter()  # by visitor and kind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            if scope["type"] == "lifespan":
                descriptors.keep_log_short()
            await self.app(scope, receive, send)
            return
        who = self._who(scope)
        page, line = scope["type"] == "websocket", scope["path"] == self.news
        kind = "page" if page else "line" if line else "request"
        most = {"page": PAGES, "line": LINES, "request": REQUESTS}[kind] if who else self.share
        in_all = self.most
        if who == LECTURER:
            most, in_all = RESERVE, in_all + 3 * RESERVE
        if self.open[who, kind] >= most or self.all >= in_all:
            wait = {"Retry-After": "5", "Connection": "close"}
            await refuse(scope, receive, send, 503, "crowded", wait)
            return
        self._count(who, kind, 1)
        try:
            async with asyncio.timeout(PATIENCE if kind == "request" else None):
                await self.app(scope, receive, send)
        except TimeoutError:
            pass  # the server closes the connection
        finally:
            self._count(who, kind, -1)

    def _who(self, scope: Scope) -> str:
        if self.visitor is None:
            return ""
        query = scope.get("query_string", b"").decode("latin1")
        return self.visitor(scope["path"], query, HTTPConnection(scope).cookies)

    def _count(self, who: str, kind: str, by: int) -> None:
        self.all += by
        self.open[who, kind] += by
        if not self.open[who, kind]:
            del self.open[who, kind]
