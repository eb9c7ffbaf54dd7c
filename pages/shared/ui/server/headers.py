"""Headers that tell a browser what pages of this server may do, and a path that is refused.

The content security policy is the strictest under which every page works: scripts are files of this
server, the components' stubs that Streamlit makes (blob:), and the one that stands in Streamlit's
own page, known by its hash. Styles are written into the page by Streamlit and by figures.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.shared.ui.server.loopback import is_loopback
from pages.shared.ui.server.refusals import refuse

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(embed_from: Sequence[str] = ()) -> str:
    """The value of `Content-Security-Policy`; these origins may show the app in a frame."""
    page = files("streamlit").joinpath("static", "index.html").read_text(encoding="utf-8")
    hashes = [b64encode(sha256(text.encode()).digest()).decode() for text in _SCRIPT.findall(page)]
    rules = {
        "default-src": ["'none'"],
        "script-src": ["'self'", "blob:", *(f"'sha256-{one}'" for one in hashes)],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "font-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "frame-src": ["'self'"],
        "worker-src": ["'self'", "blob:"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'self'", *embed_from],
    }
    return "; ".join(" ".join([name, *sources]) for name, sources in rules.items())


class Headers:
    """Middleware that adds them to each answer, and keeps the server's numbers to its machine.

    Streamlit's numbers about its sessions are at `metrics`; in a class nobody is shown them.
    """

    def __init__(
        self, app: ASGIApp, metrics: str, is_class: bool = False, embed_from: Sequence[str] = ()
    ) -> None:
        self.app, self.metrics, self.is_class = app, metrics, is_class
        self.headers = {
            "Content-Security-Policy": policy(embed_from),
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",  # with none, a form's `Origin` would be null
            "Cross-Origin-Resource-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""

        async def send_more(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                MutableHeaders(scope=message).update(self.headers)
            await send(message)

        if scope["type"] == "http" and scope["path"].rstrip("/") == self.metrics:
            http = HTTPConnection(scope)
            client, host = http.client.host if http.client else "", http.headers.get("host", "")
            near = is_loopback(client) and is_loopback(urlsplit(f"//{host}").hostname or "")
            if self.is_class or not near:
                await refuse(scope, receive, send_more, 404, "nothing")
                return
        await self.app(scope, receive, send_more)
