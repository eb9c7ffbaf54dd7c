"""A question whose answer is a number: a hint, a second try, the solution."""

import pytest
from streamlit.testing.v1 import AppTest


def page():
    from pages.shared.ui import question

    def judge(n):
        return question.Verdict(n == 3, "" if n == 3 else "a hint", "the solution")

    question.number("How many?", judge, key="count")


def answered(app, text):
    app.text_input[0].set_value(text)
    return app.button[0].click().run()


def test_the_solution_comes_after_the_second_wrong_answer():
    app = AppTest.from_function(page, default_timeout=20).run()
    assert "a hint" in answered(app, "4").error[0].value
    assert not app.markdown
    assert app.markdown == answered(app, "4").markdown  # the same answer is one try
    assert answered(app, "5").markdown[0].value == "the solution"
    app = answered(app, "3")
    assert (len(app.success), len(app.error)) == (1, 0)


@pytest.mark.parametrize("text", ["x", "nan", "inf", "<b>3</b>", "1e400", "3 4"])
def test_what_is_no_number_is_answered_by_a_sentence(text):
    app = answered(AppTest.from_function(page, default_timeout=20).run(), text)
    assert "expected a number" in app.warning[0].value
    assert not app.error
