"""The article: its text is that of its source, and each figure has its still.

Its scripts and its figures' data change with every beat. They are compared by the thorough test
alone; tests/browser/test_article.py runs those of today.
"""

import re
from collections import Counter

import pytest

from pages.read import page
from pages.read.article import FIGURES, TEXT, sections
from pages.shared import contents
from pages.shared.contents import ROOT
from pages.shared.ui.language import speaking

pytest.importorskip("latex2mathml", reason="latex2mathml is not installed")
from docs import article

WHOLE = page.FILES["en"].read_text(encoding="utf-8")
STILL = re.compile(r'<div class="still">(<svg[^>]*role="img"[^>]*>).*?</div>', re.DOTALL)
LARGEST = 1_500_000  # bytes


@pytest.fixture(scope="module")
def text():
    """What the file holds for its readers."""
    return page.text_of(WHOLE)


@pytest.mark.parametrize("name", page.FILES)
def test_the_file_has_the_text_of_today(name):
    text = page.text_of(page.FILES[name].read_text(encoding="utf-8"))
    with speaking(name):
        now = page.body(article.mathml, article.stills(), article.version())
    assert STILL.sub(r"\1", text) == STILL.sub(r"\1", now), "run make article"


@pytest.mark.thorough
@pytest.mark.parametrize("name", page.FILES)
def test_the_file_has_the_scripts_of_today(name):
    whole = page.FILES[name].read_text(encoding="utf-8")
    with speaking(name):
        assert page.document(page.text_of(whole)) == whole, "run make article"


@pytest.mark.parametrize("name", page.FILES)
def test_each_figure_has_its_still_and_the_still_says_what_it_shows(name):
    text = page.text_of(page.FILES[name].read_text(encoding="utf-8"))
    with speaking(name):
        folder = article.folder()
    figures = re.findall(r'<figure id="figure-(\w+)".*?</figure>', text, re.DOTALL)
    assert figures == list(FIGURES)
    stills = [found[0] for found in STILL.finditer(text)]
    assert len(stills) == len(FIGURES)
    for figure, still in zip(FIGURES, stills, strict=True):
        alt = re.findall(r'aria-label="([^"]+)"', still)
        assert len(alt) == 1, figure
        assert 20 <= len(alt[0]) <= 350, figure
        assert len(re.findall(r"<text", still)) > 5, figure
        drawn = (folder / f"{figure}.svg").read_text(encoding="utf-8")
        assert len(re.findall(r"<text", drawn)) == len(re.findall(r"<text", still)), figure
    assert {path.stem for path in folder.glob("*.svg")} == {*FIGURES}


def test_names_are_unique_and_links_within_lead_somewhere(text):
    names = Counter(re.findall(r'\bid="([^"]+)"', text))
    assert not [name for name, times in names.items() if times > 1]
    links = {*re.findall(r'href="#([^"]+)"', text), *re.findall(r"url\(#([^)]+)\)", text)}
    assert links <= {*names}
    assert re.search(r"url\(#meet-", text)
    assert "url(&" not in text
    assert {name for name in names if name.startswith(("eq-", "source-"))} <= {*links, *names}


def test_it_is_as_long_as_it_should_be_and_computes_its_numbers():
    prose = " ".join(part.text for part in sections())
    words = re.sub(r"\$[^$]*\$|^\|.*$", " x ", prose, flags=re.MULTILINE).split()
    assert 3000 <= len(words) <= 4000
    typed = re.sub(r"\$[^$]*\$", "", TEXT.read_text(encoding="utf-8"))
    assert not re.findall(r"\d*[.,]\d+|\d+ ?%", typed), "a number that the core can compute"


def test_it_is_small_and_its_scripts_ask_no_other_machine(text):
    assert len(WHOLE.encode()) <= LARGEST
    assert not re.findall(r"""src=["']?(?:https?:|//)""", WHOLE)
    assert {*re.findall(r'href="(https?://[^/]+)', text)} == {page.COURSE.rstrip("/")}


def test_each_lesson_leads_to_a_section_and_the_citation_to_the_article():
    lessons = {one.name for one in (*contents.COURSE, contents.STORY) if one.has_beats}
    assert {*contents.ARTICLE} == lessons
    assert {*contents.ARTICLE.values()} <= {part.name for part in sections()}
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"    title: {sections()[0].title}\n" in citation


def test_make_knows_how_to_write_it():
    assert "python -m docs.article" in (ROOT / "Makefile").read_text(encoding="utf-8")
