"""The modules and styles of figures, as texts: what an HTML file or a notebook is given of them."""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
BASE = FOLDER.parent.parent
HOSTS = FOLDER / "hosts"
_IMPORT = re.compile(r'^import .* from "(\..*)";$', re.MULTILINE)


@cache
def texts(entry: str) -> dict[str, str]:
    """A module and all that it imports, each after what it needs.

    Args:
        entry: Its path, as "crf/figures/flow/index.js", from where the package lies.

    Returns:
        Path → text, the entry last.

    Raises:
        FileNotFoundError: A module is missing.
    """
    modules: dict[str, str] = {}
    path = BASE / entry
    text = path.read_text(encoding="utf-8")
    for other in _IMPORT.findall(text):
        modules |= texts((path.parent / other).resolve().relative_to(BASE.resolve()).as_posix())
    return {**modules, entry: text}


@cache
def style(folder: str) -> str:
    """The theme, what all figures share, and the sheets beside the modules that a figure imports.

    A sheet has the name of its module; beside an index.js it is style.css.

    Args:
        folder: The figure's path, from where the package lies.
    """
    paths = [BASE / path for path in texts(f"{folder}/index.js")]
    named = [
        path.with_name("style.css" if path.stem == "index" else f"{path.stem}.css")
        for path in paths
    ]
    before = [FOLDER / "shared" / "theme.css", FOLDER / "shared" / "base.css"]
    sheets = [*before, *(sheet for sheet in dict.fromkeys(named) if sheet.exists())]
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


@cache
def host(*names: str) -> str:
    """The scripts of a host, after the loader of modules."""
    scripts = [HOSTS / name for name in ("loader.js", *names)]
    return "\n".join(script.read_text(encoding="utf-8") for script in scripts)
