"""What sessions may keep on the server, and that it is free again when they end."""

import pytest
from starlette.requests import ClientDisconnect

from pages.shared.ui.server import uploads
from pages.shared.ui.server.uploads import MEGABYTE, Uploads
from tests.ui.asgi import answer

PATH = "/_stcore/upload_file"


class Streamlit:
    """What keeps files: it knows its sessions, and says so as Streamlit does."""

    def __init__(self, *sessions):
        self.sessions, self.deletes, self.broken = set(sessions), True, False

    async def __call__(self, scope, receive, send):
        if self.broken:
            raise ClientDisconnect
        length = int(dict(scope["headers"]).get(b"content-length", 0))
        active = scope["path"].split("/")[3] in self.sessions
        put = 400 if not active else 413 if length > 16 * MEGABYTE else 204
        status = put if scope["method"] == "PUT" else 204 if self.deletes else 403
        await send({"type": "http.response.start", "status": status, "headers": []})


def asked(app, method, session, file, megabytes=None):
    """The status of what comes back."""
    headers = {"content-length": str(megabytes * MEGABYTE)} if megabytes else {}
    return answer(app, f"{PATH}/{session}/{file}", method, headers)[0]


@pytest.fixture
def streamlit():
    return Streamlit(*(f"s{k}" for k in range(9)))


def test_a_session_keeps_so_much_and_what_it_deletes_is_free(streamlit, monkeypatch):
    app = Uploads(streamlit, PATH)
    assert [asked(app, "PUT", "s0", k, 15) for k in range(6)] == [204] * 4 + [413] * 2
    assert asked(app, "PUT", "s0", 0, 16) == 204  # instead of the first
    assert asked(app, "PUT", "s1", 0, 15) == 204
    streamlit.deletes = False
    asked(app, "DELETE", "s0", 1)
    assert asked(app, "PUT", "s0", 9, 15) == 413
    streamlit.deletes = True
    asked(app, "DELETE", "s0", 1)
    assert asked(app, "PUT", "s0", 9, 15) == 204
    assert asked(app, "PUT", "s0", 10) == 411
    assert asked(app, "PUT", "nobody", 0, 15) == 400
    assert asked(app, "PUT", "s1", "large", 17) == 413
    assert app.kept.keys() == {"s0", "s1"}
    assert len(app.kept["s1"]) == 1
    monkeypatch.setattr(uploads, "MOST_FILES", 3)
    app = Uploads(streamlit, PATH)
    assert [asked(app, "PUT", "s0", k, 1) for k in range(5)] == [204] * 3 + [413] * 2


def test_uploads_that_were_broken_off_count_nothing(streamlit):
    app = Uploads(streamlit, PATH)
    streamlit.broken = True
    for k in range(5):
        with pytest.raises(ClientDisconnect):
            asked(app, "PUT", "s0", k, 15)
    streamlit.broken = False
    assert not app.kept
    assert asked(app, "PUT", "s0", 9, 15) == 204


def test_all_together_keep_so_much_until_a_session_ends(streamlit):
    app = Uploads(streamlit, PATH)
    for k in range(4):
        assert [asked(app, "PUT", f"s{k}", n, 16) for n in range(4)] == [204] * 4
    assert asked(app, "PUT", "s5", 0, 1) == 413
    streamlit.sessions.discard("s2")
    assert asked(app, "PUT", "s5", 0, 1) == 204
    assert "s2" not in app.kept
