"""A class on the pages: what a student and a lecturer see and can do; nothing without `--class`."""

import gzip
import json
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from benchmarks.raw_client import run_apart
from pages.shared import contents
from pages.shared.course import start_options
from pages.shared.course.classroom import classroom
from pages.shared.course.classroom.ballot import Ballot
from pages.shared.course.classroom.store import MOST_TEXT
from pages.shared.course.lecture import Stop
from pages.shared.course.start_options import StartOptions
from pages.shared.ui import class_door, class_news, class_panel, class_session
from pages.shared.ui.problem_state import SHARED
from pages.shared.ui.show_everything import EVERYTHING
from pages.shared.ui.view import VIEW
from tests import apps

BARS = 'data-figure="votes"'
ASKS, ASKS_AT = "cost", "cost.crossover-guess·class"  # a lesson with a question to ask a class
QUESTION = Ballot("Which <b>word</b>?", ("*this*", "that"), right=1, why="Because.")


def browser(**cookies):
    """What stands for a browser."""
    url = "http://127.0.0.1:8501/class"
    return SimpleNamespace(cookies=cookies, url=url, locale="en-US")


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A class, as `--class` opens it."""
    monkeypatch.setattr(start_options, "_given", [StartOptions(room=True)])
    monkeypatch.setattr(classroom, "_running", [])
    monkeypatch.setattr("pages.shared.course.classroom.store.SECONDS_BETWEEN_VOTES", 0.0)
    return classroom.start(str(tmp_path / "class"))


@pytest.fixture
def student(room, monkeypatch):
    """The session is a student's."""
    cookie = room.join(room.code, None)
    monkeypatch.setattr(class_session.st, "context", browser(**{class_session.STUDENT: cookie}))
    return room.student(cookie)


@pytest.fixture
def lecturer(room, monkeypatch):
    """The session is the lecturer's."""
    cookies = {class_session.LECTURER: room.keys.token}
    monkeypatch.setattr(class_session.st, "context", browser(**cookies))


def words(app) -> str:
    """All that stands on the page."""
    parts = [*app.markdown, *app.get("html"), *app.warning, *app.info]
    return " ".join(getattr(part, "value", "") or part.proto.body for part in parts)


def test_without_a_class_there_is_no_trace_of_one(monkeypatch):
    monkeypatch.setattr(start_options, "_given", [])
    app = apps.opened(ASKS)
    assert not [b.label for b in app.button if "class" in b.label]
    assert "class is on" not in words(app)
    assert class_session.lead(Stop("forward", "", "Forward")) == 0


def test_who_has_not_joined_is_shown_the_way_in(room):
    app = apps.opened("glossary")
    assert not app.exception
    assert "join it" in words(app)


def test_a_phone_begins_anew_at_another_stop_and_keeps_what_is_its_own(room, student):
    app = apps.opened("stability", ex="book", step="3", at="1")
    app.session_state[EVERYTHING.key] = True
    app.query_params["ex"], app.query_params["step"] = "fish", "0"

    def shown():
        state = app.run().session_state
        return state[SHARED.key].origin.example, state[VIEW.key].step

    assert shown() == ("book", 3)  # what is in the address is about the beginning
    app.query_params["ex"], app.query_params["step"], app.query_params["at"] = "fish", "0", "2"
    assert shown() == ("fish", 0)
    assert app.session_state[EVERYTHING.key]


def test_a_phone_that_has_heard_news_is_not_shown_what_was_before(room, student, monkeypatch):
    monkeypatch.setattr(class_panel, "_RECENT", 60.0)
    room.now()
    other = classroom.Classroom(room.store.__class__(room.store.tables))  # another server's
    other.ask(QUESTION)
    assert not apps.opened("glossary").radio  # nobody has told this phone
    monkeypatch.setattr(class_panel, "_told", lambda: other.now().serial)
    assert apps.opened("glossary").radio


def test_a_student_answers_and_changes_the_answer(room, student):
    room.ask(QUESTION)
    app = apps.opened("glossary")
    assert not app.exception
    assert "<b>" not in app.radio[0].label.replace("\\<", "")  # HTML in a question is text
    app.radio[0].set_value(0).run()
    app.radio[0].set_value(1).run()
    assert room.tally(1, QUESTION).bars[1].count == room.tally(1, QUESTION).total == 1
    assert "You can change it" in words(app)
    assert apps.opened("glossary").radio[0].value == 1  # another session of the same student
    assert room.store.places().taken == 1
    room.store.turn(1, "closed")
    app.run()
    assert not app.radio
    assert BARS not in words(app)
    room.store.turn(1, "revealed")
    assert 'data-count="1"' in words(app.run())
    assert "<b>word" not in words(app)


def test_the_lecturer_asks_at_a_guess_and_reveals(room, lecturer):
    app = apps.press(apps.opened(ASKS), "Ask the class")
    assert not app.exception
    (ballot,) = room.ballots()
    assert ballot.right in range(len(ballot.options))
    for k in range(3):
        cookie = room.join(room.code, None)
        room.vote(room.student(cookie), 1, ballot, k % 2)
    app.run()
    assert "3 of 3 have answered" in words(app)
    assert BARS not in words(app)
    apps.press(app, "Close and reveal").run()
    assert room.now().phase == "revealed"
    assert 'data-count="2"' in words(app)


def test_the_best_path_of_an_exercise_is_asked_as_one_of_all_paths(room, lecturer):
    exit_question = {"ask": "viterbi", "n": "7", "of": "small"}

    def practised(**query):
        app = apps.fresh("viterbi", **query)
        app.session_state["trellis.more"] = app.session_state["trellis.more.exercises"] = True
        return app.run()

    app = practised(**exit_question)
    app.button(key="trellis.best·class").click().run()
    assert not app.exception
    (ballot,) = room.ballots()
    assert ballot.options == ("A A", "A B", "B A", "B B")
    assert "backpointers: A B" in ballot.why
    assert ballot.options[ballot.right] == "A B"
    assert ballot.given[0].rows[0] == ("w", "2.8", "1.2")  # a phone has the numbers, too
    large = practised(**exit_question | {"of": "large"})
    assert not [b for b in large.button if b.key == "trellis.best·class"]


def test_who_asks_from_a_lesson_leads_the_class_there_but_not_to_the_answer(room, lecturer):
    app = apps.opened(ASKS, ex="book", step="3")
    ask = app.button(key=ASKS_AT)
    ask.click().run()
    led = room.stop(room.now())
    assert (led.page, led.title, led.values) == (ASKS, contents.entry(ASKS).title, {"ex": "book"})
    assert room.now().ballot == 1
    app.button(key=ASKS_AT).click().run()
    assert (room.now().number, room.now().ballot) == (1, 2)  # nobody is sent on from where they are
    app = apps.opened(ASKS, ex="old-man", screen="crossover", guess="1")
    app.button(key=ASKS_AT).click().run()
    assert (room.now().number, room.now().ballot) == (1, 3)  # a stop leads by itself


def test_any_lesson_is_shown_to_the_class_without_a_lecture(room, lecturer):
    assert "Show this to the class" in words(apps.opened("class"))
    app = apps.opened("forward", ex="book", step="4")
    assert "nothing is shown yet" in words(app)
    app.button(key="class.show").click().run()
    led = room.stop(room.now())
    assert (led.page, led.values) == ("forward", {"ex": "book", "step": "4"})
    assert f"shown: {led.title}" in words(app.run())
    assert not [b for b in apps.opened("homework").button if b.key == "class.show"]


def full(*_):
    raise classroom.StoreError("The server’s disk is full.")


def test_what_the_lecturer_presses_and_the_server_cannot_do_is_said(room, lecturer, monkeypatch):
    app = apps.opened(ASKS, ex="book")
    app.button(key=ASKS_AT).click().run()
    monkeypatch.setattr(room.store, "turn", full)
    monkeypatch.setattr(room.store, "lead", full)
    for key in ("class.turn.closed", "class.show"):
        app = apps.opened("stability", ex="book")
        app.button(key=key).click().run()
        assert not app.exception
        assert "disk is full" in words(app)


def test_a_student_comes_to_the_part_that_the_stop_shows(room, student):
    assert class_panel.parts(Stop("cost", "", "Whole")) == []
    bias, _ = class_panel.parts(Stop("graphs", "picture=bias", "Part"))
    assert bias == "st-key-picture-graphs-bias"


def test_only_the_lecturer_leads(room, lecturer, monkeypatch):
    assert class_session.lead(Stop("forward", "ex=old-man", "One", "a note")) == 1
    assert "a note" not in room.now().stop
    stranger = {class_session.STUDENT: room.join(room.code, None)}
    for cookies in ({}, {class_session.LECTURER: "x"}, stranger):
        monkeypatch.setattr(class_session.st, "context", browser(**cookies))
        assert class_session.lead(Stop("forward", "", "Two")) == 0
        app = apps.opened("class")
        assert not app.exception
        assert "open the link" in words(app)
        assert not [b for b in app.button if b.label.startswith("Ask")]
    assert room.now().number == 1


def test_a_presented_stop_leads_once_however_often_it_moves_on(room, lecturer, session):
    for number, step in [(0, 0), (0, 1), (0, 2), (1, 0), (0, 2)]:
        class_session.present(Stop("forward", f"step={step}", "One"), number)
    assert (room.now().number, room.stop(room.now()).query) == (3, "step=2")
    room.lead(Stop("viterbi", "", "Another’s"))
    class_session.present(Stop("forward", "step=1", "One"), 0)  # of two, the last that moves leads
    assert room.stop(room.now()).query == "step=1"


def test_phones_get_the_picture_of_the_stop_that_is_shown(room, lecturer, session):
    apps.opened("cost")  # registers its figures
    drawn = {"folder": "pages/cost/product_tree", "data": "H4sI"}
    kept = class_news.sent({"stop": 0, "picture": drawn})
    class_session.present(Stop("forward", "", "One"), 0, kept)
    class_session.present(Stop("forward", "step=3", "Two"), 1)  # its picture is not there yet
    class_session.present(Stop("forward", "step=3", "Two"), 1, kept)
    assert (room.now().number, room.now().picture) == (2, 2)
    news = class_news.News(room)
    pictures = class_news.StopPictures(news)

    async def answers(*numbers: int) -> list[bytes]:
        return [await pictures.answer(number) for number in numbers]

    assert run_apart(lambda: answers(2)) == [b""]  # this server has not heard of it
    news.now = room.now()
    before, found = run_apart(lambda: answers(1, 2))
    assert before == b""
    answer = json.loads(gzip.decompress(found))
    assert answer.pop("style").startswith("/*")
    assert answer == drawn
    asks = {"folder": "", "data": "Which one?"}
    class_session.present(Stop("structure", "", "Asks"), 2, class_news.sent({"picture": asks}))
    news.now = room.now()
    assert json.loads(gzip.decompress(run_apart(lambda: answers(3))[0])) == {**asks, "style": ""}


def test_what_no_window_sends_is_no_picture(room):
    apps.opened("cost")
    trellis = {"folder": "pages/cost/product_tree"}
    large = trellis | {"data": "x" * (MOST_TEXT + 1)}
    for picture in (None, "a text", {"folder": "../crf", "data": ""}, trellis, large):
        assert class_news.sent({"picture": picture}) == ""


def test_who_goes_on_to_another_stop_ends_the_question_and_keeps_its_votes(room, lecturer, session):
    student = room.student(room.join(room.code, None))
    class_session.present(Stop("forward", "", "One"), 0)
    for phase in ("open", "closed", "revealed"):
        number = room.ask(QUESTION)
        room.store.tables.run(lambda step: step.delete("times", student), changes=True)  # at once
        room.vote(student, number, QUESTION, 1)
        room.store.turn(number, phase)
        class_session.present(Stop("forward", "step=1", "One"), 0)
        assert room.now().phase == phase  # the stop has only moved on
        class_session.present(Stop("viterbi", "", "Two"), 1)
        assert room.now().phase == "over"
        assert room.tally(number, QUESTION).total == 1
        class_session.present(Stop("forward", "", "One"), 0)


def test_the_lecturer_sees_who_is_there_locks_the_door_and_empties_the_room(room, lecturer):
    cookies = [room.join(room.code, None) for _ in range(3)]
    app = apps.opened("class")
    assert "3 of 500 places are taken; phones that are there now: 3" in words(app)
    app.button(key="class.lock").click().run()
    assert room.now().locked
    with pytest.raises(classroom.RefusedError, match="nobody new"):
        room.join(room.code, None)
    assert room.join(room.code, cookies[0])
    app.button(key="class.lock").click().run()
    assert not room.now().locked
    app.button(key="class.empty").click().run()
    assert not app.exception
    assert "0 of 500 places" in words(app)
    assert room.student(cookies[0]) is None


def test_the_door_lets_a_class_in_and_opens_again_however_many_knock(monkeypatch):
    at = 0.0
    monkeypatch.setattr(class_door.time, "monotonic", lambda: at)
    door = class_door.Pace()
    assert all(door.allows("one") for _ in range(class_door.BURST))
    assert not door.allows("one")
    assert door.allows("another")
    let_in = 0
    for _ in range(1000):  # in ten seconds
        at += 0.01
        let_in += door.allows("one")
    assert let_in == pytest.approx(10 * class_door.REFILL, abs=1)


def test_the_door_and_a_phone_speak_the_browser_s_language(room, student):
    ways = {route.path: route.endpoint for route in class_door.routes(room)}

    def answer(path: str, query: bytes, spoken: bytes) -> str:
        headers = [(b"accept-language", spoken)]
        asked = {"type": "http", "method": "GET", "query_string": query, "headers": headers}
        return run_apart(lambda: ways[path](Request(asked))).body.decode()

    assert "Der Code, der vorn zu sehen ist" in answer("/join", b"", b"de-AT,de;q=0.9,en;q=0.5")
    assert "这不是老师的链接" in answer("/lead", b"token=none", b"zh")
    assert "The code on the screen in front" in answer("/join", b"", b"")
    class_session.st.context.locale = "de-DE"
    opened = apps.opened("glossary")
    [bar] = [one for one in opened.get("bidi_component") if "follow" in one.proto.component_name]
    assert json.loads(bar.proto.bytes)["words"]["stay"] == "Hier bleiben"
