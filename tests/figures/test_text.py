"""The lessons' words: every paragraph is shown by its page, every page's paragraph is written."""

import re

import pytest
from markupsafe import escape

from pages.shared.contents import COURSE, PAGES, ROOT
from pages.shared.figures.text import GLOSSARY, LessonText

README = ROOT / "README.md"
SHARED = ("look", "step", "take", "kept")  # said by what lessons share
WRITTEN = [
    entry
    for entry in COURSE
    if (PAGES / entry.folder / "text.md").exists() and entry.folder != "glossary"
]


@pytest.mark.parametrize("entry", WRITTEN, ids=lambda entry: entry.folder)
def test_paragraphs_are_those_that_the_page_shows(entry):
    folder = PAGES / entry.folder
    text = LessonText.load(folder / "text.md")
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    shown = set(re.findall(r"""(?:say|html|title)\(\s*"([a-z0-9-]+)\"""", code))
    families = tuple(re.findall(r"""["]([a-z0-9-]+-)["{]""", code))  # as f"example-{name}"
    named = {
        name
        for name in text.paragraphs
        if name in SHARED or re.search(f'"{name}["."]', code) or name.startswith(families)
    }
    tables = {name for name, paragraph in text.paragraphs.items() if paragraph.cases}
    cases = {f"{table}.{case}" for table in tables for case in text[table].cases}
    told = set(re.findall(r'"([a-z0-9-]+\.[a-z0-9-]+)"', code))
    assert set(text.paragraphs) == named, "a paragraph that no page shows"
    assert shown <= set(text.paragraphs), "a page shows a paragraph that is not written"
    assert {name for name in told if name.split(".")[0] in tables} <= cases, "no such case"


def test_the_readme_lists_the_course():
    _, _, lessons = README.read_text("utf-8").partition("## The lessons\n")
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", lessons, re.MULTILINE)
    listed = [row for row in rows if row not in (("Page", "Question"), ("---", "---"))]
    assert listed == [(entry.title, entry.question) for entry in COURSE]


class TestText:
    def test_facts_are_exactly_the_holes(self):
        text = LessonText("# one\nIt is {what}.\n")
        assert "It is it." in text.html("one", what="it")
        for facts in ({}, {"what": 1, "more": 2}):
            with pytest.raises(ValueError, match="holes"):
                text.html("one", **facts)
        shown = LessonText("# one\n*{word}*\n").html("one", word="<img src=x onerror=alert(1)>{0}")
        assert "<img" not in shown
        assert "{0}" in shown

    def test_log_z_never_stands_in_two_lines(self):
        text = LessonText("# one\nIt is log\nZ, not log Zeta.\n")
        assert "It is log\u00a0Z, not log Zeta." in text.html("one")

    def test_a_term_says_what_it_means(self):
        shown = LessonText("# one\nThe tags are [clamped](term:clamp).\n").html("one")
        assert 'data-term="clamp" tabindex="0"' in shown
        assert f'title="{escape(LessonText.load(GLOSSARY).plain("clamp"))}"' in shown
        with pytest.raises(KeyError, match="no-such-term"):
            LessonText("# one\n[x](term:no-such-term)\n")

    def test_two_paragraphs_of_one_name_are_refused_and_an_unknown_one_is_named(self):
        with pytest.raises(ValueError, match="two paragraphs"):
            LessonText("# one\na\n# one\nb\n")
        with pytest.raises(KeyError, match="nothing"):
            LessonText("# one\na\n").html("nothing")
