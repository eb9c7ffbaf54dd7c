"""Streamlit's own scripts, styles and fonts, gzipped, under a path of this server.

Its scripts and styles are 2.2 MB before the first word of a page, and 0.6 MB when gzipped. Each is
compressed from its file when it is asked for first, and kept: a whole class asks for the same ones.

Of the letters of its icons, which it loads on every page, those suffice that its scripts and our
pages name: a file in assets/fonts that has the name of one of Streamlit's stands in for it. The
name changes with the file, so that with another version of Streamlit its own font is sent.

Browsers keep these files for a year and never ask again. One that once got a cut file would show a
blank page all that time, so `ROOT` changes when what was served under it was wrong.
"""

import asyncio
import gzip
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import FileResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pages.shared.contents import ROOT as APP

OURS = APP / "assets" / "fonts"
ROOT = "streamlit/"  # once "static/", Streamlit's own


def mount(root: str) -> Mount:
    """The part of the server that has these files; `root` is the path of the app."""
    with as_file(files("streamlit").joinpath("static", "static")) as folder:
        return Mount(root + ROOT.rstrip("/"), _Zipped(directory=folder))


def _stand_in(path: str) -> Path | None:
    file = OURS / Path(path).name
    return file if path.startswith("media/") and file.is_file() else None


class _Zipped(StaticFiles):
    """A folder's files; its scripts and styles gzipped, if the browser takes that."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response, asked = await super().get_response(path, scope), Headers(scope=scope)
        if isinstance(response, FileResponse) and (ours := _stand_in(path)):
            response = FileResponse(ours)
        if isinstance(response, FileResponse) and path.endswith((".js", ".css")):
            response.headers.add_vary_header("Accept-Encoding")
            is_whole = scope["method"] == "GET" and "range" not in asked
            if is_whole and "gzip" in asked.get("accept-encoding", ""):
                response = await _gzipped(response)
        response.headers["cache-control"] = "public, immutable, max-age=31536000"
        return response


async def _gzipped(response: FileResponse) -> Response:
    body = await asyncio.to_thread(_compressed, str(response.path))
    headers = MutableHeaders(raw=list(response.raw_headers))
    headers["content-encoding"] = "gzip"
    headers["content-length"] = str(len(body))
    zipped = Response(body)
    zipped.raw_headers = headers.raw
    return zipped


@cache  # as many entries as Streamlit has files
def _compressed(path: str) -> bytes:
    with open(path, "rb") as file:
        return gzip.compress(file.read(), mtime=0)
