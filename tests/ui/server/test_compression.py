"""Streamlit's scripts and styles go gzipped, and are compressed once."""

import gzip

import pytest

from pages.shared.ui.server.compression import Compression
from tests.ui.asgi import answer

SCRIPT = b"export const words = ['the', 'old', 'man'];\n" * 99
TAKES = {"accept-encoding": "gzip, br"}


class Files:
    """A server of one script, in two parts; of others it says that they are missing."""

    def __init__(self):
        self.asked = []

    async def __call__(self, scope, receive, send):
        self.asked.append(scope["path"])
        status = 200 if scope["path"].endswith("/index.js") else 404
        headers = [(b"content-length", b"%d" % len(SCRIPT)), (b"cache-control", b"immutable")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for part in (SCRIPT[:50], SCRIPT[50:]):
            await send(
                {"type": "http.response.body", "body": part, "more_body": part != SCRIPT[50:]}
            )


def test_a_script_is_compressed_once():
    files = Files()
    app = Compression(files, "/static/")
    for _ in range(3):
        status, headers, body = answer(app, "/static/js/index.js", headers=TAKES)
        assert (status, gzip.decompress(body)) == (200, SCRIPT)
        assert len(body) < len(SCRIPT) / 10
        assert headers == {
            "content-length": str(len(body)),
            "cache-control": "immutable",
            "content-encoding": "gzip",
            "vary": "Accept-Encoding",
        }
    assert files.asked == ["/static/js/index.js"]


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        ("/static/js/index.js", "GET", {}),
        ("/static/js/index.js", "HEAD", TAKES),
        ("/static/js/index.js", "GET", TAKES | {"range": "bytes=0-9"}),
        ("/static/js/index.js", "GET", TAKES | {"if-none-match": '"x"'}),
        ("/static/media/../index.js", "GET", TAKES),
        ("/modules/index.js", "GET", TAKES),
        ("/static/js/none.js", "GET", TAKES),
    ],
)
def test_all_else_goes_as_it_is_and_is_not_kept(path, method, headers):
    app = Compression(Files(), "/static/")
    _, received, body = answer(app, path, method, headers)
    assert body == SCRIPT
    assert "content-encoding" not in received
    assert not app.kept
