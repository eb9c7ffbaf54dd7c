"""A lesson is a folder and a line in the table: the one of CONTRIBUTING.md is added and opened."""

import re
from pathlib import Path
from textwrap import dedent

import pytest

from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.theme import probability
from pages.shared.ui import menu
from tests.apps import html_of, opened

BLOCK = re.compile(r"^   ```\w+\n(.*?)^   ```$", re.MULTILINE | re.DOTALL)
GUIDE = (contents.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGE, TEXT, LINE, HEAD = (dedent(block) for block in BLOCK.findall(GUIDE))


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    folder = tmp_path / "best"
    folder.mkdir()
    (folder / "page.py").write_text(PAGE, encoding="utf-8")
    (folder / "text.md").write_text(TEXT, encoding="utf-8")

    class Elsewhere(Entry):
        script = folder / "page.py"

    entry = eval(LINE, {"Entry": Elsewhere})
    heads = tmp_path / "contents.md"
    heads.write_text(f"{contents.TEXT.read_text(encoding='utf-8')}\n{HEAD}", encoding="utf-8")
    monkeypatch.setattr(contents, "TEXT", heads)
    monkeypatch.setattr(contents, "COURSE", (*contents.COURSE, entry))
    monkeypatch.setattr(menu, "COURSE", contents.COURSE)
    monkeypatch.setattr("pages.shared.figures.text.PAGES", tmp_path)
    return entry


def test_a_folder_and_a_line_are_a_lesson(added):
    app = opened("best", most="1", ex="bio")
    assert not app.exception
    assert app.title[0].value == added.title
    assert added.question in [text.value for text in app.markdown]
    said = html_of(app)
    summary = ChainSummary(EXAMPLES["bio"].problem)
    best = probability(summary.p(summary.viterbi))
    assert f"The 1 best paths together have probability {best};" in said
    assert "".join(app.query_params["most"]) == "1"  # a text or a list of one
    assert "".join(app.query_params["ex"]) == "bio"


@pytest.mark.parametrize("example", ["no-path", "one-token"])
def test_a_problem_at_the_edge(added, example):
    assert not opened("best", ex=example).exception


def test_what_its_address_cannot_have_is_said(added):
    app = opened("best", most="1000")
    assert not app.exception
    assert "a number from 1 to 9" in app.warning[0].value
