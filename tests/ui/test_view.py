"""How a link opens a lesson: at its step, less what it hides, in its size; and its frame."""

import re
from itertools import product

import pytest
import streamlit as st

from pages.shared.contents import ROOT
from pages.shared.course.problem import Problem
from pages.shared.ui import problem_state
from pages.shared.ui import view as views
from pages.shared.ui.lesson import Lesson
from pages.shared.ui.options import CONVENTION, SPACE
from pages.shared.ui.view import LARGEST_STEP, PARTS, SIZES, View
from tests.apps import opened as opened_page
from tests.apps import press


def test_the_address_has_the_view(session):
    for k, (size, count) in enumerate(product(SIZES, range(len(PARTS) + 1))):
        view = View(k * 10 ** (count % 5), frozenset(PARTS[:count]), size, bool(k % 2))
        session.open(**view.query())
        assert views.current() == view
        assert session.complaints() == []
    assert View().query() == {}


@pytest.mark.parametrize(
    ("query", "seen"),
    [
        *(({"step": text}, View()) for text in ("-1", "x", "", "٣", "9" * 100_000)),
        ({"step": str(LARGEST_STEP + 1)}, View()),
        ({"size": "nan", "step": "2"}, View(2)),
        ({"guess": "2", "step": "2"}, View(2)),
        ({"guess": "", "size": "1.3"}, View(size="1.3")),
        ({"hide": "everything"}, View()),
        ({"hide": "terms~<script>"}, View(hide=frozenset({"terms"}))),
        ({"screen": "1}</style><script>"}, View()),
    ],
)
def test_a_forged_one_gets_a_message_and_what_is_good_in_it(session, query, seen):
    session.open(**query)
    assert views.current() == seen
    (message,) = session.complaints()
    assert len(message) < 300
    assert views.current() == seen
    assert session.complaints() == []


def test_the_session_keeps_its_view_and_each_mistake_is_said(session):
    session.open(screen="bias", hide="terms~prose", size="1.6", guess="1")
    view = views.current()  # on a screen there is a picture alone
    assert view == View(None, frozenset({"terms", "prose", "controls"}), "1", True, "bias")
    assert view.query() == {"screen": "bias", "hide": "terms", "guess": "1"}
    assert ".st-key-picture-graphs-bias" in views.rules(view, "graphs")
    assert "display" not in views.rules(View(3), "graphs")
    session.open(hide="terms", size="1.6")
    assert views.current().scale == 1.6
    session.query.clear()
    assert views.current().hide == {"terms"}
    session.open(step="x", size="x", hide="x", guess="x", screen="</style>")
    views.current()
    assert len(session.complaints()) == len(views.KEYS) - 1  # `told` is for nobody to type


def page(view=None):
    """A lesson at which the session began."""
    st.session_state["lesson.first"] = "learning"
    return Lesson("learning", view or views.current(), (CONVENTION, SPACE))


def test_the_address_is_exactly_what_is_on_screen(session):
    session.open(ex="bio", step="2", convention="pair", unknown="x")
    page().reached.set(2)
    page().publish()
    assert session.query == {"ex": "bio", "convention": "pair", "step": "2"}
    session.open(step="2")
    page().reached.set(2)
    problem_state.change(problem_state.current().with_score("end", 0, 2.5), "end")
    views.VIEW.set(View(hide=frozenset({"answers", "terms"}), size="1.3"))
    page().publish()
    problem, query = problem_state.current(), dict(session.query)
    session.open(**query)
    assert problem_state.current() == problem
    assert views.current() == View(2, frozenset({"answers", "terms"}), "1.3")
    large = Problem.blank([f"T{s}" for s in range(12)], [f"w{t}" for t in range(20)])
    session.open()
    problem_state.change(large.per_step_form(), "all")  # too large for a link: it stays out
    CONVENTION.set("pair")
    page().publish()
    assert session.query == {"convention": "pair"}


@pytest.mark.parametrize("page", ["stability", "cost"])
def test_without_more_a_page_ends_where_the_way_through_does(page):
    def parts(app):
        return {box.label for box in app.expander}, [link.label for link in app.get("page_link")]

    app = opened_page(page, hide=views.MORE)
    assert parts(app) == (set(), [])
    assert app.query_params["hide"] in (views.MORE, [views.MORE])
    folds, links = parts(press(app, "Show the rest of this page"))
    assert folds
    assert links
    assert "hide" not in app.query_params


def test_no_rule_has_the_browser_look_at_every_element_at_each_run():
    """Streamlit changes classes at each run: a rule by a part of a name concerns what it changes.

    Where such a rule ends in no name of its own, that is all that is below.
    """
    for sheet in ("styles", "streamlit"):
        rules = (ROOT / "assets" / f"{sheet}.css").read_text(encoding="utf-8")
        assert re.findall(r"\[class\*=[^\]]*\] *[>~+ ] *[*:][^,{]*", rules) == []
