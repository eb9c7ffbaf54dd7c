"""Which `Host` and `Origin` a server answers to."""

import pytest

from benchmarks.raw_client import run_apart
from pages.shared.ui.server.own_names import OwnNames
from tests.ui.asgi import answer

REACHED = ("192.168.0.7", 8501)
OWN = [  # Host and Origin
    *(("127.8.8.8:8501", None), ("[::1]:8501", None), ("board:8501", None)),
    ("localhost:8501", "http://localhost:8501"),
    ("LOCALHOST:8501", "http://127.0.0.1:8501"),
    ("192.168.0.7:8501", "http://192.168.0.7:8501"),
    ("crf.example.org", "https://crf.example.org"),
]
HOSTS = ["", "evil.example:8501", "192.168.0.8:8501", "localhost:8502", "localhost", "localhost:x"]
HOSTS += ["[::1:8501", "localhost:8501/crf.example.org", "crf.example.org@evil.example", None]
ORIGINS = ["null", "", "http://evil.example", "http://localhost:3000", "file://localhost:8501"]
ORIGINS += ["http://crf.example.org:8501"]
FOREIGN = [(host, None) for host in HOSTS] + [("localhost:8501", origin) for origin in ORIGINS]


def asked(host, origin=None, kind="http", reached=REACHED):
    """What the app saw, or the status that came back instead of it."""
    found = []

    async def app(scope, receive, send):
        found.append(dict(scope["headers"]))

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        found.extend([message["status"]] if "status" in message else [])

    given = [(b"host", host), (b"origin", origin)]
    raw = [(name, text.encode()) for name, text in given if text is not None]
    scope = {
        "type": kind,
        "headers": raw,
        "server": reached,
        "path": "/",
        "method": "GET",
        "extensions": {"websocket.http.response": {}},
    }
    public = "https://crf.example.org/below"
    run_apart(lambda: OwnNames(app, "Board", public)(scope, receive, send))
    return found[0]


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_own_names_are_answered_their_origin_is_settled_and_foreign_names_are_refused(kind):
    for host, origin in OWN:
        assert asked(host, origin, kind) == {b"host": host.encode()}
    for host, origin in FOREIGN:
        assert asked(host, origin, kind) == 403, (host, origin)


def test_two_hosts_are_none():
    scope = {"type": "http", "server": REACHED, "method": "GET", "path": "/"}
    scope["headers"] = [(b"host", b"localhost:8501"), (b"host", b"evil.example:8501")]
    sent = []

    async def send(message):
        sent.append(message.get("status"))

    run_apart(lambda: OwnNames(None)(scope, None, send))
    assert sent[0] == 403


def test_ports_and_sockets():
    for host, origin, reached, is_ours in (
        ("localhost", None, ("127.0.0.1", 80), True),
        ("localhost:80", "http://localhost", ("127.0.0.1", 80), True),
        ("10.0.0.1:8501", None, ("::ffff:10.0.0.1", 8501), True),
        ("crf.example.org", None, ("/run/app.sock", None), True),
        ("localhost:8501", None, ("/run/app.sock", None), False),
        ("localhost:8501", None, None, False),
    ):
        found = asked(host, origin, reached=reached)
        assert found == ({b"host": host.encode()} if is_ours else 403)


def test_a_refusal_is_told_in_the_language_of_the_browser():
    heads = {"host": "evil.example", "accept-language": "de-AT,en;q=0.5"}
    status, _, body = answer(OwnNames(None, "Board", ""), "/", headers=heads, server=REACHED)
    assert (status, "Dieser Server antwortet hier nicht" in body.decode()) == (403, True)
