"""Streamlit's header stays unseen until assets/streamlit.css says how it looks."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_END = b"</head>"
_STYLE = b"<style>header { visibility: hidden; }</style>"


class FirstStyle:
    """Middleware that puts a style rule into Streamlit's own page, which it sends as it is.

    Paths that begin with `but` are other pages.
    """

    def __init__(self, app: ASGIApp, but: str) -> None:
        self.app, self.but = app, but

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["path"].startswith(self.but):
            return await self.app(scope, receive, send)
        start: Message | None = None  # of a page, until its first part is there
        fields = dict(scope["headers"])
        if b"text/html" in fields.get(b"accept", b""):
            fields.pop(b"accept-encoding", None)

        async def send_styled(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message
                return
            if start is not None:
                body = message.get("body", b"")
                if _END in body:
                    message = {**message, "body": body.replace(_END, _STYLE + _END, 1)}
                    headers = MutableHeaders(scope=start)
                    if length := headers.get("content-length"):
                        headers["content-length"] = str(int(length) + len(_STYLE))
                await send(start)
                start = None
            await send(message)

        await self.app({**scope, "headers": list(fields.items())}, receive, send_styled)


def _is_page(message: Message) -> bool:
    headers = Headers(raw=message["headers"])
    is_html = headers.get("content-type", "").startswith("text/html")
    return message["status"] == 200 and is_html and "content-encoding" not in headers
