"""Addresses of beats that stand elsewhere now lead there."""

from urllib.parse import parse_qsl, urlencode

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.shared.contents import COURSE, MOVED, STORY
from pages.shared.ui.server_path import root

_FOLDERS = {one.address: one.folder for one in (*COURSE, STORY)}
_OF_THE_OLD_BEAT = ("beat", "step", "bet")


class Moved:
    """Middleware that answers 307 where the address of a page or a frame names a moved beat."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and scope["method"] == "GET" and (to := _new_place(scope)):
            await RedirectResponse(to)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _new_place(scope: Scope) -> str:
    """Where a moved beat stands, with the rest of the query; "": it has not moved."""
    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    address, *beat = scope["path"].removeprefix(root()).split("/")
    if address == "beat":
        there = MOVED.get(tuple(beat))
        path = f"beat/{'/'.join(there)}" if there else ""
    else:
        there = MOVED.get((_FOLDERS.get(address, ""), query.get("beat", "")))
        path = next((one.address for one in COURSE if there and one.folder == there[0]), "")
    rest = {key: text for key, text in query.items() if key not in _OF_THE_OLD_BEAT}
    asked = f"?{urlencode(rest)}" if rest else ""
    return f"{root()}{path}{asked}" if there else ""
