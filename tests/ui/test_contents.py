"""The one table of the pages: what the menu says is what the page's head says."""

import pytest

from pages.shared.contents import COURSE
from tests.apps import opened


@pytest.mark.parametrize("entry", COURSE, ids=lambda entry: entry.address)
def test_title_and_question_stand_on_the_page(entry):
    app = opened(entry.address)
    assert not app.exception
    assert app.title[0].value == entry.title
    assert entry.question in [text.value for text in app.markdown]
    assert not set("|·²ᵐαβΣ∑") & set(entry.title + entry.question)  # which no lesson has explained
