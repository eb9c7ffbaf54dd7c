"""The glossary, terms before use, and the quiz at the end of the course."""

import math
import re
from itertools import product

import pytest

from crf.figures.numbers import format_score
from pages.glossary import quiz
from pages.shared import contents
from pages.shared.contents import COURSE, PAGES
from pages.shared.course.examples import EXAMPLES
from pages.shared.figures import terms
from pages.shared.figures.text import GLOSSARY, LessonText
from tests.apps import html_of, of_stage, opened, unfolded
from tests.oracles.marginals import every_path

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
    assert of_stage(app)["view"]["beat"] == "train"


WITH_WORDS = [e.address for e in COURSE if e.folder not in ("glossary", "tag", "words", "trellis")]
JARGON = (
    "nats", "log-sum-exp", "scan", "BIO", "garden path", "HMM", "hold a tag", "τ",
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


def test_there_are_twelve_and_each_has_a_picture():
    assert set(quiz.PICTURES) == set(quiz.TEXT.paragraphs) - {"can"}
    assert len(quiz.PICTURES) == 12
    assert str(quiz.as_html()).count("<details") == 12
    assert not set(quiz.facts()) - set(quiz.PICTURES)


@pytest.mark.parametrize("there", sorted(set(quiz.PICTURES.values())))
def test_the_picture_opens_without_a_complaint(there):
    address, _, query = there.partition("?")
    assert contents.entry(address).address == address
    app = opened(address, **dict(pair.split("=") for pair in query.split("&") if pair))
    assert not app.exception
    assert not app.warning


def test_answers_are_those_of_all_paths_listed():
    scores, found = dict(every_path(EXAMPLES["old-man"].problem)), quiz.facts()
    total = math.fsum(map(math.exp, scores.values()))
    through = [s for path, s in scores.items() if path[quiz._TOKEN] == quiz._TAG]
    p = math.fsum(map(math.exp, through)) / total
    assert found["paths"]["paths"] == f"{len(scores):,}"
    assert found["score"]["log_z"] == format_score(math.log(total))
    assert found["score"]["score"] == format_score(max(scores.values()))
    assert float(found["marginal"]["p"]) == pytest.approx(p, abs=0.005)
    allowed = [  # of five tags O, B-PER, I-PER, B-LOC, I-LOC, by hand: I only after its own kind
        path for path in product(range(5), repeat=5)
        if all(path[t] not in (2, 4) or (t and path[t - 1] in (path[t] - 1, path[t]))
               for t in range(5))
    ]  # fmt: skip
    assert found["table"]["after"] == f"{len(allowed):,}"
