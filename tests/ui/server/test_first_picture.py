"""The still that a page shows until its scripts have come."""

import gzip
import re
from xml.etree import ElementTree

import pytest

from crf.figures.languages import LANGUAGES
from pages.shared.contents import COURSE, STORY
from pages.shared.ui.server.first_picture import FOLDER, still

LARGEST = 8_000  # bytes, gzipped
DRAWINGS = [
    (entry.address, language)
    for entry in (*COURSE, STORY)
    if entry.has_beats
    for language in LANGUAGES
]


@pytest.mark.parametrize(("address", "language"), DRAWINGS)
def test_each_lesson_has_a_small_one_of_both_windows(address, language):
    text = (FOLDER / f"{address}.{language}.html").read_text("utf-8")
    tree = ElementTree.fromstring(f"<div>{text}</div>")
    assert [one.get("class") for one in tree] == ["wide", "narrow"]
    assert "light-dark(" in text
    names = re.findall(r' id="([^"]+)"', text)
    assert len(names) == len(set(names))
    assert set(re.findall(r"url\(#(.*?)\)", text)) <= set(names)
    assert not re.search(r"<script|href| on\w+=", text)
    assert len(gzip.compress(text.encode())) < LARGEST


def test_no_other_is_kept():
    kept = {path.stem for path in FOLDER.iterdir()}
    assert kept == {f"{address}.{language}" for address, language in DRAWINGS}


@pytest.mark.parametrize(
    ("path", "query", "accepts", "file"),
    [
        ("/", "", "", "start.en"),
        ("/tag", "", "de-AT,de;q=0.9,en;q=0.5", "start.de"),
        ("/forward", "lang=zh", "de", "forward.zh"),
        ("/forward/", "lang=xx", "de", "forward.de"),
    ],
)
def test_a_page_has_that_of_its_address_and_language(path, query, accepts, file):
    drawn = (FOLDER / f"{file}.html").read_text("utf-8")
    assert still(path, query, accepts).endswith(f">{drawn}</div>")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/forward", "step=3"),
        ("/", "sentence=They+fish."),
        ("/", "lang=de&ex=old-man"),
        ("/forward", "step="),
        ("/glossary", ""),
        ("/../start.en.html", ""),
        ("/start.de", ""),
        ("/read", ""),
    ],
)
def test_a_state_and_any_other_page_have_none(path, query):
    assert still(path, query, "en") == ""
