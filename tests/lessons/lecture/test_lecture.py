"""My lecture: the plan that is shipped, the list, what is added on a page, what is presented."""

import math

import pytest

from pages.lecture import listing, own_slide, presentation
from pages.shared.course import start_options
from pages.shared.course.examples import EXAMPLES
from pages.shared.course.exercises import Exercise
from pages.shared.course.lecture import Lecture, Stop, to_json, to_link
from pages.shared.ui import class_session, lectures
from pages.shared.ui.words import say
from tests.apps import fresh, opened

PLAN = listing.example()
OLD_MAN = EXAMPLES["old-man"].problem


def asks(app, question):
    return any(radio.label.startswith(question) for radio in app.radio)


def prefix_changes_its_mind(app):
    best = [max(column) for column in OLD_MAN.trace("viterbi").table]
    table = OLD_MAN.trace("viterbi").table
    after = [OLD_MAN.tags[column.index(top)] for column, top in zip(table, best, strict=True)]
    path = [OLD_MAN.tags[s] for s in OLD_MAN.trace("viterbi").best_path]
    state = app.session_state
    return state["viterbi.reached"] == 12 and after[2] == "NOUN" and path[2] == "VERB"


def posterior_is_forbidden(app):
    chain = EXAMPLES["bio"].problem.chain()
    of = chain.log_prob
    tags = [EXAMPLES["bio"].problem.tags[s] for s in chain.posterior_decode()[0]]
    return (
        app.session_state["viterbi.overlay"] == "posterior"
        and tags == ["O", "I"]
        and of(chain.posterior_decode())[0] == -math.inf
        and round(of(chain.viterbi().tags)[0].exp().item(), 2) == 0.40
    )


SHOWS = {  # stop of the plan -> what is on its page
    "A bet: where does word by word go wrong?": lambda app: asks(app, "The line is the best path"),
    "Score one path": lambda app: app.session_state["scores.path"][1] == (0, 1, 2, 0, 2),
    "Count the paths": lambda app: "growth" in app.session_state["structure.pictures"],
    "Forward: the sum over all paths": lambda app: app.session_state["forward.reached"] == 5,
    "Forward: fill a column": lambda app: (
        [h.value for h in app.header] == ["Fill the column"]
        and len([t for t in app.text_input if t.label.startswith("log α̂")]) == 4
    ),
    "Max in the place of the sum": prefix_changes_its_mind,
    "Backward: two fronts meet": lambda app: (
        app.session_state["backward.meet"] == 2
        and "fronts" in app.session_state["backward.pictures"]
    ),
    "Where posterior decoding fails: O I has probability 0": posterior_is_forbidden,
    "The gradient: observed minus expected": lambda app: asks(app, "Which transition gets"),
    "Label bias": lambda app: asks(app, "What will the MEMM make"),
    "Exit question": lambda app: (
        {"tag of w", "tag of x"} <= {s.label for s in app.selectbox}
        and app.session_state["viterbi.practice·exercise"] == Exercise(7, "viterbi", "small")
    ),
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
    assert SHOWS[stop.title](app)


def test_without_a_guess_a_stop_asks_nothing_and_shows_all():
    (bias,) = (stop for stop in PLAN.stops if stop.title == "Label bias")
    app = on_screen(Stop(bias.page, "picture=bias", "shown"))
    assert not app.exception
    assert not asks(app, "What will")
    assert "**CRF**: rob" in " ".join(m.value for m in app.markdown)


def test_a_presenter_s_keys_take_gradient_steps():
    (stop,) = (stop for stop in PLAN.stops if stop.page == "learning")
    app = on_screen(Stop(stop.page, "", "shown"))
    app.button(key="learning.turn.next").click().run()
    assert app.session_state["learning.steps"] == 1
    app.button(key="learning.turn.back").click().run()
    assert app.session_state["learning.steps"] == 0


def test_a_presenter_s_keys_go_to_the_best_path_and_back():
    (stop,) = (stop for stop in PLAN.stops if stop.page == "scores")
    app = on_screen(stop)
    for label, best in (("The best path", True), ("The path before", False)):
        next(button for button in app.button if button.label == label).click().run()
        assert not app.exception
        assert (app.session_state["scores.path"][1] == (0, 2, 3, 0, 2)) is best
    assert not [button for button in app.button if button.label == "The path before"]


def test_a_presenter_s_keys_show_the_whole_flow_after_the_fronts():
    (stop,) = (stop for stop in PLAN.stops if "meet" in stop.query)
    app = on_screen(stop)
    for label, meets in (("The whole flow", -1), ("The two fronts", 2)):
        next(button for button in app.button if button.label == label).click().run()
        assert not app.exception
        assert app.session_state["backward.meet"] == meets


# ---------------------------------------------------------------------- the list


def titles(app):
    return [stop.title for stop in app.session_state[lectures.MINE.key].lecture.stops]


def choose(app, number):
    app.session_state[lectures.CHOSEN.key] = number
    app.run()


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
    listing._act(lectures.current())
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
    choose(planned, 2)
    (name,) = [t for t in planned.text_input if t.label == "Title of stop 2"]
    name.set_value(" <b>Renamed</b> ").run()
    assert not planned.exception
    assert titles(planned) == [second, "<b>Renamed</b>", *rest]
    name.set_value(" ").run()
    assert "A stop needs a title" in planned.warning[0].value
    (name,) = [t for t in planned.text_input if t.label == "Title of stop 2"]
    assert titles(planned)[1] == name.value == "<b>Renamed</b>"
    planned.button(key="lecture.earlier").click().run()
    assert titles(planned) == ["<b>Renamed</b>", second, *rest]
    for _ in range(3):
        planned.button(key="lecture.undo").click().run()
    assert titles(planned) == [first, second, *rest]


def test_a_link_brings_a_lecture_and_undo_the_one_before(planned):
    own = Lecture("Mine", (Stop("forward", "step=2", "Only one"),))
    planned.query_params[listing.ADDRESS] = to_link(own)
    planned.run()
    assert titles(planned) == ["Only one"]
    planned.button(key="lecture.undo").click().run()
    assert titles(planned) == [stop.title for stop in PLAN.stops]


def test_a_forged_link_is_a_sentence(planned):
    planned.query_params[listing.ADDRESS] = "<script>"
    planned.run()
    assert not planned.exception
    assert "This link brings no lecture" in planned.warning[0].value
    assert titles(planned) == [stop.title for stop in PLAN.stops]


def test_what_the_browser_keeps_is_read_with_care(session):
    own = Lecture("Mine", (Stop("", "", "Front"),))
    for said in ([1, "{"], [1, 5], "x", [1], None):
        session.state[lectures._KEY] = {"kept": said}
        lectures._hear()
        assert lectures.current() == Lecture()
    assert "cannot be read" in session.complaints()[0]
    session.state[lectures._KEY] = {"kept": [2, to_json(own)]}
    lectures._hear()
    assert lectures.current() == own


def test_what_was_added_before_the_browser_spoke_is_not_lost(session):
    lectures.change(Lecture("x", (Stop("forward", "", "New"),)))
    own = Lecture("Mine", (Stop("", "", "Front"),))
    session.state[lectures._KEY] = {"kept": [1, to_json(own)]}
    lectures._hear()
    assert [stop.title for stop in lectures.current().stops] == ["Front", "New"]


# ---------------------------------------------------------------------- adding, presenting


@pytest.mark.parametrize("address", ["", "forward", "graphs", "glossary"])
def test_on_every_page_a_stop_is_added(address):
    query = {"ex": "bio", "step": "4"} if address == "forward" else {}
    app = opened(address, **query)
    next(b for b in app.button if b.label == say("teacher.title")).click().run()
    assert not app.exception
    next(b for b in app.button if b.label == "Add").click()
    next(b for b in app.button if b.label == say("teacher.title")).click().run()
    assert not app.exception
    (stop,) = app.session_state[lectures.MINE.key].lecture.stops
    assert stop.page == address
    assert stop.values.items() >= query.items()


@pytest.mark.parametrize("address", ["", "forward", "graphs", "glossary"])
def test_the_head_adds_what_is_on_screen_by_one_press(address):
    query = {"ex": "bio", "step": "4"} if address == "forward" else {}
    app = fresh(address, **query)
    app.session_state[lectures.MINE.key] = lectures._Mine()  # has been to My lecture
    app.run()
    for _ in range(2):
        app.button(key="head.add").click().run()
    assert not app.exception
    stops = app.session_state[lectures.MINE.key].lecture.stops
    assert [stop.page for stop in stops] == [address] * 2
    assert stops[1].values.items() >= query.items()
    assert "Added as stop 2" in app.toast[0].value


def test_what_was_added_is_not_written_over_what_the_browser_keeps(session, monkeypatch):
    sent = []
    monkeypatch.setattr(lectures, "_COMPONENT", lambda **given: sent.append(given["data"]["write"]))
    lectures.change(Lecture("x", (Stop("forward", "", "New"),)))
    lectures.keep()
    session.state[lectures._KEY] = {"kept": [1, ""]}
    lectures._hear()
    lectures.keep()
    assert sent[0] is None
    assert "New" in sent[1]


def test_show_me_goes_to_the_step_that_the_link_has():
    app = opened("forward", step="3")
    next(b for b in app.button if b.label == say("teacher.title")).click().run()
    app.checkbox(key="teacher.step").uncheck()
    app.button(key="teacher.forward.open").click().run()
    app.button(key="teacher.forward.open").click()
    next(b for b in app.button if b.label == "Show me").click().run()
    assert not app.exception
    assert app.session_state["forward.reached"] == 0


def test_the_dialog_offers_only_what_the_page_has():
    def offered(address):
        app = opened(address)
        next(b for b in app.button if b.label == say("teacher.title")).click().run()
        return {
            c.key.removeprefix("teacher.hide.") for c in app.checkbox if "hide" in (c.key or "")
        }

    assert offered("forward") >= {"terms", "values", "equation"}
    assert offered("graphs") == {"controls", "prose", "answers"}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ({"query": "step=3"}, "step=3"),
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
    monkeypatch.setattr(class_session, "present", lambda stop, number: seen.append(stop.query))
    presentation.start(0)
    said = {"stop": 0, "query": "", "blank": False, "left": False} | said
    session.state[presentation._KEY] = {"at": said}
    presentation._follow(Lecture("L", (Stop("viterbi", "ex=bio", "One"),)))
    assert seen == [shown] * bool(shown)
    assert presentation.ON.value == (not said["left"])


def test_a_reload_finds_the_stop_again(planned):
    choose(planned, 4)
    assert planned.query_params["stop"] == "4"
    again = opened("lecture", stop="4", stops=to_link(PLAN))
    assert again.button(key="lecture.present").label == "Present from stop 4"
    assert again.query_params["stop"] == "4"


def test_no_stop_of_that_number():
    app = opened("lecture", stop="20", stops=to_link(Lecture("L", PLAN.stops[:2])))
    assert not app.exception
    assert app.button(key="lecture.present").label == "Present from stop 2"


def everything(app):
    parts = [part.proto for kind in ("html", "code", "bidi_component") for part in app.get(kind)]
    return "".join(map(str, parts)).replace("\\", "")


def press(app, label):
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception


@pytest.mark.parametrize(
    ("title", "answer"),
    [
        ("Forward: fill a column", "log α̂ of man"),
        ("Exit question", "Following the backpointers"),
        ("Count the paths", '"1,024 paths"'),
    ],
)
def test_a_presenter_s_keys_show_and_hide_an_answer(title, answer):
    (stop,) = (stop for stop in PLAN.stops if stop.title == title)
    app = on_screen(stop)
    assert answer not in everything(app)
    press(app, "Show the answer")
    assert answer in everything(app)
    press(app, "Hide the answer")
    assert answer not in everything(app)


# ---------------------------------------------------------------------- a slide of one's own


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
    html = "".join(block.proto.body for block in shown.get("html"))
    assert "<h2>Before we go on</h2><p>Count <strong>twice</strong>.</p>" in html
    assert "<p>Count <strong>twice</strong>.</p>" in own_slide.as_html(stop)  # as a file, too
    press(shown, "Just show me")
    assert any("It is: 16" in said.value.replace("\\", "") for said in shown.markdown)
