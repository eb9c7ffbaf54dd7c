"""The bar of the shared problem: what an example shows may give an answer away."""

import pytest

from pages.shared.course.examples import EXAMPLES
from pages.shared.ui import problem_state
from tests.apps import fresh


@pytest.mark.parametrize("hide", ["", "answers"])
def test_what_an_example_shows_is_not_said_where_answers_are_hidden(hide):
    app = fresh("forward", ex="old-man", **({"hide": hide} if hide else {}))
    app.session_state["bar.open"] = True
    app.run()
    assert not app.exception
    said = " ".join(e.proto.body for e in (*app.get("html"), *app.markdown, *app.caption))
    why = EXAMPLES["old-man"].why.split(".")[0]
    assert (why in said) == (not hide)
    assert ("may give an answer away" in said) == bool(hide)


def test_the_sentence_on_screen_stands_in_its_field():
    app = fresh("scores", sentence="They can fish.", tagger="local")
    app.session_state["bar.open"] = True
    app.run()
    assert app.text_input(key="bar.sentence").value == "They can fish."
    assert app.selectbox(key="bar.tagger").value == "local"
    app.slider(key="bar.keep").set_value(5)
    next(button for button in app.button if button.label == "Use these scores").click().run()
    assert not app.warning
    assert len(app.session_state["shared_problem"].problem.tags) == 5


def test_a_problem_of_ones_own_begins_with_its_words_tags_and_a_name():
    app = fresh("scores")
    app.session_state["bar.open"] = True
    app.run()
    app.text_input(key="bar.words").set_value("she can fish")
    app.text_input(key="bar.tags").set_value("N V")
    next(button for button in app.button if button.label == "Begin").click().run()
    assert not app.exception
    shared = app.session_state["shared_problem"]
    assert (shared.problem.tokens, shared.problem.tags) == (("she", "can", "fish"), ("N", "V"))
    app.session_state["bar.open"] = True
    app.run().text_input(key="bar.name").set_value("My <b>can</b>").run()
    again = fresh("forward", **{key: "".join(app.query_params[key]) for key in app.query_params})
    again.run()
    assert again.session_state["shared_problem"].problem == shared.problem
    assert again.session_state["shared_problem"].origin.name == "My <b>can</b>"


@pytest.mark.parametrize(
    ("words", "tags", "said"),
    [
        ("", "N V", "tokens"),
        ("a", "N N", "not used before"),
        ("a " * 21, "N V", "at most 20 words"),
    ],
)
def test_what_is_no_problem_is_said_and_nothing_is_lost(session, words, tags, said):
    before = problem_state.current()
    problem_state.use_new(words, tags)
    assert problem_state.current() == before
    assert said in session.complaints()[0]
