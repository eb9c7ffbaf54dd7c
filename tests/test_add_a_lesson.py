"""A lesson is a folder and a line in the table: one is added here in ten lines, and opened."""

from pathlib import Path

import pytest

from pages.shared import contents
from pages.shared.contents import Entry
from tests.apps import opened

PAGE = """
from pages.shared.ui.controls import Integer
from pages.shared.ui.lesson import Lesson

TIMES = Integer("added.times", 2, address="times", low=1, high=9)

lesson = Lesson.open("added", controls=(TIMES,))
lesson.bar()
TIMES.widget("How many times")
lesson.say("best", tags=" ".join(lesson.reading.viterbi * TIMES.value))
lesson.foot(code=[("The best path", lesson.reading.chain.viterbi)])
lesson.close()
"""
TEXT = "# best: The best path\nSay it again: {tags}.\n"


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    folder = tmp_path / "added"
    folder.mkdir()
    (folder / "page.py").write_text(PAGE, encoding="utf-8")
    (folder / "text.md").write_text(TEXT, encoding="utf-8")

    class Elsewhere(Entry):
        script = folder / "page.py"

    entry = Elsewhere("", "added", "An added lesson", "Does it work?")
    monkeypatch.setattr(contents, "COURSE", (*contents.COURSE, entry))
    monkeypatch.setattr("pages.shared.ui.menu.COURSE", contents.COURSE)
    monkeypatch.setattr("pages.shared.ui.lesson.PAGES", tmp_path)
    return entry


def test_a_folder_and_a_line_are_a_lesson(added):
    app = opened("added", times="3", ex="bio")
    assert not app.exception
    assert app.title[0].value == "An added lesson"
    assert "Does it work?" in [text.value for text in app.markdown]
    said = " ".join(block.proto.body for block in app.get("html"))
    assert "Say it again: B I B I B I." in said
    assert "".join(app.query_params["times"]) == "3"  # a text or a list of one
    assert "".join(app.query_params["ex"]) == "bio"


def test_what_its_address_cannot_have_is_said(added):
    app = opened("added", times="1000")
    assert not app.exception
    assert "One can have 1 to 9" in app.warning[0].value
