"""Terms before use: the first use of a glossary term on a page opens what it means."""

import re

import pytest

from pages.shared import contents
from pages.shared.contents import COURSE, PAGES
from pages.shared.figures import terms
from pages.shared.figures.text import LessonText
from tests.apps import opened

WITH_WORDS = [e.address for e in COURSE if e.folder not in ("glossary", "tag", "tagger")]
JARGON = (
    "nats", "log-sum-exp", "scan", "BIO", "garden path", "HMM", "hold a tag", "Pin as A", "τ",
    "Textbook variants", "suffix", "log\u00a0Z",
)  # fmt: skip


@pytest.mark.parametrize("address", WITH_WORDS)
def test_every_term_in_the_words_of_a_page_is_marked_where_it_comes_first(address):
    app = opened(address)
    assert not app.exception
    folder = contents.entry(address).folder
    text = LessonText.load(PAGES / folder / "text.md")
    first = app.session_state[f"{folder}.first_uses"]  # the paragraph of each term
    every = " ".join(block.proto.body for block in app.get("html"))
    shown = re.findall(r'<div class="crf-prose">(<.*?)</div>', every, re.DOTALL)
    marks = [name for body in shown for name in re.findall(r'data-term="([a-z-]+)"', body)]
    assert set(marks) == set(first)
    said = list(dict.fromkeys(first.values()))  # in the order in which they were said
    for name, paragraph in first.items():
        before = said[: said.index(paragraph)]
        assert not [one for one in before if name in terms.used(text[one].body)]
        by_hand = sum(f'data-term="{name}"' in one.body for one in text.paragraphs.values())
        assert marks.count(name) <= max(1, by_hand)


def test_jargon_is_in_the_glossary():
    for word in JARGON:
        assert any(form.search(f"A {word}, here.") for form in terms.forms().values()), word


def test_marks_stand_in_plain_text_alone():
    body = LessonText("# x\nA [path](#path) and `a path`; {path} of *paths* in nats.\n")["x"].body
    assert terms.used(body) == ("path", "nat")
    shown = terms.marked(body, frozenset({"path", "nat"}))
    assert shown.count("data-term") == 2
    assert 'data-lights="path"' in shown
    assert "Lights up in the picture." in shown  # the mark that lights up also says what it means
    assert "<code>a path</code>; {path}" in shown
    assert ">nats</dfn>" in shown
    assert terms.marked(body, frozenset()) == body
