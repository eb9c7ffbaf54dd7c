"""Answer only requests for this server's own names, and only from its own pages.

A page of another site, open in the browser of the app's owner or of a student, can
send requests here; and a site can have a name of its own lead to this machine, to read the answers.
The browser tells both apart in `Origin` and `Host`. Streamlit, asked from an unknown origin, would
ask another machine for this one's address, and answer nobody meanwhile.
"""

import ipaddress
from typing import NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.ui.server.loopback import is_loopback
from pages.shared.ui.server.refusals import refuse

_USUAL = {"http": 80, "https": 443}  # ports that an address leaves out


class Name(NamedTuple):
    """A host and its port; None: the usual one."""

    host: str
    port: int | None


class OwnNames:
    """Middleware that answers 403 where `Host` or `Origin` names another server.

    Own names are those of loopback, the address that the request has reached, `--server.address`,
    each with the port that the server listens on; and that of `--public-url`. The app sees no
    `Origin`: there is nothing left to check.
    """

    def __init__(self, app: ASGIApp, address: str = "", public: str = "") -> None:
        self.app, self.address = app, _plain(address)
        self.public, self.public_name = public, _of_link(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        named = [_of_host(hosts[0]) if len(hosts) == 1 else None, *map(_of_link, origins)]
        if all(name and self._is_own(name, scope.get("server")) for name in named):
            rest = [pair for pair in scope["headers"] if pair[0] != b"origin"]
            await self.app({**scope, "headers": rest}, receive, send)
            return
        names = ", ".join([*hosts, *origins])[:100] or "no host"
        port = (scope.get("server") or ("", ""))[1]
        own = self.public or f"http://127.0.0.1:{port}"
        await refuse(scope, receive, send, 403, "foreign", named=names, own=own)

    def _is_own(self, name: Name, reached: tuple[str, int | None] | None) -> bool:
        if name == self.public_name:
            return True
        host, port = reached or ("", None)  # nothing, on a Unix socket: there a proxy is before it
        if port is None or name.port != (None if port in _USUAL.values() else port):
            return False
        return name.host in (self.address, _plain(host)) or is_loopback(name.host)


def _of_host(text: str) -> Name | None:
    """The name in a `Host` header; None: it cannot be read."""
    return _of_link(f"http://{text}") if set("/?#@\\").isdisjoint(text) else None


def _of_link(text: str) -> Name | None:
    """The name in an origin or a link; None: there is none, as in "null"."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _USUAL or not parts.hostname:
        return None
    return Name(_plain(parts.hostname), None if port == _USUAL[parts.scheme] else port)


def _plain(host: str) -> str:
    """An address in one way of writing it: "::1" for "0:0::1", IPv4 for IPv4 within IPv6."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host.lower()
    return str(getattr(address, "ipv4_mapped", None) or address)
