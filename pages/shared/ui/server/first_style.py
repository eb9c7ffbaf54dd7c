"""Streamlit's own page, with our lines in its head, and its scripts where this server has them.

Its header stays unseen until assets/streamlit.css says how it looks. The link that comes before the
theme has our font: else a browser would load another for it.
"""

import asyncio
import gzip
import re
from collections.abc import Callable
from hashlib import sha256

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.ui.server import streamlit_files

_END, _BODY = b"</head>", b"<body>"
_ROOT = b'<div id="root">'  # where Streamlit draws
_STYLE = (
    b"<style>header { visibility: hidden; }"
    b' a[href="#stMain"] { font-family: "Course Sans", sans-serif !important; }</style>'
)
_FONT = re.compile(rb'<link\s+rel="preload"[^>]*as="font"[^>]*>')  # of Streamlit: ours are smaller
_THEIRS, _OURS = b'"./static/', b'"./%s' % streamlit_files.ROOT.encode()
# The page changes here without a change of its file: whether a browser's is the same, is said here.
_CONDITIONS = (b"if-none-match", b"if-modified-since")


class FirstStyle:
    """Middleware that changes Streamlit's own page, and gzips it and all others.

    `head`: HTML for its head, after our first style; `still`: path, query, `Accept-Language` → HTML
    that stands in the page until its scripts have come.
    """

    def __init__(
        self,
        app: ASGIApp,
        head: str = "",
        still: Callable[[str, str, str], str] = lambda path, query, accepts: "",
    ) -> None:
        self.app, self.head, self.still = app, _STYLE + head.encode(), still

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        fields = Headers(raw=scope["headers"]) if scope["type"] == "http" else Headers()
        if scope.get("method") != "GET" or "text/html" not in fields.get("accept", ""):
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
                    query = scope["query_string"].decode("latin-1")
                    still = self.still(scope["path"], query, fields.get("accept-language", ""))
                    how = start, body, fields, still
                    answer = await asyncio.to_thread(self._answer, *how)  # the article: 50 ms
                    await answer(scope, receive, send)

        await self.app({**scope, "headers": raw}, receive, send_changed)

    def _answer(self, start: Message, page: bytes, asked: Headers, still: str) -> Response:
        """The page, gzipped for who takes that, or that it is as it was."""
        changed = self._changed(page, still) if _ROOT in page else page
        answer = Response(changed)
        answer.raw_headers = [
            one for one in start["headers"] if one[0] not in (b"last-modified", b"content-length")
        ]
        answer.headers["etag"] = mark = f'"{sha256(changed).hexdigest()[:16]}"'
        answer.headers.add_vary_header("Accept-Encoding, Accept-Language")
        if mark in asked.get("if-none-match", ""):
            answer.status_code, answer.body = 304, b""
            return answer
        if "gzip" in asked.get("accept-encoding", ""):
            answer.body = gzip.compress(changed, mtime=0)
            answer.headers["content-encoding"] = "gzip"
        answer.headers["content-length"] = str(len(answer.body))
        return answer

    def _changed(self, page: bytes, still: str) -> bytes:
        page = _FONT.sub(b"", page).replace(_END, self.head + _END, 1)
        return page.replace(_THEIRS, _OURS).replace(_BODY, _BODY + still.encode(), 1)


def _is_page(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_html = headers.get("content-type", "").startswith("text/html")
    return message["status"] == 200 and is_html and "content-encoding" not in headers
