"""Registers a component that is drawn by scripts of ours, in a folder of `assets/components`."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.contents import ROOT

_ASSETS = ROOT / "assets" / "components"


def component(name: str, folder: str, scripts: tuple[str, ...] = ()) -> Callable[..., Any]:
    """A components-v2 component of one module: `dom.js`, then its scripts, the export in the last.

    Its styles follow those of `dom.css`.

    Args:
        name: That it is registered as.
        folder: In `assets/components`, with `FOLDER.html` and `FOLDER.css`.
        scripts: In that folder; `FOLDER.js` by default.

    Raises:
        FileNotFoundError: A file is missing.
    """
    own = _ASSETS / folder
    paths = [_ASSETS / "dom.js", *(own / script for script in scripts or (f"{folder}.js",))]
    styles = (_ASSETS / "dom.css", own / f"{folder}.css")
    return st.components.v2.component(
        name,
        html=(own / f"{folder}.html").read_text(encoding="utf-8"),
        css="\n".join(path.read_text(encoding="utf-8") for path in styles),
        js="\n".join(path.read_text(encoding="utf-8") for path in paths),
    )
