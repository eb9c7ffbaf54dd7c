"""The glossary: every term that a lesson links to is there, and every entry is a sentence."""

import re

import pytest

from pages.shared.contents import COURSE, PAGES
from pages.shared.figures.text import GLOSSARY, LessonText
from tests.apps import html_of, opened

TERMS = LessonText.load(GLOSSARY).paragraphs


@pytest.mark.parametrize("entry", COURSE, ids=lambda entry: entry.folder)
def test_every_term_that_is_linked_to_exists(entry):
    path = PAGES / entry.folder / "text.md"
    written = path.read_text(encoding="utf-8") if path.exists() else ""
    linked = set(re.findall(r"\]\(term:([^)]*)\)", written))
    assert linked <= TERMS.keys(), linked - TERMS.keys()


def test_every_entry_has_a_title_and_says_something():
    for name, entry in TERMS.items():
        assert entry.title, name
        assert not entry.holes, name
        assert len(LessonText.load(GLOSSARY).plain(name)) > 30, name


def test_the_page_has_them_all():
    app = opened("glossary")
    assert not app.exception
    shown = html_of(app)
    assert all(f'id="{name}"' in shown for name in TERMS)


def test_what_to_read_begins_with_the_paper_that_introduced_crfs():
    shown = html_of(opened("glossary"))
    sources = shown[shown.index('data-sources="glossary"') :]
    lafferty = sources.index("John Lafferty, Andrew McCallum and Fernando Pereira")
    assert lafferty < sources.index("ICML, 2001") < sources.index("Charles Sutton")


def test_who_asks_to_train_sees_that_first():
    app = opened("glossary")
    next(b for b in app.button if b.label.startswith("Train a tagger")).click().run()
    assert app.title[0].value == "From words to scores"
    assert app.session_state["lesson.train_first"]
