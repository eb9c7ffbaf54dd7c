"""My lecture: the plan that is shipped, the list, what is added on a page, what is presented."""

import json

import pytest

from pages.lecture import listing, own_slide, presentation
from pages.shared.course import start_options
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.lecture import Lecture, Stop, to_json, to_link
from pages.shared.ui import class_session, lectures
from pages.shared.ui.words import say
from tests.apps import html_of, messages, of_stage, opened, press

PLAN = listing.example()
OLD_MAN = EXAMPLES["old-man"].problem


def asks(app, question):
    return any(radio.label.startswith(question) for radio in app.radio)


SHOWS = {  # stop of the plan -> what is on its page; a beat, where it is one of the trellis
    "A bet: where does word by word go wrong?": "bet",
    "Score one path": "path",
    "Count the paths": "count",
    "Forward: the sum over all paths": "add",
    "Forward: fill a column": "column",
    "Max in the place of the sum": "mind",
    "Backward: two fronts meet": "meet",
    "Where posterior decoding fails: O I has probability 0": "back",
    "The gradient: observed minus expected": lambda app: asks(app, "Which transition gets"),
    "Label bias": "bias",
    "Exit question": "best",
}


def on_screen(stop):
    """A stop as the class sees it: one picture, without text and controls."""
    values = stop.values
    values["screen"] = values.pop("picture", "1")
    return opened(presentation.address_of(stop), **values)


def test_the_plan_is_fifty_minutes_in_eleven_stops():
    assert PLAN.minutes == 50
    assert [stop.title for stop in PLAN.stops] == list(SHOWS)
    assert all(len(stop.note) > 60 for stop in PLAN.stops)
    assert len(to_link(PLAN)) < 2_500


@pytest.mark.parametrize("stop", PLAN.stops, ids=lambda stop: stop.title)
def test_each_stop_of_the_plan_opens_and_shows_what_it_says(stop):
    app = on_screen(stop)
    assert not app.exception
    assert not app.warning
    shown = SHOWS[stop.title]
    assert of_stage(app)["view"]["beat"] == shown if isinstance(shown, str) else shown(app)


def test_a_presenter_s_keys_turn_a_picture_forth_and_back():
    app = on_screen(Stop("learning", "", "shown"))
    for press_now, expected in (("learning.turn.next", 1), ("learning.turn.back", 0)):
        next(b for b in app.button if b.key == press_now).click().run()
        assert not app.exception
        assert app.session_state["learning.steps"] == expected


def titles(app):
    return [stop.title for stop in app.session_state[lectures.MINE.key].lecture.stops]


@pytest.mark.parametrize(
    ("act", "order", "chosen"),
    [
        ({"do": "choose", "stop": 2, "to": 2}, "ABC", 3),
        ({"do": "move", "stop": 0, "to": 2}, "BCA", 3),
        ({"do": "move", "stop": 2, "to": 0}, "CAB", 1),
        ({"do": "delete", "stop": 1, "to": 1}, "AC", 2),
        ({"do": "move", "stop": 0, "to": 99}, "ABC", 1),  # forged
        ({"do": "empty", "stop": 0, "to": 0}, "ABC", 1),
        ("<script>", "ABC", 1),
    ],
)
def test_what_is_done_in_the_list(session, act, order, chosen):
    lectures.change(Lecture("L", tuple(Stop("forward", "", title) for title in "ABC")))
    session.state[listing._KEY] = {"act": act}
    listing._act()
    assert "".join(stop.title for stop in lectures.current().stops) == order
    assert lectures.CHOSEN.value == chosen


@pytest.fixture
def planned():
    app = opened("lecture")
    app.button(key="lecture.example").click().run()
    assert not app.exception
    return app


def test_the_list_is_ordered_renamed_and_brought_back(planned):
    first, second, *rest = [stop.title for stop in PLAN.stops]
    planned.button(key="lecture.later").click().run()
    assert titles(planned) == [second, first, *rest]
    planned.session_state[lectures.CHOSEN.key] = 2

    def name():
        return next(t for t in planned.run().text_input if t.label == "Title of stop 2")

    name().set_value(" <b>Renamed</b> ").run()
    assert not planned.exception
    assert titles(planned) == [second, "<b>Renamed</b>", *rest]
    name().set_value(" ").run()
    assert "A stop needs a title" in planned.warning[0].value
    assert titles(planned)[1] == name().value == "<b>Renamed</b>"
    planned.button(key="lecture.earlier").click().run()
    assert titles(planned) == ["<b>Renamed</b>", second, *rest]
    for _ in range(3):
        planned.button(key="lecture.undo").click().run()
    assert titles(planned) == [first, second, *rest]


def test_a_link_brings_a_lecture_and_undo_the_one_before(planned):
    before = titles(planned)
    own = Lecture("Mine", (Stop("forward", "step=2", "Only one"),))
    planned.query_params[listing.ADDRESS] = to_link(own)
    assert titles(planned.run()) == ["Only one"]
    planned.button(key="lecture.undo").click().run()
    planned.query_params[listing.ADDRESS] = "<script>"
    planned.run()
    assert "This link brings no lecture" in messages(planned)
    assert titles(planned) == before


def test_what_the_browser_keeps_is_read_with_care_and_what_was_added_is_not_lost(
    session, monkeypatch
):
    sent = []
    monkeypatch.setattr(lectures, "_COMPONENT", lambda **given: sent.append(given["data"]["write"]))
    own = Lecture("Mine", (Stop("", "", "Front"),))

    def hear(said):
        session.state[lectures._KEY] = {"kept": said}
        lectures._hear()
        return [stop.title for stop in lectures.current().stops]

    for said in ([1, "{"], [1, 5], "x", [1], None):
        assert hear(said) == []
    assert "cannot be read" in session.complaints()[0]
    assert hear([2, to_json(own)]) == ["Front"]
    for kept, titles in ((to_json(own), ["Front", "New"]), ("", ["New"])):
        session.open()
        lectures.change(Lecture("x", (Stop("forward", "", "New"),)))
        lectures.keep()
        assert sent.pop() is None  # not before the browser has spoken
        assert hear([1, kept]) == titles
        lectures.keep()
        assert "New" in sent.pop()


def link_builder(address, **query):
    app = press(opened(address, **query), say("teacher.title"))
    assert not app.exception
    return app


@pytest.mark.parametrize(("address", "query"), [("cost", {}), ("graphs", {"ex": "bio"})])
def test_a_page_is_added_by_its_dialog_and_by_one_press_in_its_head(address, query):
    app = link_builder(address, **query)
    next(b for b in app.button if b.label == "Add").click()
    press(app, say("teacher.title"))
    app.button(key="head.add").click().run()
    assert "Added as stop 2" in app.toast[0].value
    for stop in app.session_state[lectures.MINE.key].lecture.stops:
        assert stop.page == address
        assert stop.values.items() >= query.items()


def test_the_dialog_offers_only_what_the_page_has():
    def offered(address):
        keys = [box.key or "" for box in link_builder(address).checkbox]
        return {key.removeprefix("teacher.hide.") for key in keys if "hide" in key}

    assert offered("cost") == {"controls", "prose", "answers", "more"}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"query": "step=3", "picture": {"folder": "", "data": "Which?"}}, "step=3"),
        ({"query": "<b>"}, "ex=bio"),  # no address: the planned one
        ({"blank": True}, ""),  # nobody is sent anywhere
        ({"left": True}, ""),
        ({"stop": 9}, ""),
        ({"query": 3}, ""),
    ],
)
def test_what_is_presented_leads_the_class(session, monkeypatch, said, shown):
    seen = []
    monkeypatch.setattr(start_options, "_given", [start_options.StartOptions(room=True)])
    monkeypatch.setattr(
        class_session, "present", lambda stop, number, picture: seen.append((stop.query, picture))
    )
    presentation.start(0)
    said = {"stop": 0, "query": "", "blank": False, "left": False} | said
    session.state[presentation._KEY] = {"at": said}
    presentation._follow(Lecture("L", (Stop("viterbi", "ex=bio", "One"),)))
    picture = json.dumps(said["picture"]) if "picture" in said else ""
    assert seen == [(shown, picture)] * bool(shown)
    assert presentation.ON.value == (not said["left"])


def test_a_reload_finds_the_stop_again():
    for stop, of, found in (("4", 11, 4), ("20", 2, 2)):
        app = opened("lecture", stop=stop, stops=to_link(Lecture("L", PLAN.stops[:of])))
        assert app.button(key="lecture.present").label == f"Present from stop {found}"


def test_a_slide_of_ones_own_asks_the_class_and_shows_its_text():
    app = opened("lecture")
    app.button(key="lecture.slide").click().run()
    for label, text in (
        ("Title of stop 1", "Before we go on"),
        ("Text, in Markdown", "Count **twice**."),
        ("Question to the class", "How many paths?"),
        ("Options, one a line; a * before the right one", "4\n*16"),
    ):
        fields = (*app.text_input, *app.text_area)
        next(field for field in fields if field.label == label).set_value(text).run()
        assert not app.exception
    (stop,) = app.session_state[lectures.MINE.key].lecture.stops
    shown = on_screen(stop)
    assert not shown.exception
    assert asks(shown, "How many paths?")
    assert "<h2>Before we go on</h2><p>Count <strong>twice</strong>.</p>" in html_of(shown)
    in_a_file = own_slide.as_html(stop)
    for part in ("<p>Count <strong>twice</strong>.</p>", "☐ 4", "☐ 16"):
        assert part in in_a_file
    press(shown, "Just show me")
    assert any("It is: 16" in said.value.replace("\\", "") for said in shown.markdown)
