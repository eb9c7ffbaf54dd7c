"""The bar of the shared problem: what an example shows may give an answer away."""

import pytest

from pages.shared.course.examples import EXAMPLES
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
