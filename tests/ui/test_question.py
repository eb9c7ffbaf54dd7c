"""Questions: a press is not lost when another one cuts short the run that follows it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.figures import theme


def page():
    import streamlit as st

    from pages.shared.ui import question

    if st.session_state.get("cut short"):
        st.stop()
    options = st.session_state.get("options", ["this", "that"])
    if question.guess("Which?", options, right=1, key="test", subject="a"):
        st.text("the answer")
    question.number("How many?", lambda n: question.Verdict(n == 3), key="count")
    question.choice("Which one?", ["x", "y"], lambda k: question.Verdict(k == 1), key="pick")
    hint = question.Verdict(False, "a hint", "the solution")
    question.several("Which are?", ["a", "b"], lambda said: hint, key="several")


def opened(**query):
    app = AppTest.from_function(page, default_timeout=20)
    app.query_params.update(query)
    return app.run()


def press(app, label, which=0):
    """Press a button; the run that follows ends before it comes to the question."""
    [button for button in app.button if button.label == label][which].click()
    app.session_state["cut short"] = True
    app.run()
    app.session_state["cut short"] = False
    return app.run()


def buttons(app):
    return [button.label for button in app.button]


@pytest.mark.parametrize(("chosen", "verdict"), [(0, "error"), (1, "success")])
def test_a_guess_is_not_lost_and_keeps_its_words(chosen, verdict):
    app = press(opened(), "Commit, then see")
    assert not app.text  # without a choice nothing is committed
    app.radio[0].set_value(chosen)
    press(app, "Commit, then see")
    assert len(app.text) == len(getattr(app, verdict)) == 1
    assert (app.radio[0].disabled, app.radio[0].value) == (True, chosen)
    assert not {"Ask again", "Ask anew"} & {*buttons(app)}
    app.session_state["options"] = ["left", "right"]  # an edit: what was chosen is none of them
    app.run()
    assert (app.radio[0].options, app.radio[0].value) == (["this", "that"], chosen)
    press(app, "Ask anew")
    assert (app.radio[0].options, app.radio[0].disabled) == (["left", "right"], False)
    assert "Ask anew" not in buttons(app)


def test_whoever_was_just_shown_may_be_asked_again():
    app = opened()
    assert not app.text
    press(app, "Just show me")
    assert [text.value for text in app.text] == ["the answer"]
    assert not {"Commit, then see", "Ask again"} & {*buttons(app)}
    press(app, "Ask me first")
    assert not app.text
    assert not app.radio[0].disabled


def test_a_presenter_goes_back_to_the_question():
    for how, said in (
        ("Just show me", [f"Which? **{theme.markdown('It is: that.')}**"]),
        ("Commit, then see", []),
    ):
        app = opened(screen="1", guess="1")
        app.radio[0].set_value(0)
        press(app, how)
        assert app.text
        assert [text.value for text in app.markdown] == said
        press(app, "Ask again")
        assert not app.text
        assert not app.markdown
        assert not app.radio[0].disabled
        assert "Ask again" not in buttons(app)


def test_answers_are_judged_and_not_lost():
    app = opened()
    app.text_input[0].set_value("3")
    press(app, "Check", 0)
    assert app.session_state["count·checked"] == "3"
    assert len(app.success) == 1
    for k, (right, wrong) in ((0, (1, 1)), (1, (2, 0))):
        app.radio[-1].set_value(k)
        press(app, "Check", 1)
        assert (len(app.success), len(app.error)) == (right, wrong)
    for k, solved in (("a", 0), ("b", 1)):  # the solution not before the second wrong answer
        app.button_group[-1].set_value([k])
        press(app, "Check", 2)
        assert "a hint" in app.error[0].value
        assert ("Try once more" in app.error[0].value) == (not solved)
        assert [text.value for text in app.markdown] == ["the solution"] * solved
