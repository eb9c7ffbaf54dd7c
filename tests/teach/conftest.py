"""A class without a server: its room, and its routes."""

import pytest
from starlette.applications import Starlette

from pages import beats
from pages.teach.classroom import server, store
from pages.teach.classroom.door import LECTURER, PHONE
from pages.teach.classroom.news import News
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BETWEEN_VOTES", 0.0)
    room = Room(Store(tmp_path / "class"), beats.LESSONS)
    yield room
    room.store.close()


@pytest.fixture
def app(room):
    return Starlette(routes=server.routes(room, News(room)))


@pytest.fixture
def join(room):
    """Lets phones in; the header by which each is known."""

    def joined() -> dict[str, str]:
        return {"cookie": f"{PHONE}={room.join(room.keys.code, None)}"}

    return joined


@pytest.fixture
def lecturer(room):
    """The header by which the lecturer is known."""
    return {"cookie": f"{LECTURER}={room.keys.token}"}
