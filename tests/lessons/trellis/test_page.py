"""The page of the trellis: which beat an address opens, and what stands behind "⋯"."""

import base64
import gzip
import re
from urllib.parse import parse_qsl

import pytest
import streamlit as st

from pages.beats import LESSONS
from pages.shared import contents
from pages.shared.course import bibliography, problem_links
from pages.shared.course.problem import Problem
from pages.shared.course.problem_files import to_json
from pages.shared.ui.stage import reader
from pages.shared.ui.stage.view import state_of, view
from pages.trellis import more
from pages.trellis.beats import BEATS
from tests.apps import benched, fresh, html_of, messages, of_stage, opened, press

BOAT = {"ex": "old-man"}


DOORS = {
    "structure": "bet",
    "scores": "path",
    "forward": "add",
    "viterbi": "best",
    "backward": "both",
}


@pytest.mark.parametrize(("door", "beat"), DOORS.items())
def test_a_door_opens_its_beat_with_its_own_title_and_sources(door, beat):
    app = opened(door)
    assert not app.exception
    sent = of_stage(app)
    assert (sent["view"]["beat"], sent["door"]) == (beat, beat)
    assert [title.value for title in app.title] == [contents.entry(door).title]
    links = [part.proto.label for part in app.get("page_link")]
    after = contents.neighbours("trellis")[1]
    assert after
    assert [label for label in links if "Next" in label] == [f"Next: **{after.title}** →"]
    shown = html_of(benched(door, "sources"))
    assert all(source.title in shown for source in bibliography.of_lesson(door))


def test_the_doors_stand_in_the_order_of_the_story_and_the_way_leads_through_the_course():
    here, way = contents.FIRST, []
    while here := contents.neighbours(here.folder)[1]:
        way.append(here.address)
    assert way == [
        *("structure", "learning", "tagger", "stability", "check", "batches"),
        *("constraints", "cost", "graphs", "now"),
    ]
    assert [entry.address for entry in contents.COURSE[1:5]] == list(DOORS)[1:]


@pytest.mark.parametrize(
    ("address", "query", "beat"),
    [
        ("forward", {"ex": "bio", "step": "3", "hide": "prose", "size": "1.6"}, "add"),
        ("viterbi", {"t": "A~B", "w": "x~y", "e": "1_2~3_4", "guess": "1"}, "best"),
        ("backward", {"t": "A~B", "w": "x~y", "p": "1_2~3_4", "z": "0_-1", "told": "1"}, "both"),
        ("scores", {"t": "A", "w": "x", "e": "1", "screen": "1", "all": "1", "y": "0"}, "path"),
    ],
)
def test_an_old_address_opens_its_door_on_the_same_scores(address, query, beat):
    app = opened(address, **query)
    assert not app.exception
    view = of_stage(app)["view"]
    assert view["beat"] == beat
    assert not view["message"]
    base = {key: text for key, text in query.items() if key in ("ex", *problem_links.KEYS)}
    assert view["state"].items() >= base.items()
    tags = [tag["name"] for tag in view["picture"]["tags"]]
    assert tags == list(state_of(base)[0].problem.tags)


@pytest.mark.parametrize(
    ("query", "beat", "step"),
    [
        ({}, "bet", 0),
        ({"beat": "nope"}, "bet", 0),
        ({"beat": "add"}, "add", 8),
        (BOAT | {"beat": "add"}, "add", 8),
        (BOAT | {"beat": "best", "step": "7", "edit": "t:NOUN:VERB_-.5"}, "best", 7),
        (BOAT | {"beat": "add", "step": "16"}, "column", 16),
        (BOAT | {"beat": "column", "step": "5"}, "add", 5),
        (BOAT | {"beat": "add", "step": "20"}, "column", 20),
        (BOAT | {"beat": "meet", "step": "1", "fix": "2.2"}, "meet", 1),
    ],
)
def test_an_address_opens_its_beat_in_its_state(query, beat, step):
    app = opened("structure", **query)
    assert not app.exception
    sent = of_stage(app)
    assert (sent["view"]["beat"], sent["view"]["picture"]["now"]["step"]) == (beat, step)
    assert sent["address"].endswith(f"draw/trellis/{beat}")
    assert sent["door"] == "bet"
    if "ex" not in query:  # the lesson's own example
        assert sent["view"]["picture"]["tokens"][2]["text"] == "man"
    for key in ("edit", "fix"):
        assert sent["view"]["state"].get(key, "") == query.get(key, "")


@pytest.mark.parametrize("beat", BEATS, ids=lambda beat: beat.name)
def test_the_query_that_the_stage_writes_opens_the_same_beat(beat):
    shown = view(beat, "trellis", state_of(BOAT)[0], beats=BEATS)
    query = dict(parse_qsl(shown["query"]))
    assert query == shown["state"] == BOAT | {"beat": beat.name}
    assert reader.beat_of(BEATS, query, "bet") is beat


def test_the_last_state_that_the_browser_told_outlives_an_address_seen_before():
    app = opened("structure", **BOAT, beat="add")
    app.session_state["trellis.stage"] = BOAT | {"beat": "back", "step": "22"}
    app.run()
    assert of_stage(app)["view"]["beat"] == "back"
    app.query_params["beat"] = "path"
    assert of_stage(app.run())["view"]["beat"] == "path"


def test_another_door_opens_its_own_beat_on_the_same_scores():
    app = fresh("structure")
    app.session_state["trellis.stage"] = {"ex": "bio", "beat": "back", "step": "7"}
    app.session_state["trellis.seen"] = ({}, "best")
    view = of_stage(app.run())["view"]
    assert (view["beat"], view["state"]) == ("bet", {"ex": "bio", "beat": "bet"})


@pytest.mark.parametrize("beat", ["path", "add", "back", "meet"])
@pytest.mark.parametrize(
    "query",
    [BOAT, {"ex": "bio"}, {"sentence": "Time flies .", "tagger": "local"}, {"ex": "no-path"}],
    ids=["few tags", "a forbidden path", "17 tags", "no path"],
)
def test_every_section_opens(query, beat):
    for name in (name for group in more.SECTIONS.values() for name in group):
        benched("structure", name, **query, beat=beat)


def test_a_picture_is_taken_along_in_the_language_of_the_page(monkeypatch):
    saved = {}
    monkeypatch.setattr(
        st, "download_button", lambda _, data, name, *a, **k: saved.update({name: data})
    )
    app = benched("structure", "link", **BOAT, beat="add", lang="zh")
    written = saved["add.html"]()
    assert '<html lang="zh">' in written
    packed = re.search(r'id="crf-page">([^<]*)<', written)[1]
    assert "单元格" in gzip.decompress(base64.b64decode(packed)).decode()
    (frame,) = [block.value for block in app.code if "<iframe" in block.value]
    assert "beat/trellis/add?lang=zh&amp;ex=" in frame


def with_scores(text):
    """The page with its score tables open, after a text was pasted there."""
    app = benched("structure", "scores", **BOAT, beat="add", fix="2.2")
    app.text_area[0].set_value(text).run()
    return press(app, "Use these scores")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "from,DET,ADJ,NOUN,VERB\nDET,1,2,3,4\nADJ,-3,-.5,1.5,-2\nNOUN,-2.5,-1,0,1\n"
            "VERB,1.5,0,.5,-inf",
            {"edit": "t:DET:DET_1~t:DET:ADJ_2~t:DET:NOUN_3~t:DET:VERB_4~t:VERB:VERB_x"},
        ),
        (to_json(Problem.blank(["A", "B"], ["x"])), {"t": "A~B", "w": "x", "ex": "", "fix": ""}),
    ],
)
def test_pasted_scores_are_an_order_to_the_stage(text, told):
    app = with_scores(text)
    assert not app.exception
    sent = of_stage(app)
    assert sent["order"] == 1
    assert told.items() <= sent["set"].items()


@pytest.mark.parametrize("text", ["", "{", "token,DET\nx,1", "\u202e,,,"])
def test_pasted_scores_that_cannot_be_read_are_refused_and_stay_in_their_field(text):
    app = with_scores(text)
    assert not app.exception
    assert of_stage(app)["order"] == 0
    assert messages(app).endswith(".")
    assert app.text_area[0].value == text


@pytest.mark.parametrize(
    ("address", "first"), [("tagger", "network"), ("learning", "counts"), ("forward", "add")]
)
def test_an_address_keeps_each_beat_but_the_one_that_it_opens_anyway(address, first):
    """The stage writes the name of every beat but its door's into the address."""
    assert of_stage(opened(address))["door"] == first
    others = [beat.name for beat in LESSONS[contents.entry(address).folder] if beat.name != first]
    sent = of_stage(opened(address, beat=others[-1]))
    assert (sent["view"]["beat"], sent["door"]) == (others[-1], first)
