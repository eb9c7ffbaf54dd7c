"""What is chosen in the lesson is in its link, and a link brings it back."""

from pages.shared.ui import teacher
from pages.stability import closing, forbidden
from tests.apps import opened


def test_a_choice_below_the_first_picture_is_in_the_link_to_exactly_this():
    app = opened("stability", which="long", q="800~799~650")
    assert not app.exception
    assert app.session_state[forbidden.WHICH.key] == "long"
    next(button for button in app.button if button.label == teacher.TITLE).click().run()
    (link,) = [code.value for code in app.code if "stability?" in code.value]
    assert "which=long" in link
    assert "q=800~799~650" in link


def test_each_control_of_the_lesson_has_a_name_of_its_own_in_the_address():
    names = [control.address for control in closing.CONTROLS]
    assert all(names)
    assert len(set(names)) == len(names)
