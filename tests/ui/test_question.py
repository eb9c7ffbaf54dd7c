"""Questions: a press is not lost when another one cuts short the run that follows it."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.figures import theme


def page():
    import streamlit as st

    from pages.shared.ui import question

    if st.session_state.get("cut short"):
        st.stop()
    if question.guess("Which?", ["this", "that"], right=1, key="test", subject="a"):
        st.text("the answer")
    question.number("How many?", lambda n: question.Verdict(n == 3), key="count")
    question.choice("Which one?", ["x", "y"], lambda k: question.Verdict(k == 1), key="pick")


@pytest.fixture
def app():
    return AppTest.from_function(page, default_timeout=20).run()


def press(app, label):
    """Press a button; the run that follows ends before it comes to the question."""
    next(button for button in app.button if button.label == label).click()
    app.session_state["cut short"] = True
    app.run()
    app.session_state["cut short"] = False
    app.run()


def test_just_show_me_is_not_lost(app):
    assert not app.text
    press(app, "Just show me")
    assert [text.value for text in app.text] == ["the answer"]


@pytest.mark.parametrize(("chosen", "verdict"), [(0, "error"), (1, "success")])
def test_a_guess_is_not_lost(app, chosen, verdict):
    app.radio[0].set_value(chosen)
    press(app, "Commit, then see")
    assert len(app.text) == len(getattr(app, verdict)) == 1
    assert app.radio[0].disabled
    assert app.radio[0].value == chosen


@pytest.mark.parametrize("how", ["Just show me", "Commit, then see"])
def test_a_presenter_goes_back_to_the_question(how):
    app = AppTest.from_function(page, default_timeout=20)
    app.query_params.update(screen="1", guess="1")
    app.run().radio[0].set_value(0)
    press(app, how)
    assert app.text
    press(app, "Ask again")
    assert not app.text
    assert not app.radio[0].disabled
    assert "Ask again" not in [button.label for button in app.button]


def test_on_a_screen_the_answer_is_said_in_words():
    app = AppTest.from_function(page, default_timeout=20)
    app.query_params.update(screen="1", guess="1")
    press(app.run(), "Just show me")
    assert [text.value for text in app.markdown] == [f"Which? **{theme.markdown('It is: that.')}**"]
    press(app, "Ask again")
    assert not app.markdown


def test_whoever_was_just_shown_may_be_asked_again(app):
    press(app, "Just show me")
    assert "Commit, then see" not in [button.label for button in app.button]
    press(app, "Ask me first")
    assert not app.text
    assert not app.radio[0].disabled


def test_a_verdict_keeps_the_words_that_it_was_given_on():
    """An edit makes other options; what was chosen must not seem to be one of them."""

    def page():
        import streamlit as st

        from pages.shared.ui import question

        options = st.session_state.get("options", ["up", "down"])
        question.guess("Which way?", options, 0, key="guess", subject=1)

    app = AppTest.from_function(page, default_timeout=20).run()
    app.radio[0].set_value(0)
    press(app, "Commit, then see")
    app.session_state["options"] = ["left", "right"]
    app.run()
    assert app.radio[0].options == ["up", "down"]
    assert app.radio[0].value == 0
    assert "Ask anew" in [button.label for button in app.button]
    press(app, "Ask anew")
    assert app.radio[0].options == ["left", "right"]
    assert not app.radio[0].disabled
    assert "Ask anew" not in [button.label for button in app.button]


def test_elsewhere_a_guess_stays(app):
    press(app, "Just show me")
    assert "Ask again" not in [button.label for button in app.button]


def test_without_a_choice_nothing_is_committed(app):
    next(button for button in app.button if button.label == "Commit, then see").click().run()
    assert app.info
    assert not app.text


def test_an_answer_is_not_lost(app):
    app.text_input[0].set_value("3")
    press(app, "Check")
    assert app.session_state["count·checked"] == "3"


def test_an_option_that_is_chosen_is_judged(app):
    def check():
        [button for button in app.button if button.label == "Check"][-1].click().run()

    check()
    assert len(app.success) == len(app.error) == 0
    for k, verdict in ((0, "error"), (1, "success")):
        app.radio[-1].set_value(k)
        check()
        assert len(getattr(app, verdict)) == 1
