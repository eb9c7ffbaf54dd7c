"""A figure on a page of Streamlit: its module is imported from the server, its style goes along.

A figure is a folder with an `index.js`, an anywidget front-end module, and a `style.css`. A module
is served linked with all that it imports, below a path that has all modules' hash, so a browser
asks once, keeps it from page to page and from visit to visit, and has the new one after any change.
The figures of a page are one file, because they share modules.
"""

import gzip
import json
from asyncio import to_thread
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from streamlit.components import v2

from crf.figures import modules
from pages.shared.contents import ROOT
from pages.shared.ui import linked
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server_path import root

_FOLDERS = ("crf/figures", "pages")
_SCRIPTS = "pages/shared/ui/scripts"
_HOST = f"{_SCRIPTS}/streamlit.js"
PAGE = "page.js"  # of Streamlit's pages
TOGETHER = (
    _HOST,
    "pages/index.js",
    f"{_SCRIPTS}/history/index.js",
    f"{_SCRIPTS}/presenting/index.js",
    "pages/teach/classroom/lead/index.js",
    "pages/glossary/anchor/index.js",
)
_asked_for: set[str] = set()  # by pages of this server; nothing else is linked


class _Source(StaticFiles):
    """Serves a folder's Python files as plain text and nothing else; each is read once."""

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder)
        self.read: dict[str, bytes] = {}

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path not in self.read or scope["method"] != "GET":
            file = await super().get_response(path, {**scope, "headers": []})  # asks no condition
            if not path.endswith(".py") or not isinstance(file, FileResponse):
                raise HTTPException(404)
            self.read[path] = Path(file.path).read_bytes()
        headers = {"Cache-Control": "no-cache"}
        return Response(self.read[path], headers=headers, media_type="text/plain")


@cache
def _version() -> str:
    """Sixteen letters that change with any module, and with how they are linked."""
    paths = [path for name in _FOLDERS for path in sorted((ROOT / name).rglob("*.js"))]
    texts = [path.read_bytes() for path in (*paths, Path(linked.__file__))]
    return sha256(b"\0".join(texts)).hexdigest()[:16]


def _path() -> str:
    return f"{root()}modules/{_version()}"


@cache
def served(path: str) -> tuple[bytes, bytes]:
    """A linked file or its map, as it is and gzipped."""
    entry = path.removesuffix(".map")
    made = linked.link(TOGETHER if entry == PAGE else [entry])
    name = Path(entry).name
    text = made.source_map if path != entry else f"{made.code}//# sourceMappingURL={name}.map\n"
    return text.encode(), gzip.compress(text.encode(), mtime=0)


async def _module(request: Request) -> Response:
    path = request.path_params["path"]
    if path.removesuffix(".map") not in _asked_for:
        raise HTTPException(404)
    plain, zipped = await to_thread(served, path)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
    if takes_gzip := "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
    kind = "application/json" if path.endswith(".map") else "text/javascript"
    return Response(zipped if takes_gzip else plain, headers=headers, media_type=kind)


def routes() -> list[BaseRoute]:
    """The part of the server that has the modules, and the library's own files as plain text."""
    Thread(target=served, args=[PAGE], name="linking").start()  # before a reader asks for it
    return [
        Route(_path() + "/{path:path}", _module),
        Mount(core_address(""), _Source(ROOT / "crf")),
    ]


def module_address(path: str) -> str:
    """Where a module is, with all that it imports; by its path from the root of the repository."""
    _asked_for.add(path)
    return f"{_path()}/{path}"


def head() -> str:
    """What Streamlit's own page gets in its head, so that our scripts are asked for at once."""
    return f'<link rel="modulepreload" href="{module_address(PAGE)}">'


def core_address(file: str) -> str:
    """Where one of the library's own files is."""
    return f"{root()}core/{file}"


def component(name: str, folder: str, *, triggers: Sequence[str] = ()) -> Callable[..., Any]:
    """Register the figure in a folder, to be mounted as `st.components.v2.component` says.

    `triggers`: what it tells once, as a press; the rest stays until it tells something else.
    """
    source = sources(folder, triggers)
    mount = v2.component(name, html=source["html"], css=source["css"], js=source["js"])

    def mounted(*, data: Any, **how: Any) -> Any:
        return mount(data=as_json(data), **how)

    return mounted


def sources(folder: str, triggers: Sequence[str] = ()) -> dict[str, str]:
    """What Streamlit sends of a figure: a place, its style, and where its modules are."""
    entry = f"{folder}/index.js"
    if entry in TOGETHER:
        place = module_address(PAGE)
        what = f"const {{ '{_HOST}': host, '{entry}': figure }} = (await from('{place}')).modules;"
    else:
        asked = ", ".join(f"from('{module_address(path)}')" for path in (_HOST, entry))
        what = f"const [host, figure] = await Promise.all([{asked}]);"
    script = (
        "const from = (path) => import(new URL(path, location.origin));\n"
        f"{what}\n"
        f"export default host.hosted(figure.default, {json.dumps(triggers, allow_nan=False)});\n"
    )
    place = '<div class="crf-figure"></div>'
    return {"html": place, "css": modules.style(folder), "js": script}
