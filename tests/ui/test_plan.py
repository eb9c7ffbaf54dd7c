"""What the server answers to a browser that prepares a lecture."""

import json

import pytest
from starlette.applications import Starlette

from pages import beats
from pages.shared.course.problem_checks import ProblemError
from pages.shared.ui.stage import lectures
from tests.ui.asgi import answer

BEAT = {"lesson": "trellis", "beat": "mind", "state": "ex=old-man", "minutes": 3, "note": "Say it"}
APP = Starlette(routes=lectures.routes(beats.LESSONS))
LECTURE = {"format": "crf lecture", "version": 2, "title": "Mine", "beats": [BEAT]}


def asked(what, **body):
    return lectures.answer(what, json.dumps(body).encode(), beats.LESSONS)


def test_a_lecture_goes_into_a_link_and_comes_back():
    link = asked("link", lecture=LECTURE)["link"]
    assert asked("read", text=link) == {"lecture": LECTURE, "left_out": []}
    assert asked("read", text=json.dumps(LECTURE)) == {"lecture": LECTURE, "left_out": []}


@pytest.mark.parametrize("name", lectures.PLANS)
def test_the_default_plans_are_there(name):
    assert len(asked("story", name=name)["lecture"]["beats"]) > 8


@pytest.mark.parametrize("name", lectures.PLANS)
@pytest.mark.parametrize("language", ["de", "zh"])
def test_a_default_plan_speaks_the_reader_s_language(name, language):
    own, english = (asked("story", name=name, language=one)["lecture"] for one in (language, "en"))
    assert own["title"] != english["title"]
    for mine, theirs in zip(own["beats"], english["beats"], strict=True):
        assert mine["note"] != theirs["note"]
        assert mine | {"note": ""} == theirs | {"note": ""}


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("read", {"text": "rubbish"}),
        ("read", {"text": ["x"]}),
        ("read", {}),
        ("story", {"name": "../x"}),
        ("story", {"name": {}}),
        ("link", {}),
        ("link", {"lecture": LECTURE | {"beats": [BEAT | {"beat": "nope"}]}}),
        ("file", {"lecture": LECTURE | {"beats": []}}),
        ("file", {"lecture": LECTURE | {"more": 1}}),
    ],
)
def test_what_is_no_lecture_is_refused_in_a_sentence(what, body):
    with pytest.raises(ProblemError, match="; "):
        asked(what, **body)


def test_the_file_of_a_lecture_has_its_beats_alone():
    html = asked("file", lecture=LECTURE)["html"]
    assert html.startswith("<!doctype html>")
    assert len(html) < 1_000_000


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{}", 422), (b"[]", 422), (b"\xff", 422), (b"[" * 9000, 422), (b" " * 1_000_001, 413)],
    ids=range(5),
)
def test_no_question_ends_in_a_traceback(body, status):
    found, _, said = answer(APP, "/plan/read", "POST", body=body)
    assert found == status
    assert json.loads(said)["message"]
    assert answer(APP, "/plan/nope", "POST", body=body)[0] == status
