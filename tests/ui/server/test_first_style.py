"""The style rule that Streamlit's own page gets."""

import pytest
from starlette.middleware.gzip import GZipMiddleware

from pages.shared.ui.server.first_style import FirstStyle
from tests.ui.asgi import answer

PAGE = b"<html><head><title>x</title></head><body>" + b"y" * 2000 + b"</body></html>"
ASKED = {"accept": "text/html,*/*", "accept-encoding": "gzip"}


def of(status, kind):
    """A server of one page."""

    async def app(scope, receive, send):
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(PAGE))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": PAGE})

    return FirstStyle(GZipMiddleware(app), "/beat/")


def test_a_page_s_header_is_not_seen_at_first():
    status, headers, body = answer(of(200, b"text/html; charset=utf-8"), "/viterbi", headers=ASKED)
    assert status == 200
    assert body.index(b"visibility: hidden") < body.index(b"</head>")
    assert int(headers["content-length"]) == len(body)


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [("/", 404, b"text/html"), ("/x.js", 200, b"text/javascript"), ("/beat/x", 200, b"text/html")],
)
def test_nothing_else_is_changed(path, status, kind):
    asked = {"accept": ASKED["accept"]}
    assert answer(of(status, kind), path, headers=asked)[2] == PAGE
