"""The glossary: every term that a lesson links to is there, and every entry is a sentence."""

import re

from pages.shared.contents import PAGES
from pages.shared.figures.text import GLOSSARY, LessonText
from tests.apps import html_of, opened, unfolded

TERMS = LessonText.load(GLOSSARY).paragraphs


def test_every_term_that_is_linked_to_exists():
    for path in PAGES.glob("*/text.md"):
        linked = set(re.findall(r"\]\(term:([^)]*)\)", path.read_text(encoding="utf-8")))
        assert linked <= TERMS.keys(), path


def test_the_page_has_every_term_with_a_title_and_a_sentence_and_what_to_read():
    shown = html_of(unfolded("glossary"))
    for name, entry in TERMS.items():
        assert f'id="{name}"' in shown
        assert entry.title, name
        assert not entry.holes, name
        assert len(LessonText.load(GLOSSARY).plain(name)) > 30, name
    sources = shown[shown.index('data-sources="glossary"') :]  # first what introduced CRFs
    lafferty = sources.index("John Lafferty, Andrew McCallum and Fernando Pereira")
    assert lafferty < sources.index("ICML, 2001") < sources.index("Charles Sutton")


def test_who_asks_to_train_sees_that_first():
    app = opened("glossary")
    next(b for b in app.button if b.label.startswith("Train a tagger")).click().run()
    assert app.title[0].value == "From words to scores"
    assert app.session_state["lesson.train_first"]
