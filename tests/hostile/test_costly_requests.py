"""No request costs others more than half a second of a processor, whatever fills its body."""

import json
import time
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from benchmarks.raw_client import run_apart
from pages.beats import LESSONS
from pages.shared.course.json_files import MAX_FILE
from pages.shared.course.problem import Problem
from pages.shared.course.problem_checks import MAX_TAGS, MAX_TOKENS
from pages.shared.course.problem_links import to_query
from pages.shared.course.state import MAX_EDITS
from pages.shared.ui.stage import beat_page, draw, lectures
from pages.shared.ui.stage.view import state_of
from pages.shared.ui.taggers import MAX_TOKENS as MOST_WORDS
from pages.teach.classroom import door, server
from pages.teach.classroom.door import LECTURER, PHONE
from pages.teach.classroom.news import News
from pages.teach.classroom.room import Room
from pages.teach.classroom.store import Store
from pages.words import runs
from tests.ui.asgi import exchange

MORE = 0.5  # seconds of processor time above those of an ordinary request
SIZE = draw.LONGEST - 1500  # characters that a state may have, with its keys and quotes
WORDS = " ".join(f"w{k}" for k in range(MOST_WORDS))
BLANK = Problem.blank([f"T{s}" for s in range(MAX_TAGS)], [f"w{t}" for t in range(MAX_TOKENS)])
FIXED = "~".join(f"{t}.{t % 12}" for t in range(MOST_WORDS))
USUAL: dict[str, str] = {}
DEAR = {
    "a full table": to_query(BLANK.random(1)),
    "edits": {
        "sentence": WORDS,
        "edit": "~".join(f"e:{k % MOST_WORDS}:NOUN_{k / 1000:.3f}" for k in range(MAX_EDITS)),
    },
    "fixed tags": {"sentence": WORDS, "fix": FIXED, "lambda": ".123456", "tau": ".654321"},
    "a joined word": {"sentence": "'-.a" * (SIZE // 4), "step": "999999"},
    "flags": {"sentence": "\N{REGIONAL INDICATOR SYMBOL LETTER D}" * (SIZE // 4)},
    "controls": {"with": "~".join(f"c{'a' * k}_{'9' * 700}" for k in range(20))},
    "a path": {"sentence": WORDS, "path": "~".join(["7"] * (SIZE // 2))},
    "keys": {f"k{k}": "9" for k in range(SIZE // 14)},
}
PARTS = [b"[", b"9", b'{"a":', b'"\\u00e9', b"1e", b"-", b"%25", b"a=1&", b" ", b"\xff", b"[],"]


@pytest.fixture(scope="module")
def app(tmp_path_factory) -> Iterator[tuple[Starlette, str]]:
    """All that the app adds to Streamlit, and the cookies of who may use it."""
    room = Room(Store(tmp_path_factory.mktemp("costly") / "class"), LESSONS)
    routes = [*draw.routes(LESSONS), *beat_page.routes(LESSONS), *lectures.routes(LESSONS)]
    routes += [*runs.routes(), *server.routes(room, News(room))]
    phone = room.join(room.keys.code, None)
    yield Starlette(routes=routes), f"{PHONE}={phone}; {LECTURER}={room.keys.token}"
    room.store.close()


def seconds(app: tuple[Starlette, str], path: str, body: bytes = b"", query: bytes = b"") -> float:
    """Processor time of one request, in all threads of this process."""

    async def ask() -> float:
        headers = {"content-type": "application/json", "cookie": app[1]}
        start, method = time.process_time(), "POST" if body else "GET"
        status, *_ = await exchange(app[0], path, method, headers, body, query_string=query)
        assert status in (200, 303, 400, 403, 404, 413, 422, 429)
        return time.process_time() - start

    return run_apart(ask)


def test_the_dear_states_are_read():
    read = {name: state_of(state, "trellis")[0] for name, state in DEAR.items()}
    assert len(read["a full table"].problem.tokens) == MAX_TOKENS
    assert len(read["edits"].edits) == len(read["fixed tags"].fixed) == MOST_WORDS
    assert len(read["flags"].problem.tokens) == MOST_WORDS


def check(app: tuple[Starlette, str], lesson: str, beat: str, want: str) -> None:
    def ask(state: dict[str, str]) -> float:
        body = json.dumps({"state": state, "want": want}, ensure_ascii=False).encode()
        assert len(body) <= draw.LONGEST
        return seconds(app, f"/draw/{lesson}/{beat}", body)

    ask(USUAL)  # imports, caches
    usual = ask(USUAL)
    for name, state in DEAR.items():
        assert ask(state) < usual + MORE, name


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_state_costs_much(lesson, app):
    check(app, lesson, LESSONS[lesson][0].name, "whole")


@pytest.mark.thorough
@pytest.mark.parametrize("want", ["whole", "now"])
@pytest.mark.parametrize(("lesson", "beat"), [(x, b.name) for x in LESSONS for b in LESSONS[x]])
def test_no_state_costs_much_in_any_beat(lesson, beat, want, app):
    check(app, lesson, beat, want)


def test_no_state_of_a_page_costs_much(app):
    seconds(app, "/beat/tag/flow")
    for name, state in DEAR.items():
        assert seconds(app, "/beat/tag/flow", query=urlencode(state).encode()) < MORE, name


LIMITS = {  # of each route that reads a body: bytes, and an address
    "/draw/{lesson}/{beat}": (draw.LONGEST, "/draw/trellis/add"),
    "/plan/{what:str}": (MAX_FILE, "/plan/read"),
    "/train": (runs.MOST_BYTES, "/train"),
    "/join": (door.LONGEST, "/join"),
    "/class/vote": (1000, "/class/vote"),
    "/class/show": (draw.LONGEST, "/class/show"),
    "/class/door": (1000, "/class/door"),
}


@pytest.mark.parametrize("path", LIMITS)
def test_no_body_costs_much(path, app):
    limit, address = LIMITS[path]
    seconds(app, address, b"{}")
    for part in PARTS:
        for size in (limit, limit + 1):
            body = (part * size)[:size]
            assert seconds(app, address, body) < MORE, (part, size)


def test_each_route_that_reads_a_body_is_tried(app):
    routes = [route for route in app[0].routes if isinstance(route, Route)]
    assert {route.path for route in routes if "POST" in (route.methods or ())} == LIMITS.keys()


BEAT = {"lesson": "trellis", "beat": "mind", "minutes": 3}
LECTURES = {
    "long states": [BEAT | {"state": "ex=" + "a&ex=" * 780, "note": "%" * 500}] * 64,
    "escapes": [BEAT | {"state": "sentence=" + "%25" * 600}] * 64,
    "fields": [BEAT | {f"x{k}": 1 for k in range(1000)}] * 40,
    "beats": [BEAT] * 5000,
}


@pytest.mark.parametrize("what", ["read", "link", "file"])
@pytest.mark.parametrize("name", LECTURES)
def test_no_lecture_costs_much_to_read(what, name):
    """What makes the file of one is in a process of its own: test_heavy_work.py."""
    lecture = {"format": "crf lecture", "version": 2, "title": "Dear", "beats": LECTURES[name]}
    body = {"text": json.dumps(lecture)} if what == "read" else {"lecture": lecture}
    sent = json.dumps(body).encode()
    assert len(sent) <= MAX_FILE
    start = time.process_time()
    try:
        lectures.answer(what, sent, LESSONS)
    except lectures.ProblemError:
        pass
    assert time.process_time() - start < MORE
