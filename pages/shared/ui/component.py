"""Registers a component that is drawn by scripts of ours, in a folder of `assets/components`."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.shared.contents import ROOT

_ASSETS = ROOT / "assets" / "components"


def component(name: str, folder: str = "", scripts: Sequence[str] = ()) -> Callable[..., Any]:
    """A components-v2 component with `FOLDER.html`, `FOLDER.css`, and its scripts as one module.

    Its styles follow those of `dom.css`.

    Args:
        name: That it is registered as.
        folder: In `assets/components`; "": its name.
        scripts: As `module_of` has them.

    Raises:
        FileNotFoundError: A file is missing.
    """
    folder = folder or name
    own = _ASSETS / folder
    styles = (_ASSETS / "dom.css", own / f"{folder}.css")
    return st.components.v2.component(
        name,
        html=(own / f"{folder}.html").read_text(encoding="utf-8"),
        css="\n".join(path.read_text(encoding="utf-8") for path in styles),
        js=module_of(folder, scripts),
    )


def module_of(folder: str, scripts: Sequence[str] = ()) -> str:
    """The module of a component: `dom.js`, then its scripts, the export in the last.

    Args:
        folder: In `assets/components`.
        scripts: In that folder, in order; by default all of them, `FOLDER.js` last.
    """
    own = _ASSETS / folder
    found = sorted(own.glob("*.js"), key=lambda path: (path.stem == folder, path.name))
    own_paths = [own / script for script in scripts] or found
    return "\n".join(p.read_text(encoding="utf-8") for p in (_ASSETS / "dom.js", *own_paths))
