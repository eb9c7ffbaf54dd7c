"""Streamlit's own page, with our lines in its head, and its scripts where this server has them.

Its header stays unseen until assets/streamlit.css says how it looks. The link that comes before the
theme has our font: else a browser would load another for it.
"""

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.ui.server import streamlit_files

_END = b"</head>"
_STYLE = (
    b"<style>header { visibility: hidden; }"
    b' a[href="#stMain"] { font-family: "Course Sans", sans-serif !important; }</style>'
)
_FONT = re.compile(rb'<link\s+rel="preload"[^>]*as="font"[^>]*>')  # of Streamlit: ours are smaller
_THEIRS, _OURS = b'"./static/', b'"./%s' % streamlit_files.ROOT.encode()
# The page changes here without a change of its file: no browser may keep what it has.
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
        start: Message | None = None  # of a page, until its first part is there
        fields = scope["headers"]
        if b"text/html" in dict(fields).get(b"accept", b""):
            fields = [one for one in fields if one[0] not in (b"accept-encoding", *_CONDITIONS)]

        async def send_changed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if start is not None:
                body = message.get("body", b"")
                if _END in body:
                    changed = _FONT.sub(b"", body).replace(_END, self.head + _END, 1)
                    changed = changed.replace(_THEIRS, _OURS)
                    message = {**message, "body": changed}
                    headers = MutableHeaders(scope=start)
                    del headers["etag"], headers["last-modified"]
                    if length := headers.get("content-length"):
                        headers["content-length"] = str(int(length) + len(changed) - len(body))
                await send(start)
                start = None
            await send(message)

        await self.app({**scope, "headers": fields}, receive, send_changed)


def _is_page(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_html = headers.get("content-type", "").startswith("text/html")
    return message["status"] == 200 and is_html and "content-encoding" not in headers
