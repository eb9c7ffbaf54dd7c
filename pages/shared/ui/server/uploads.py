"""Bound the files that sessions keep on the server: of each session, and of all together.

Streamlit keeps what is uploaded in memory until the session ends, however much it is.
"""

import re

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.ui.server.refusals import refuse

MEGABYTE = 1024 * 1024
MOST_FILES, MOST_BYTES = 64, 64 * MEGABYTE  # of a session
MOST_IN_ALL = 256 * MEGABYTE


class Uploads:
    """Middleware that answers 413 to an upload beyond the bounds, and keeps nothing of it."""

    def __init__(self, app: ASGIApp, path: str) -> None:
        self.app = app
        self.path = re.compile(re.escape(path) + r"/(?P<session>[^/]+)/(?P<file>[^/]+)/?")
        self.kept: dict[str, dict[str, int]] = {}  # session → file → bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        match = self.path.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if match is None or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        session, file = match["session"], match["file"]
        if scope["method"] == "DELETE":
            if await self._status(scope, receive, send) < 400:
                self._forget(session, file)
            return
        length = HTTPConnection(scope).headers.get("content-length", "")
        if not length.isdecimal():
            await refuse(scope, receive, send, 411, "no-length")
            return
        if not await self._has_room(scope, session, file, int(length)):
            if int(length) <= MOST_BYTES:  # a browser that is not listened to reports no reason
                while (await receive()).get("more_body"):
                    pass
            mb = MOST_BYTES // MEGABYTE
            await refuse(scope, receive, send, 413, "too-much", mb=mb, files=MOST_FILES)
            return
        self.kept.setdefault(session, {})[file] = int(length)
        status = 500
        try:
            status = await self._status(scope, receive, send)
        finally:  # Streamlit raises if the browser breaks an upload off
            if status >= 400:
                self._forget(session, file)

    async def _has_room(self, scope: Scope, session: str, file: str, length: int) -> bool:
        own = {name: size for name, size in self.kept.get(session, {}).items() if name != file}
        if len(own) >= MOST_FILES or sum(own.values()) + length > MOST_BYTES:
            return False
        if self._in_all() + length > MOST_IN_ALL:
            for other in set(self.kept) - {session}:
                if not await self._is_alive(scope, other):
                    self.kept.pop(other, None)
        return self._in_all() + length <= MOST_IN_ALL

    def _in_all(self) -> int:
        return sum(sum(files.values()) for files in self.kept.values())

    def _forget(self, session: str, file: str) -> None:
        files = self.kept.get(session, {})
        files.pop(file, None)
        if not files:
            self.kept.pop(session, None)

    async def _is_alive(self, scope: Scope, session: str) -> bool:
        """Whether a session still keeps its files: of one that has ended, Streamlit says 400.

        It is asked to take a file that is too large (413), by the reader who uploads one now.
        """
        path = scope["path"].rsplit("/", 2)[0] + f"/{session}/none"
        headers = list(scope["headers"])
        probe = {**scope, "path": path, "raw_path": path.encode(), "headers": headers}
        MutableHeaders(scope=probe)["content-length"] = str(1024 * MOST_IN_ALL)

        async def receive() -> Message:
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            pass

        return await self._status(probe, receive, send) == 413

    async def _status(self, scope: Scope, receive: Receive, send: Send) -> int:
        """Pass a request on; the status of its answer."""
        status = 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        await self.app(scope, receive, watch)
        return status
