"""A lesson is a folder and a line in the tables: the one of CONTRIBUTING.md is added and opened."""

import re
import sys
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from pages import beats
from pages.shared import contents
from pages.shared.contents import Entry
from pages.shared.course.chain_summary import ChainSummary
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures.theme import probability
from pages.shared.ui import menu
from tests.apps import benched, of_stage, opened

BLOCK = re.compile(r"^   ```\w+\n(.*?)^   ```$", re.MULTILINE | re.DOTALL)
GUIDE = (
    (contents.ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a lesson")[2]
)
BEATS, MORE, NAMES, TEXT, PICTURE, LINE, HEAD = (dedent(block) for block in BLOCK.findall(GUIDE))


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Entry:
    folder = tmp_path / "best"
    folder.mkdir()
    files = {"more.py": MORE, "text.md": NAMES, "beats.py": BEATS, "beats.md": TEXT}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    package = ModuleType("pages.best")
    package.__path__ = [str(folder)]
    monkeypatch.setitem(sys.modules, "pages.best", package)
    for name in ("beats", "more"):
        monkeypatch.delitem(sys.modules, f"pages.best.{name}", raising=False)
    monkeypatch.setattr("pages.shared.figures.text.PAGES", tmp_path)
    entry = eval(LINE, {"Entry": Entry})
    heads = tmp_path / "contents.md"
    heads.write_text(f"{contents.TEXT.read_text(encoding='utf-8')}\n{HEAD}", encoding="utf-8")
    monkeypatch.setattr(contents, "TEXT", heads)
    monkeypatch.setattr(contents, "COURSE", (*contents.COURSE, entry))
    text, of_others = folder / "beats.md", Entry.text.fget
    monkeypatch.setattr(
        Entry, "text", property(lambda one: text if one.folder == "best" else of_others(one))
    )
    for module in (menu, beats):
        monkeypatch.setattr(module, "COURSE", contents.COURSE)
    return entry


def test_a_folder_and_a_line_are_a_lesson(added):
    app = opened("best", ex="bio", **{"with": "most_1"})
    assert not app.exception
    assert app.title[0].value == added.title
    shown = of_stage(app)["view"]
    summary = ChainSummary(EXAMPLES["bio"].problem)
    best = summary.p(summary.viterbi)
    assert [path["p"] for path in shown["picture"]["paths"]] == [pytest.approx(best, rel=1e-6)]
    assert f"have probability {probability(best)}." in "".join(shown["picture"]["now"]["say"])
    assert shown["state"] == {"ex": "bio", "with": "most_1"}


def test_its_menu_opens_a_bench(added):
    groups = of_stage(app := benched("best", "count"))["looks"]
    named = {"name": "count", "label": "Tags", "hint": "how many there are"}
    assert groups[0]["entries"] == [named]
    assert any("tags" in one.value for one in app.markdown)


@pytest.mark.parametrize("example", ["no-path", "one-token"])
def test_a_problem_at_the_edge(added, example):
    assert not opened("best", ex=example).exception


def test_what_its_address_cannot_have_is_said(added):
    app = opened("best", **{"with": "most_1000"})
    assert "most" in of_stage(app)["view"]["message"]


def test_its_picture_is_a_class_that_the_stage_can_draw_with():
    assert set(re.findall(r"^  (\w+)\(.*\) \{", PICTURE, re.MULTILINE)) == {
        "constructor",
        "show",
        "showNow",
    }
