"""The page of the trellis: which beat an address opens, and what stands behind "⋯"."""

from urllib.parse import parse_qsl

import pytest

from pages.shared.course.problem import Problem
from pages.shared.course.problem_files import to_json
from pages.shared.figures.text import LessonText
from pages.shared.ui.stage import reader
from pages.shared.ui.stage.view import state_of, view
from pages.trellis import more
from pages.trellis.beats import BEATS
from tests.apps import fresh, messages, of_stage, opened, press

BOAT = {"ex": "old-man"}


def more_label(name):
    """What a section is called."""
    return LessonText.of("trellis").line(f"folds.{name}")


@pytest.mark.parametrize(
    ("query", "beat", "step"),
    [
        ({}, "bet", 0),
        ({"beat": "nope"}, "bet", 0),
        ({"beat": "add"}, "add", 11),
        (BOAT | {"beat": "add"}, "add", 11),
        (BOAT | {"beat": "best", "step": "7", "edit": "t:NOUN:VERB_-.5"}, "best", 7),
        (BOAT | {"beat": "meet", "step": "1", "fix": "2.2"}, "meet", 1),
    ],
)
def test_an_address_opens_its_beat_in_its_state(query, beat, step):
    app = opened("trellis", **query)
    assert not app.exception
    sent = of_stage(app)
    assert (sent["view"]["beat"], sent["view"]["picture"]["now"]["step"]) == (beat, step)
    assert sent["address"].endswith(f"draw/trellis/{beat}")
    assert sent["door"] == "bet"
    assert [title.value for title in app.title] == ["The trellis"]
    links = [part.proto.label for part in app.get("page_link")]
    assert sum("Next" in label for label in links) == 1
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
    app = opened("trellis", **BOAT, beat="add")
    app.session_state["trellis.stage"] = BOAT | {"beat": "back", "step": "22"}
    app.run()
    assert of_stage(app)["view"]["beat"] == "back"
    app.query_params["beat"] = "path"
    assert of_stage(app.run())["view"]["beat"] == "path"


def test_another_door_opens_its_own_beat_on_the_same_scores():
    app = fresh("trellis")
    app.session_state["trellis.stage"] = {"ex": "bio", "beat": "back", "step": "7"}
    app.session_state["trellis.door"] = "best"
    view = of_stage(app.run())["view"]
    assert (view["beat"], view["state"]) == ("bet", {"ex": "bio", "beat": "bet"})


@pytest.mark.parametrize("name", more.SECTIONS)
def test_a_section_opens_at_every_beat(name):
    """On three examples: tags that are few, a path that is forbidden, a tagger's 17 tags."""
    for query in (BOAT, {"ex": "bio"}, {"sentence": "Time flies .", "tagger": "local"}):
        for beat in ("path", "add", "back", "meet"):
            app = fresh("trellis", **query, beat=beat)
            app.session_state["trellis.more"] = True
            app.session_state[f"trellis.more.{name}"] = True
            app.run()
            assert not app.exception, (query, beat, app.exception)
            folds = {part.label: part for part in app.expander}
            assert len(folds[more_label(name)].children), (query, beat)


def with_scores(text):
    """The page with its score tables open, after a text was pasted there."""
    app = fresh("trellis", **BOAT, beat="add", fix="2.2")
    app.session_state["trellis.more"] = app.session_state["trellis.more.scores"] = True
    app.run()
    app.text_area[0].set_value(text).run()
    return press(app, "Use these scores")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("from,DET,ADJ,NOUN,VERB\nDET,1,2,3,4\nADJ,-3,-.5,1.5,-2\nNOUN,-2.5,-1,0,1\n"
         "VERB,1.5,0,.5,-inf", {"edit": "t:DET:DET_1~t:DET:ADJ_2~t:DET:NOUN_3~t:DET:VERB_4"
                                "~t:VERB:VERB_x"}),
        (to_json(Problem.blank(["A", "B"], ["x"])), {"t": "A~B", "w": "x", "ex": "", "fix": ""}),
    ],
)  # fmt: skip
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
