"""The glossary: every term has an entry, every link one, and nothing is linked by its letters."""

import re

import pytest

from pages.shared.contents import PAGES
from pages.shared.figures.beat_text import BeatText, passages
from pages.shared.figures.text import GLOSSARY, LessonText
from tests.apps import html_of, opened

TERMS = LessonText.load(GLOSSARY).paragraphs
WANTED = (
    "trellis", "cell", "column", "softmax", "message", "epoch", "minibatch", "f1", "calibration",
    "constraint", "treebank", "named-entity",
)  # fmt: skip


@pytest.mark.parametrize(
    "path", sorted([*PAGES.glob("*/text.md"), *PAGES.glob("*/beats.md")]), ids=str
)
def test_every_term_that_is_linked_to_exists(path):
    linked = set(re.findall(r"\]\(term:([^)]*)\)", path.read_text(encoding="utf-8")))
    assert linked <= TERMS.keys()


def test_the_page_has_every_term_with_a_title_and_a_sentence_and_what_to_read():
    app = opened("glossary")
    assert not app.exception
    shown = html_of(app)
    for name, entry in TERMS.items():
        assert f'id="{name}"' in shown
        assert entry.title, name
        assert not entry.holes, name
        assert len(LessonText.load(GLOSSARY).plain(name)) > 30, name
    assert TERMS.keys() >= set(WANTED)
    sources = shown[shown.index('data-sources="glossary"') :]  # first what introduced CRFs
    lafferty = sources.index("John Lafferty, Andrew McCallum and Fernando Pereira")
    assert lafferty < sources.index("ICML, 2001") < sources.index("Charles Sutton")


def test_a_term_in_a_beat_explains_itself_where_it_stands():
    text = BeatText(passages("## x\nA [**path**](term:path) of a path."), (), "en")
    assert text.segments("x", {}) == [
        "A ",
        {"text": "path", "says": LessonText.load(GLOSSARY).plain("path"), "bold": True},
        " of a path.",
    ]
    assert text.plain("x", {}) == "A path of a path."


def test_a_word_is_a_term_only_where_a_link_says_so():
    text = LessonText("# x\nA path and a [path](term:path).\n")
    assert text.html("x").count("data-term") == 1
