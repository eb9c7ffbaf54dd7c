"""The app's fonts, for its own letters alone: a tenth of Streamlit's, which have the others."""

from functools import cache
from hashlib import sha256

from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pages.shared.contents import ROOT
from pages.shared.ui.server_path import root

_FOLDER = ROOT / "assets" / "fonts"
_FACES = (
    ("Course Sans", "normal", "sans.woff2"),
    ("Course Serif", "normal", "serif.woff2"),
    ("Course Serif", "italic", "serif-italic.woff2"),
)
# What assets/fonts/make.py keeps, as CSS writes it.
LETTERS = (
    "U+20-7E,U+A0-17F,U+300-304,U+391-3C9,U+1D50,U+1D62,U+1D65,U+2010-2027,U+2030,U+2032-2033,"
    "U+2044,U+2070-209C,U+20AC,U+2112-2113,U+2190-2193,U+2200-222B,U+2248,U+2260-2265,"
    "U+22A4-22A5,U+22EF,U+25B2,U+2713"
)


class _Kept(StaticFiles):
    """Files that a browser keeps for a year: their path changes with them."""

    async def get_response(self, path: str, scope: Scope):
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


@cache
def _path() -> str:
    fonts = b"".join(path.read_bytes() for path in sorted(_FOLDER.glob("*.woff2")))
    return f"{root()}fonts/{sha256(fonts).hexdigest()[:16]}"


def route() -> Mount:
    """The part of the server that has them."""
    return Mount(_path(), _Kept(directory=_FOLDER))


@cache
def faces() -> str:
    """The rules of style that name them; a browser loads those that a page uses."""
    return "\n".join(
        f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: 400 700;'
        f' font-display: swap; src: url("{_path()}/{file}") format("woff2");'
        f" unicode-range: {LETTERS}; }}"
        for family, style, file in _FACES
    )


def head() -> str:
    """What a page's head needs, so that its text is asked for at once and changes its look once."""
    first = " ".join(
        f'<link rel="preload" as="font" type="font/woff2" crossorigin href="{_path()}/{file}">'
        for file in ("sans.woff2", "serif.woff2")
    )
    return f"<style>{faces()}</style>{first}"
