"""The one table of the pages: what the menu says is what the page's head says."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.ui.course import COURSE

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", COURSE, ids=lambda page: page.url)
def test_a_page_is_headed_by_its_line_in_the_course(page):
    script = (ROOT / "pages" / page.script).read_text(encoding="utf-8")
    assert re.findall(r'\b(?:lesson|course)\.begin\("(\w+)"\)', script) == [page.url]


def test_title_and_question_stand_on_the_page():
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    page = next(page for page in COURSE if page.url == "scores")
    app.switch_page(f"pages/{page.script}").run()
    assert app.title[0].value == page.title
    assert page.question in [text.value for text in app.markdown]
