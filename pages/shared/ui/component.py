"""Registers a component that is drawn by scripts of ours, in a folder of `assets/components`.

Streamlit sends a component's script with every new session. Where the server has the route of
ours, it sends where the script is instead, and a browser keeps it from page to page: of what two
hundred phones are sent when they go to a new stop, that is three quarters.
"""

import gzip
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit.components import v2

from pages.shared.contents import ROOT
from pages.shared.ui.served import root

_ASSETS = ROOT / "assets" / "components"
_served: dict[str, bytes] | None = None  # gzipped, by name; None: there is no route to them


def route() -> Route:
    """The part of the server that has the scripts; asked for before any component is registered."""
    global _served
    _served = {}
    return Route(f"{root()}scripts/{{name}}", _script)


async def _script(request: Request) -> Response:
    module = (_served or {}).get(request.path_params["name"])
    if module is None:
        return Response(status_code=404)
    kept = "public, max-age=31536000, immutable"  # the name says what is in it
    headers = {"Cache-Control": kept, "Content-Encoding": "gzip"}
    return Response(module, 200, headers, "text/javascript")


def _sent(name: str, module: str) -> str:
    """What Streamlit sends as a component's script."""
    if _served is None:
        return module
    name = f"{name}-{sha256(module.encode()).hexdigest()[:16]}.js"
    _served[name] = gzip.compress(module.encode(), mtime=0)
    where = f"new URL('{root()}scripts/{name}', location.origin)"
    return (
        f"const {{ default: draw }} = await import({where});\n"
        "const only = (data) => Array.isArray(data) ? data[0] : data;\n"
        "export default (given) => draw({ ...given, data: only(given.data) });\n"
    )


def component(name: str, folder: str = "", scripts: Sequence[str] = ()) -> Callable[..., Any]:
    """A components-v2 component with `FOLDER.html`, `FOLDER.css`, and its scripts as one module.

    Its styles follow those of `dom.css`, and of its scripts, where one has styles of its own.

    Args:
        name: That it is registered as.
        folder: In `assets/components`; "": its name.
        scripts: As `module_of` has them.

    Raises:
        FileNotFoundError: A file is missing.
    """
    folder = folder or name
    own = _ASSETS / folder
    beside = (path.with_suffix(".css") for path in _paths(folder, scripts))
    styles = dict.fromkeys([*(path for path in beside if path.exists()), own / f"{folder}.css"])
    mount = v2.component(
        name,
        html=(own / f"{folder}.html").read_text(encoding="utf-8"),
        css="\n".join(path.read_text(encoding="utf-8") for path in styles),
        js=_sent(folder, module_of(folder, scripts)),
    )
    return mount if _served is None else partial(_mount_listed, mount)


def _mount_listed(mount: Callable[..., Any], *, data: object, **rest: object) -> object:
    """Mount it with a list of the data, from which its script takes them.

    In a dictionary Streamlit looks for tables, and imports pandas to know one: a second in which
    the first reader of a cold server waits for a picture that has none.
    """
    return mount(data=data if isinstance(data, bytes) else [data], **rest)


def module_of(folder: str, scripts: Sequence[str] = ()) -> str:
    """The module of a component: what is borrowed, then its scripts, the export in the last.

    Args:
        folder: In `assets/components`.
        scripts: In that folder, in order; by default all of them, `FOLDER.js` last.
    """
    return "\n".join(p.read_text(encoding="utf-8") for p in _paths(folder, scripts))


def borrowed(folder: str) -> list[Path]:
    """`dom.js`, and scripts of other components that `FOLDER.js` names in its first line.

    That is a line like `// Needs flow/layout.js gradient/heat.js`.
    """
    own = _ASSETS / folder / f"{folder}.js"
    first = own.read_text(encoding="utf-8").split("\n", 1)[0] if own.exists() else ""
    names = first.removeprefix("// Needs ").split() if first.startswith("// Needs ") else []
    return [_ASSETS / "dom.js", *(_ASSETS / name for name in names)]


def _paths(folder: str, scripts: Sequence[str]) -> list[Path]:
    own = _ASSETS / folder
    found = sorted(own.glob("*.js"), key=lambda path: (path.stem == folder, path.name))
    return [*borrowed(folder), *([own / script for script in scripts] or found)]
