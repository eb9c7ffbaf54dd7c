"""Streamlit's own page, with our lines in its head, and its scripts where this server has them.

Its header stays unseen until assets/streamlit.css says how it looks. The link that comes before the
theme has our font: else a browser would load another for it.
"""

import gzip
import re
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.ui.server import streamlit_files

_END = b"</head>"
_STYLE = (
    b"<style>header { visibility: hidden; }"
    b' a[href="#stMain"] { font-family: "Course Sans", sans-serif !important; }</style>'
)
_FONT = re.compile(rb'<link\s+rel="preload"[^>]*as="font"[^>]*>')  # of Streamlit: ours are smaller
_THEIRS, _OURS = b'"./static/', b'"./%s' % streamlit_files.ROOT.encode()
# The page changes here without a change of its file: whether a browser's is the same, is said here.
_CONDITIONS = (b"if-none-match", b"if-modified-since")


class FirstStyle:
    """Middleware that changes Streamlit's own page, which it sends as it is.

    Paths that begin with `but` are other pages. `head`: HTML for its head, after our first style.
    """

    def __init__(self, app: ASGIApp, but: str, head: str = "") -> None:
        self.app, self.but, self.head = app, but, _STYLE + head.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["path"].startswith(self.but):
            return await self.app(scope, receive, send)
        fields = Headers(raw=scope["headers"])
        if scope["method"] != "GET" or "text/html" not in fields.get("accept", ""):
            return await self.app(scope, receive, send)
        raw = [one for one in fields.raw if one[0] not in (b"accept-encoding", *_CONDITIONS)]
        start: Message | None = None  # of a page, until it is whole
        body = b""

        async def send_changed(message: Message) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
            elif start is None:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await self._answer(start, body, fields)(scope, receive, send)

        await self.app({**scope, "headers": raw}, receive, send_changed)

    def _answer(self, start: Message, page: bytes, asked: Headers) -> Response:
        """The changed page, gzipped for who takes that, or that it is as it was."""
        changed = _FONT.sub(b"", page).replace(_END, self.head + _END, 1).replace(_THEIRS, _OURS)
        answer = Response(changed)
        answer.raw_headers = [
            one for one in start["headers"] if one[0] not in (b"last-modified", b"content-length")
        ]
        answer.headers["etag"] = mark = f'"{sha256(changed).hexdigest()[:16]}"'
        answer.headers.add_vary_header("Accept-Encoding")
        if mark in asked.get("if-none-match", ""):
            answer.status_code, answer.body = 304, b""
            return answer
        if "gzip" in asked.get("accept-encoding", ""):
            answer.body = gzip.compress(changed, mtime=0)
            answer.headers["content-encoding"] = "gzip"
        answer.headers["content-length"] = str(len(answer.body))
        return answer


def _is_page(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_html = headers.get("content-type", "").startswith("text/html")
    return message["status"] == 200 and is_html and "content-encoding" not in headers
