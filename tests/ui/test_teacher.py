"""The teacher's link: what it carries, and what it does when it cannot carry everything."""

from urllib.parse import parse_qsl, urlsplit

from pages.shared.course.problem import Problem
from pages.shared.ui import problem_state
from pages.shared.ui import view as views
from pages.shared.ui.teacher import link
from pages.shared.ui.view import View
from pages.shared.ui.words import say
from tests.apps import html_of, learning_page, opened, press

TITLE = say("teacher.title")
BEFORE_A_CLASS = {"hide": "controls~prose", "size": "1.6"}


def test_it_leads_to_its_page_and_opens_what_it_was_made_from(session):
    for url, page, expected in (
        ("http://127.0.0.1:8501/forward/", "forward", "http://127.0.0.1:8501/forward"),
        ("http://127.0.0.1:8501", "forward", "http://127.0.0.1:8501/forward"),
        ("https://a.org/crf/", "", "https://a.org/crf/"),
        (None, "viterbi", "/viterbi"),
    ):
        assert link(url, page, {}) == expected
    problem = Problem.blank(["A&B", "<c>", "ä=?#", "א"], ["x y", "100%", "~*", "a+b"]).random(4)
    problem_state.change(problem, "all")
    view = View(12, frozenset({"answers", "prose"}), "1.6")
    query = problem_state.address() | {"convention": "pair"} | view.query()
    url = link("http://127.0.0.1/forward", "forward", query)
    assert url.isascii()
    session.open(**dict(parse_qsl(urlsplit(url).query, strict_parsing=True)))
    assert problem_state.current() == problem
    assert views.current() == view
    assert session.query["convention"] == "pair"
    assert session.complaints() == []


def open_builder(**query):
    app = press(learning_page(**query), TITLE)
    assert not app.exception
    return app


def built(app):
    (code,) = [c for c in app.code if c.value.startswith(("http", "/"))]
    return dict(parse_qsl(urlsplit(code.value).query))


def test_it_is_the_lesson_as_it_is():
    query = {"ex": "bio", "convention": "pair", "ask": "viterbi", "n": "8"}
    app = open_builder(**query)
    assert built(app) == query | {"of": "small"}
    assert "a courtesy, not protection" in html_of(app)
    app = open_builder(hide="prose", size="1.3")
    assert app.checkbox(key="teacher.hide.prose").value
    assert app.segmented_control(key="teacher.size").value == "1.3"


def test_it_hides_what_is_ticked():
    app = open_builder()
    for name in ("hide.prose", "hide.answers"):
        app.checkbox(key=f"teacher.{name}").check()
    app.segmented_control(key="teacher.size").set_value("1.6")
    assert built(press(app, TITLE)) == {"hide": "answers~prose", "size": "1.6"}


def test_a_problem_that_is_too_large_goes_as_a_file():
    app = learning_page()
    large = Problem.blank([f"T{s}" for s in range(12)], [f"w{t}" for t in range(20)])
    app.session_state["shared_problem"].problem = large.per_step_form()
    press(app.run(), TITLE)
    assert not app.exception
    assert any("too large" in w.value for w in app.warning)
    assert "t" not in built(app)


def test_for_a_projector_a_question_that_is_open_comes_first():
    for answered in (False, True):
        app = opened("cost")
        if answered:
            press(app, "Just show me")
        press(app, TITLE).button(key="teacher.preset").click()
        assert built(press(app, TITLE)) == BEFORE_A_CLASS | ({} if answered else {"guess": "1"})
