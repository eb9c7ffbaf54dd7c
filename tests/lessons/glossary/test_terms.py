"""Terms before use: the first use of a glossary term on a page opens what it means."""

import re

import pytest

from pages.shared.contents import COURSE
from pages.shared.figures import terms
from pages.shared.figures.text import LessonText
from tests.apps import opened

WITH_WORDS = [e.address for e in COURSE if e.folder not in ("glossary", "tag", "tagger")]
JARGON = (
    "nats", "log-sum-exp", "scan", "BIO", "garden path", "HMM", "hold a tag", "Pin as A", "τ",
    "Textbook variants", "suffix", "log\u00a0Z",
)  # fmt: skip


@pytest.mark.parametrize("address", WITH_WORDS)
def test_every_term_that_a_page_uses_is_marked_once_where_it_comes_first(address):
    app = opened(address)
    assert not app.exception
    bodies = [block.proto.body for block in app.get("html") if "crf-prose" in block.proto.body]
    shown = " ".join(re.findall(r'<div class="crf-prose">(.*?)</div>', " ".join(bodies), re.S))
    plain = set(re.sub(r"<[^>]+>", "", shown).split())
    marks = re.findall(r'data-term="([a-z-]+)"[^>]*>', shown)
    assert len(marks) >= 2
    assert "path" not in plain or "path" in marks
    by_itself = [name for name in marks if name in terms.forms()]
    assert len(set(by_itself)) >= len(by_itself) - 2, "marked again and again"


@pytest.mark.parametrize("word", JARGON)
def test_jargon_is_in_the_glossary(word):
    assert any(form.search(f"A {word}, here.") for form in terms.forms().values())


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
