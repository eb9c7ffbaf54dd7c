"""What Streamlit's own page gets in its head, and what it loses."""

import gzip

import pytest
from starlette.middleware.gzip import GZipMiddleware

from pages.shared.ui.server.first_style import FirstStyle
from tests.ui.asgi import answer

ROOT = b'<div id="root">'  # of Streamlit's page
PAGE = b"<html><head><title>x</title></head><body>%s</body></html>" % (ROOT + b"y" * 2000)
OTHER = PAGE.replace(ROOT, b"")
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

    def still(*asked):
        return f"<svg of {asked}>"

    return FirstStyle(GZipMiddleware(app), head="<link ours>", still=still)


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


def test_a_still_stands_first_in_its_body():
    body = answer(
        of(200, b"text/html"),
        "/viterbi",
        headers=PLAIN | {"accept-language": "zh"},
        query_string=b"x=y",
    )[2]
    assert b"<body><svg of ('/viterbi', 'x=y', 'zh')>" + ROOT in body


@pytest.mark.parametrize(
    ("page", "status", "kind"),
    [(PAGE, 404, b"text/html"), (PAGE, 200, b"text/javascript"), (OTHER, 200, b"text/html")],
)
def test_nothing_else_is_changed(page, status, kind):
    assert answer(of(status, kind, page), "/", headers=PLAIN)[2] == page


def test_any_page_is_gzipped():
    zipped = answer(of(200, b"text/html", OTHER), "/beat/x", headers=ASKED)[2]
    assert gzip.decompress(zipped) == OTHER


def test_a_font_that_no_page_shows_is_not_asked_for():
    link = (
        b'<link rel="shortcut icon" href="x"><link\n rel="preload"\n href="a.woff2" as="font"\n/>'
    )
    app = of(200, b"text/html", PAGE.replace(b"</head>", link + b"</head>"))
    body = answer(app, "/", headers=PLAIN)[2]
    assert b"woff2" not in body
    assert b"shortcut icon" in body
