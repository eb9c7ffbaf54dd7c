"""What Streamlit's own page gets in its head, and what it loses."""

import gzip

import pytest
from starlette.middleware.gzip import GZipMiddleware

from pages.shared.ui.server.first_style import FirstStyle
from tests.ui.asgi import answer

PAGE = b"<html><head><title>x</title></head><body>" + b"y" * 2000 + b"</body></html>"
SCRIPT = b'<script type="module" src="./static/js/index.x.js"></script>'
PLAIN = {"accept": "text/html,*/*"}
ASKED = PLAIN | {"accept-encoding": "gzip"}


def of(status, kind, page=PAGE):
    """A server of one page, which it does not send again."""

    async def app(scope, receive, send):
        if b"if-none-match" in dict(scope["headers"]):
            return await send({"type": "http.response.start", "status": 304, "headers": []})
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(page))]
        headers += [(b"etag", b'"of the file"')]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": page})

    return FirstStyle(GZipMiddleware(app), "/beat/", head="<link ours>")


def test_a_page_s_header_is_not_seen_at_first():
    status, headers, zipped = answer(
        of(200, b"text/html; charset=utf-8"), "/viterbi", headers=ASKED
    )
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert int(headers["content-length"]) == len(zipped)
    body = gzip.decompress(zipped)
    assert body.index(b"visibility: hidden") < body.index(b"<link ours>") < body.index(b"</head>")


def test_a_page_s_scripts_are_where_this_server_has_them_and_no_older_page_is_kept():
    app = of(200, b"text/html", PAGE.replace(b"</head>", SCRIPT + b"</head>"))
    asked = PLAIN | {"if-none-match": '"of the file"'}  # a browser that has the page of a year ago
    status, headers, body = answer(app, "/", headers=asked)
    assert status == 200
    assert b'src="./streamlit/js/index.x.js"' in body
    assert b"static/" not in body
    assert int(headers["content-length"]) == len(body)
    again = PLAIN | {"if-none-match": headers["etag"]}
    assert answer(app, "/", headers=again)[::2] == (304, b"")
    app.head += b"<link other>"  # another version of the app
    assert answer(app, "/", headers=again)[0] == 200


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [("/", 404, b"text/html"), ("/x.js", 200, b"text/javascript"), ("/beat/x", 200, b"text/html")],
)
def test_nothing_else_is_changed(path, status, kind):
    assert answer(of(status, kind), path, headers=PLAIN)[2] == PAGE


def test_a_font_that_no_page_shows_is_not_asked_for():
    link = (
        b'<link rel="shortcut icon" href="x"><link\n rel="preload"\n href="a.woff2" as="font"\n/>'
    )
    app = of(200, b"text/html", PAGE.replace(b"</head>", link + b"</head>"))
    body = answer(app, "/", headers=PLAIN)[2]
    assert b"woff2" not in body
    assert b"shortcut icon" in body
