"""A figure on a page of Streamlit: its module is imported from the server, its style goes along.

A figure is a folder with an `index.js`, an anywidget front-end module, and a `style.css`. The
modules are served below a path that has their contents' hash, so a browser keeps them from page to
page and from visit to visit, and has the new ones after any change.
"""

import json
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from streamlit.components import v2

from crf.figures import modules
from pages.shared.contents import ROOT
from pages.shared.ui.component_data import as_json
from pages.shared.ui.server_path import root

_FOLDERS = ("crf/figures", "pages")
_SCRIPTS = "pages/shared/ui/scripts"
_FOREVER = "public, max-age=31536000, immutable"


class _Files(StaticFiles):
    """Serves a folder's files of one kind and nothing else.

    Each file is read once: a class asks for the same ones from every phone, and to look for a file
    costs more than to send it.
    """

    def __init__(self, folder: Path, suffix: str, media_type: str, cache: str) -> None:
        super().__init__(directory=folder)
        self.suffix, self.media_type, self.headers = suffix, media_type, {"Cache-Control": cache}
        self.read: dict[str, bytes] = {}

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path not in self.read or scope["method"] != "GET":
            file = await super().get_response(path, {**scope, "headers": []})  # asks no condition
            if not path.endswith(self.suffix) or not isinstance(file, FileResponse):
                raise HTTPException(404)
            self.read[path] = Path(file.path).read_bytes()
        return Response(self.read[path], headers=self.headers, media_type=self.media_type)


@cache
def _version() -> str:
    """Sixteen letters that change with any module."""
    paths = (path for name in _FOLDERS for path in sorted((ROOT / name).rglob("*.js")))
    return sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def _path() -> str:
    return f"{root()}modules/{_version()}"


def routes() -> list[BaseRoute]:
    """The part of the server that has the modules, and the library's own files as plain text."""
    return [
        *(
            Mount(f"{_path()}/{name}", _Files(ROOT / name, ".js", "text/javascript", _FOREVER))
            for name in _FOLDERS
        ),
        Mount(core_address(""), _Files(ROOT / "crf", ".py", "text/plain", "no-cache")),
    ]


def module_address(path: str) -> str:
    """Where a module is, by its path from the root of the repository."""
    return f"{_path()}/{path}"


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
    script = (
        f'const from = (path) => import(new URL("{_path()}/" + path, location.origin));\n'
        f'const modules = ["{_SCRIPTS}/streamlit.js", "{folder}/index.js"];\n'
        "const [{ hosted }, { default: figure }] = await Promise.all(modules.map(from));\n"
        f"export default hosted(figure, {json.dumps(triggers, allow_nan=False)});\n"
    )
    place = '<div class="crf-figure"></div>'
    return {"html": place, "css": modules.style(folder), "js": script}
