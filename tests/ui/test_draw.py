"""/draw and /beat: a beat for any client; nothing is kept, and nothing ends in a traceback."""

import asyncio
import gzip
import json
import re
import threading
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette

from benchmarks.raw_client import run_apart
from crf.strict_json import read_json
from pages import beats
from pages.shared.ui.stage import beat_page, draw
from tests.ui.asgi import answer, exchange

APP = Starlette(routes=[*draw.routes(beats.LESSONS), *beat_page.routes(beats.LESSONS)])


def ask(body, path="/draw/tag/flow"):
    """Status and JSON of an answer."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    status, headers, said = answer(APP, path, "POST", body=body)
    zipped = dict(headers).get("content-encoding") == "gzip"
    return status, read_json(gzip.decompress(said) if zipped else said, 10**6)


def test_a_whole_view_and_the_dot_alone():
    status, whole = ask({"state": {"ex": "old-man"}})
    assert status == 200
    assert [token["text"] for token in whole["view"]["flow"]["tokens"]][1] == "old"
    status, now = ask({"state": {"ex": "old-man", "lambda": ".5", "tau": ".4"}, "want": "now"})
    assert status == 200
    assert (now["now"]["lambda"], now["now"]["tau"]) == (0.5, 0.4)
    assert now["query"] == "ex=old-man&lambda=.5&tau=.4"
    assert now["now"].keys() == whole["view"]["flow"]["now"].keys()


def test_a_sentence_that_is_typed_gets_a_small_picture():
    state = {"sentence": "I saw her duck on the boat", "tagger": "local"}
    status, typed = ask({"state": state, "want": "typed"})
    assert (status, typed.keys()) == (200, {"typed", "message"})
    assert len(json.dumps(typed)) < 12_000
    status, other = ask({"state": state, "want": "typed"}, "/draw/trellis/add")
    assert (status, other.keys()) == (200, {"view"})  # elsewhere one does not type


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b'{"state": NaN}', 400),
        (b"\xff\xfe", 400),
        (b"[" * 9000, 400),
        (b'{"state": {}, "state": {}}', 400),
        (b" " * (draw.LONGEST + 1), 413),
        ([], 422),
        ({"state": 1}, 422),
        ({"state": {"ex": 1}}, 422),
        ({"state": {"ex": None}}, 422),
        ({"state": {}, "want": "everything"}, 422),
        ({"state": {}, "want": []}, 422),
    ],
)
def test_what_is_no_question_is_refused_with_a_sentence(body, status):
    assert ask(body)[0] == status
    assert ask(body)[1]["message"].endswith(".")


@pytest.mark.parametrize(
    "state",
    [
        {"sentence": "\ud83d"},
        {"sentence": "\x00"},
        {"tagger": "../../etc/passwd"},
        {"tagger": "own-" + "0" * 64},
        {"fix": "0.0~1.1~2.2~3.3"},
        {"__proto__": "x"},
    ],
)
def test_a_strange_state_is_drawn(state):
    status, said = ask(json.dumps({"state": state}).encode("utf-8", "surrogatepass"))
    assert status in (200, 400)
    if status == 200:
        assert said["view"]["flow"]["now"]["path"]


def test_there_is_no_other_beat():
    assert ask({"state": {}}, "/draw/tag/nope")[0] == 404
    assert ask({"state": {}}, "/draw/nope/flow")[0] == 404
    assert answer(APP, "/beat/tag/nope")[0] == 404


def test_too_many_questions_at_once_are_refused(monkeypatch):
    monkeypatch.setattr(draw, "MOST_WAITING", 0)
    app = Starlette(routes=draw.routes(beats.LESSONS))
    status, _, said = answer(app, "/draw/tag/flow", "POST", body=b'{"state": {}}')
    assert status == 503
    assert "Try again" in json.loads(said)["message"]


def test_pages_that_wait_keep_nothing_else_waiting(monkeypatch):
    """Votes and joins have the loop's own threads, of which there are few."""
    monkeypatch.setattr(draw, "MOST_WAITING", 40)
    app, go = Starlette(routes=beat_page.routes(beats.LESSONS)), threading.Event()

    async def visit():
        for _ in range(2):
            draw.THREADS.submit(go.wait)
        pages = [asyncio.create_task(exchange(app, "/beat/cost/trick")) for _ in range(42)]
        try:
            await asyncio.sleep(0.1)
            async with asyncio.timeout(2):
                await asyncio.to_thread(int)
        finally:
            go.set()
        return sorted(status for status, *_ in await asyncio.gather(*pages))

    assert run_apart(visit) == [200] * 40 + [503] * 2


def test_the_reader_s_language():
    _, said = ask({"state": {}, "language": "xx"})
    assert said["view"]["words"]["course"] == "Course"


def test_the_page_holds_the_same_view_and_no_markup_of_others():
    text = "</script><script>alert(1)</script>"
    query = urlencode({"sentence": text, "fix": "0.0"}).encode()
    status, _, page = answer(APP, "/beat/tag/flow", query_string=query)
    assert status == 200
    page = page.decode()
    assert page.count("</script>") == 2
    found = re.search(r'<script type="application/json" id="beat">(.*?)</script>', page, re.S)
    data = read_json(found[1], 10**6)
    assert data["host"] == "frame"
    assert data["opens"] is False
    assert data["view"]["state"]["fix"] == "0.0"
    assert data["view"]["headline"]["text"] == text


def test_the_page_opens_by_itself_only_without_a_state():
    _, _, page = answer(APP, "/beat/tag/flow")
    assert '"opens":true' in page.decode()
