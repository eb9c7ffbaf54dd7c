"""The library's own files as plain text, where the lessons' code links to."""

from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from pages.shared.contents import ROOT
from pages.shared.ui.server_path import root


@cache
def _files() -> dict[str, Path]:
    """The files by their paths within the library; nothing else is served."""
    core = ROOT / "crf"
    return {path.relative_to(core).as_posix(): path for path in core.rglob("*.py")}


def link(file: str) -> str:
    """Where a file is."""
    return f"{root()}core/{file}"


def route() -> Route:
    """The part of the server that has them."""
    return Route(f"{root()}core/{{file:path}}", _answer)


def _answer(request: Request) -> PlainTextResponse:
    path = _files().get(request.path_params["file"])
    if path is None:
        raise HTTPException(404)
    return PlainTextResponse(path.read_text(encoding="utf-8"))
