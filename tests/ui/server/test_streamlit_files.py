"""Streamlit's scripts, styles and fonts go from their files, scripts and styles gzipped."""

import gzip
import re
from importlib.resources import files

import pytest
from starlette.applications import Starlette

from pages.shared.contents import ROOT
from pages.shared.ui.server import streamlit_files
from tests.ui.asgi import answer

FOLDER = files("streamlit").joinpath("static", "static")
SCRIPT = next(file.name for file in FOLDER.joinpath("js").iterdir() if file.name[:6] == "index.")
WHOLE = FOLDER.joinpath("js", SCRIPT).read_bytes()
TAKES = {"accept-encoding": "gzip, br"}


@pytest.fixture
def server():
    return Starlette(routes=[streamlit_files.mount("/")])


def test_a_script_is_gzipped_and_kept_by_browsers(server):
    status, headers, body = answer(server, f"/streamlit/js/{SCRIPT}", headers=TAKES)
    assert (status, gzip.decompress(body)) == (200, WHOLE)
    assert len(body) < len(WHOLE) / 2
    assert headers["content-length"] == str(len(body))
    assert headers["content-encoding"] == "gzip"
    assert headers["vary"] == "Accept-Encoding"
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"].startswith(("text/javascript", "application/javascript"))


@pytest.mark.parametrize("headers", [{}, {"accept-encoding": "br"}])
def test_who_takes_no_gzip_has_it_plain(server, headers):
    _, received, body = answer(server, f"/streamlit/js/{SCRIPT}", headers=headers)
    assert body == WHOLE
    assert "content-encoding" not in received
    assert received["vary"] == "Accept-Encoding"


def test_a_part_is_a_part_of_the_plain_file(server):
    asked = TAKES | {"range": "bytes=5-9"}
    status, _, body = answer(server, f"/streamlit/js/{SCRIPT}", headers=asked)
    assert (status, body) == (206, WHOLE[5:10])


def test_a_font_goes_as_it_is(server):
    font = next(file for file in FOLDER.joinpath("media").iterdir() if file.name[:5] == "KaTeX")
    _, headers, body = answer(server, f"/streamlit/media/{font.name}", headers=TAKES)
    assert body == font.read_bytes()
    assert "content-encoding" not in headers


@pytest.mark.parametrize("path", ["js/none.js", "js/", "../index.html", "js/%2e%2e/index.html"])
def test_nothing_else_is_there(server, path):
    assert answer(server, f"/streamlit/{path}", headers=TAKES)[0] == 404


def test_the_icons_that_nobody_names_are_left_out(server):
    font = next(file for file in FOLDER.joinpath("media").iterdir() if "Symbols" in file.name)
    _, headers, body = answer(server, f"/streamlit/media/{font.name}", headers=TAKES)
    assert body == (streamlit_files.OURS / font.name).read_bytes(), (
        "run python -m assets.fonts.make"
    )
    assert len(body) < len(font.read_bytes()) / 5
    assert "immutable" in headers["cache-control"]
    kept = (streamlit_files.OURS / "symbols.txt").read_text("utf-8").split()
    pages = "".join(path.read_text("utf-8") for path in ROOT.glob("pages/**/*.py"))
    named = set(re.findall(r":material/(\w+):", pages))
    assert named, "the pattern is wrong"
    assert named <= set(kept), "run python -m assets.fonts.make"
