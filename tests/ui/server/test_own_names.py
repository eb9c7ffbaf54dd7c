"""Which `Host` and `Origin` a server answers to."""

import pytest

from benchmarks.raw_client import run_apart
from pages.shared.ui.server.own_names import OwnNames

REACHED = ("192.168.0.7", 8501)
OWN = [
    {"host": "127.0.0.1:8501"},
    {"host": "127.8.8.8:8501"},
    {"host": "[::1]:8501"},
    {"host": "localhost:8501", "origin": "http://localhost:8501"},
    {"host": "LOCALHOST:8501", "origin": "http://127.0.0.1:8501"},
    {"host": "192.168.0.7:8501", "origin": "http://192.168.0.7:8501"},
    {"host": "board:8501"},
    {"host": "crf.example.org", "origin": "https://crf.example.org"},
]
FOREIGN = [
    {},
    {"host": ""},
    {"host": "evil.example:8501"},
    {"host": "192.168.0.8:8501"},
    {"host": "localhost:8502"},
    {"host": "localhost"},
    {"host": "localhost:x"},
    {"host": "[::1:8501"},
    {"host": "localhost:8501/crf.example.org"},
    {"host": "crf.example.org@evil.example"},
    {"host": "localhost:8501", "origin": "null"},
    {"host": "localhost:8501", "origin": ""},
    {"host": "localhost:8501", "origin": "http://evil.example"},
    {"host": "localhost:8501", "origin": "http://localhost:3000"},
    {"host": "localhost:8501", "origin": "http://crf.example.org:8501"},
    {"host": "localhost:8501", "origin": "file://localhost:8501"},
]


def asked(headers, kind="http", reached=REACHED, public="https://crf.example.org/below"):
    """What the app saw, or the status that came back instead of it."""
    found = []

    async def app(scope, receive, send):
        found.append(dict(scope["headers"]))

    async def receive():
        return {"type": f"{kind}.connect"}

    async def send(message):
        found.extend([message["status"]] if "status" in message else [])

    raw = [(name.encode(), text.encode()) for name, text in headers.items()]
    scope = {
        "type": kind, "headers": raw, "server": reached, "path": "/", "method": "GET",
        "extensions": {"websocket.http.response": {}},
    }  # fmt: skip
    run_apart(lambda: OwnNames(app, "Board", public)(scope, receive, send))
    return found[0]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("headers", OWN, ids=str)
def test_own_names_are_answered_and_their_origin_is_settled(headers, kind):
    assert asked(headers, kind) == {b"host": headers["host"].encode()}


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_foreign_names_are_refused(headers, kind):
    assert asked(headers, kind) == 403


def test_two_hosts_are_none():
    scope = {"type": "http", "server": REACHED, "method": "GET", "path": "/"}
    scope["headers"] = [(b"host", b"localhost:8501"), (b"host", b"evil.example:8501")]
    sent = []

    async def send(message):
        sent.append(message.get("status"))

    run_apart(lambda: OwnNames(None)(scope, None, send))
    assert sent[0] == 403


@pytest.mark.parametrize(
    ("headers", "reached", "status"),
    [
        ({"host": "localhost"}, ("127.0.0.1", 80), None),
        ({"host": "localhost:80", "origin": "http://localhost"}, ("127.0.0.1", 80), None),
        ({"host": "10.0.0.1:8501"}, ("::ffff:10.0.0.1", 8501), None),
        ({"host": "crf.example.org"}, ("/run/app.sock", None), None),
        ({"host": "localhost:8501"}, ("/run/app.sock", None), 403),
        ({"host": "localhost:8501"}, None, 403),
    ],
)
def test_ports_and_sockets(headers, reached, status):
    found = asked(headers, reached=reached)
    assert found == (status or {b"host": headers["host"].encode()})
