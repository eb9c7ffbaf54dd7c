"""Registers a component that is drawn by scripts of ours, in a folder of `assets/components`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from streamlit.components import v2

from pages.shared.contents import ROOT

_ASSETS = ROOT / "assets" / "components"


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
    return v2.component(
        name,
        html=(own / f"{folder}.html").read_text(encoding="utf-8"),
        css="\n".join(path.read_text(encoding="utf-8") for path in styles),
        js=module_of(folder, scripts),
    )


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
