"""The still that a page shows until its scripts have come."""

import gzip
import re
from xml.etree import ElementTree

import pytest

from crf.figures.languages import LANGUAGES
from pages.shared.contents import COURSE, STORY
from pages.shared.ui.server.first_picture import FOLDER, still
from pages.shared.ui.stage import view
from pages.tag import beats as tag

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


def test_the_front_page_s_shows_the_words_each_alone():
    state, _ = view.state_of({"lambda": "0"}, "tag")
    flow = tag.BEATS[0].figure(state)["flow"]
    names = [one["name"] for one in flow["tags"]]
    words = {token["text"] for token in flow["tokens"]}
    labels = {
        f"{names[s]} {p:.2f}".replace(" 0.", " .")
        for column, shown in zip(flow["now"]["blocks"], flow["shown"], strict=True)
        for s, p in zip(shown, column, strict=True)
    }
    drawn = ElementTree.fromstring(f"<div>{still('/', '', 'en').partition('</style>')[2]}</div>")
    texts = {text.strip() for text in drawn.itertext()} - {""}
    assert words < texts
    assert texts <= words | labels | {*names}, (
        "draw the stills again: python -m docs.first_pictures"
    )


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
