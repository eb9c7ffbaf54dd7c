"""What the server answers to a browser that prepares a lecture."""

import gzip
import json
import re
from base64 import b64decode
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette

from pages import beats
from pages.shared.course import problem_files
from pages.shared.course.problem_checks import ProblemError
from pages.shared.ui import taggers
from pages.shared.ui.stage import lectures, scores, story_file
from pages.shared.ui.stage import view as views
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


def made(lecture, **body):
    """What the worker makes of a lecture."""
    return json.loads(lectures.made(json.dumps(asked("file", lecture=lecture, **body)).encode()))


def test_the_file_of_a_lecture_has_its_beats_alone():
    html = made(LECTURE)["html"]
    assert html.startswith("<!doctype html>")
    assert len(html) < 1_000_000


LONG = "The quick brown fox jumps over the lazy dog while my old neighbour reads the morning paper"


@pytest.mark.thorough
def test_a_column_of_a_long_sentence_is_a_small_file():
    column = BEAT | {"beat": "column", "state": urlencode({"sentence": LONG})}
    html = made(LECTURE | {"beats": [column]})["html"]
    assert len(html.encode()) <= 3_000_000  # it had 29.5 MB, and took 38 s


@pytest.mark.parametrize("limit", ["MOST", "SECONDS"])
@pytest.mark.parametrize(("language", "said"), [("en", "trellis/mind"), ("de", "trellis/mind")])
def test_a_lecture_that_is_too_dear_is_refused_and_names_the_beat(
    limit, language, said, monkeypatch
):
    monkeypatch.setattr(story_file if limit == "MOST" else lectures, limit, 0)
    answer = made(LECTURE, language=language)
    assert answer.keys() == {"refused"}
    assert said in answer["refused"]


def test_a_worker_is_handed_scores_and_no_key_of_a_tagger(monkeypatch):
    local = taggers.get("local")
    monkeypatch.setattr(taggers, "get", {"own-1": local}.__getitem__)
    beat = BEAT | {"beat": "path", "state": "sentence=They+fish&tagger=own-1"}
    job = asked("file", lecture=LECTURE | {"beats": [beat]})
    ((base, problem, rest),) = job["handed"]
    assert (base, rest[0]) == (["They fish", "own-1", ""], "own-1")
    state, _ = views.state_of({"sentence": "They fish", "tagger": "own-1"}, "trellis")
    assert problem_files.from_json(problem) == state.problem


@pytest.mark.parametrize("is_handed", [True, False])
def test_the_worker_reads_what_it_is_handed(is_handed):
    problem = views.state_of({"sentence": "Dogs bark"}, "trellis")[0].problem
    handed = [[["Dogs bark", "own-2", ""], problem_files.to_json(problem), ["own-2", [], ""]]]
    beat = BEAT | {"beat": "path", "state": "sentence=Dogs+bark&tagger=own-2"}
    job = {"lecture": LECTURE | {"beats": [beat]}, "language": "en"}
    job["handed"] = handed if is_handed else []
    html = json.loads(lectures.made(json.dumps(job).encode()))["html"]
    (data,) = re.findall(r'id="crf-page">([\w+/=]+)<', html)
    assert ('"bark"' in gzip.decompress(b64decode(data)).decode()) == is_handed
    assert not scores.HANDED


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
