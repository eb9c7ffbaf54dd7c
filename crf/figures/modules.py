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
def style(folder: str, *others: str) -> str:
    """The theme, what all figures share, and a figure's own style.

    Args:
        folder: Its path, from where the package lies.
        others: Paths of style sheets of other figures that it draws with.
    """
    before = [FOLDER / "shared" / "theme.css", FOLDER / "shared" / "base.css"]
    sheets = [*before, *(BASE / other for other in others), *sorted((BASE / folder).glob("*.css"))]
    return "\n".join(sheet.read_text(encoding="utf-8") for sheet in sheets)


@cache
def host(name: str) -> str:
    """The script of a host, after the loader of modules."""
    scripts = (HOSTS / "loader.js", HOSTS / name)
    return "\n".join(script.read_text(encoding="utf-8") for script in scripts)
