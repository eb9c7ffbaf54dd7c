"""Figures as one HTML file that needs no network, no server and no other file."""

import base64
import gzip
import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from . import modules
from .languages import language
from .words import save_words

FIT = (
    "addEventListener('message', ({ data, source }) => { for (const frame of document"
    ".querySelectorAll('iframe')) if (frame.contentWindow === source && data?.crfHeight) "
    "frame.style.height = `${data.crfHeight}px`; });"
)
_HEIGHT = 560  # px of a frame until it has said how high it is


class FigureInFile(NamedTuple):
    """A figure in a file: its folder, its data, and what stands above and below it."""

    folder: str
    data: Mapping[str, Any]
    title: str
    note: str = ""


def document(title: str, figures: Sequence[FigureInFile]) -> str:
    """The file.

    Args:
        title: Of the document; text, as everything else here.
        figures: One below the other.
    """
    sections = [
        f'<section><{head}>{html.escape(one.title)}</{head}><div data-crf="{k}"></div>'
        + (f'<p class="note">{html.escape(one.note)}</p>' if one.note else "")
        + "</section>"
        for head in ["h1" if len(figures) == 1 else "h2"]
        for k, one in enumerate(figures)
    ]
    above = [] if len(figures) == 1 else [f"<h1>{html.escape(title)}</h1>"]
    page = {
        "modules": {k: v for f in figures for k, v in modules.texts(_entry(f.folder)).items()},
        "styles": {f.folder: modules.style(f.folder) for f in figures},
        "figures": [
            {"entry": _entry(f.folder), "style": f.folder, "data": f.data} for f in figures
        ],
        "save": save_words(),
    }
    shell = Template((modules.HOSTS / "file.html").read_text(encoding="utf-8"))
    return shell.substitute(
        lang=language(),
        title=html.escape(title),
        body="\n".join(above + sections),
        page=zipped(page),
        script=modules.host("unzipped.js", "file.js"),
    )


def zipped(data: Mapping[str, Any]) -> str:
    """Data as gzipped JSON in base64: a trellis of ten tokens is a fifth of its JSON."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def embed_code(address: str, title: str) -> str:
    """HTML that puts a saved file into a page, as high as it is.

    Args:
        address: Of the file, as the page knows it.
        title: What a reader is told who cannot see it.
    """
    return (
        f'<iframe src="{html.escape(address)}" title="{html.escape(title)}" loading="lazy" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>\n<script>{FIT}</script>\n'
    )


def framed(document: str, title: str) -> str:
    """The document itself in a frame, as where no widget can be shown."""
    return (
        f'<iframe srcdoc="{html.escape(document)}" title="{html.escape(title)}" '
        f'style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>\n<script>{FIT}</script>'
    )


def write(path: Path | str, document: str) -> None:
    """Save the document.

    Raises:
        ValueError: The name does not end in .html.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"path: expected a name that ends in .html, got {str(path)!r}; rename it")
    Path(path).write_text(document, encoding="utf-8")


def _entry(folder: str) -> str:
    return f"{folder}/index.js"
